#!/usr/bin/env python3
"""An operator who reads a decision's rule in the alert log looks it up in docs/control.md: each one has to be there."""

import pathlib
import re
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


def undocumented(policy, page):
    """Literals of the form "loop.reason" in the policy's sources that the page does not quote."""
    text = page.read_text(encoding="utf-8")
    for path in sorted(policy.rglob("*.[ch]*")):
        for rule in sorted(set(re.findall(r'"([a-z][a-z0-9_]*\.[a-z][a-z0-9_]*)"', path.read_text(encoding="utf-8")))):
            if not rule.endswith((".h", ".cc")) and f"`{rule}`" not in text:
                yield rule


class DocumentedTest(unittest.TestCase):
    def test_what_is_left_out_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            policy = pathlib.Path(folder)
            (policy / "peers").mkdir()
            (policy / "a.cc").write_text('#include "policy/a.h"\npropose("jobs.up", "jobs.l0");\n')
            (policy / "peers" / "b.h").write_text('constexpr auto kRule = "peer.rule";\n')
            page = policy / "page.md"
            page.write_text("`jobs.up` but not jobs.l0\n")
            self.assertEqual(list(undocumented(policy, page)), ["jobs.l0", "peer.rule"])

    def test_the_tree_itself(self):
        self.assertEqual(list(undocumented(ROOT / "policy", ROOT / "docs" / "control.md")), [])


if __name__ == "__main__":
    unittest.main()
