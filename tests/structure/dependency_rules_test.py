#!/usr/bin/env python3
"""The dependency scan finds what it is there to find (a scanner that finds nothing proves nothing)."""

import pathlib
import tempfile
import unittest

import dependency_rules as rules


class ScanTest(unittest.TestCase):
    def breaches(self, part, text, name="x.cc"):
        with tempfile.TemporaryDirectory() as folder:
            root = rules.ROOT
            rules.ROOT = pathlib.Path(folder)
            try:
                path = pathlib.Path(folder) / part / name
                path.parent.mkdir()
                path.write_text(text)
                scan = rules.link_breaches if name == "CMakeLists.txt" else rules.include_breaches
                return list(scan(path, part))
            finally:
                rules.ROOT = root

    def test_model_may_not_know_policy(self):
        self.assertEqual(len(self.breaches("model", '#include "policy/guard.h"\n')), 1)

    def test_policy_may_know_model(self):
        self.assertEqual(self.breaches("policy", '#include "model/sample.h"\n#include <vector>\n'), [])

    def test_pure_code_has_no_thread_clock_or_third_party(self):
        for line in ("#include <thread>", "#include <spdlog/spdlog.h>", "#include <rocksdb/db.h>", "#include <fstream>",
                     "auto t = std::chrono::steady_clock::now();"):
            self.assertEqual(len(self.breaches("policy", line + "\n")), 1, line)

    def test_a_comment_is_no_clock_read(self):
        self.assertEqual(self.breaches("model", "// never steady_clock::now()\n"), [])

    def test_agent_knows_wire_only(self):
        self.assertEqual(self.breaches("agent", '#include "wire/codec.h"\n'), [])
        self.assertEqual(len(self.breaches("agent", '#include "model/sample.h"\n')), 1)

    def test_linking_counts(self):
        self.assertEqual(len(self.breaches("trace", "rocktune_library(t LIBRARIES rocktune_policy)", "CMakeLists.txt")), 1)
        self.assertEqual(len(self.breaches("model", "rocktune_library(m LIBRARIES spdlog::spdlog)", "CMakeLists.txt")), 1)

    def test_the_tree_itself(self):
        self.assertEqual(rules.main(), 0)


if __name__ == "__main__":
    unittest.main()
