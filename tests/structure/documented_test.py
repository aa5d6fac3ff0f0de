#!/usr/bin/env python3
"""What an operator looks up has to be there: the rules of decisions in docs/control.md, features in docs/metrics.md."""

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


def unexplained(helps, page):
    """Metrics of the features that have a HELP line, and no row in the page."""
    text = page.read_text(encoding="utf-8")
    for feature in re.findall(r'FeatureHelp\{"([a-z0-9_]+)"', helps.read_text(encoding="utf-8")):
        metric = "rocktune_" + re.sub("_(us|ms)$", "_seconds", feature)
        if f"| `{metric}` |" not in text:
            yield metric


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
        self.assertEqual(list(unexplained(ROOT / "daemon" / "feature_help.cc", ROOT / "docs" / "metrics.md")), [])

    def test_a_metric_without_a_row_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            helps, page = pathlib.Path(folder) / "help.cc", pathlib.Path(folder) / "page.md"
            helps.write_text('FeatureHelp{"read_p99_us", "x"}, FeatureHelp{"l0_files", "y"}')
            page.write_text("| `rocktune_l0_files` | files |\n")
            self.assertEqual(list(unexplained(helps, page)), ["rocktune_read_p99_seconds"])


if __name__ == "__main__":
    unittest.main()
