#!/usr/bin/env python3
"""A test that no CMake file lists is never built, and nobody misses it."""

import pathlib
import re
import tempfile
import unittest

TESTS = pathlib.Path(__file__).resolve().parents[1]


def words_of(path):
    return set(re.findall(r"[\w./-]+", re.sub(r"#.*", "", path.read_text(encoding="utf-8"))))


def unlisted(tests):
    """Unit tests that no unit/*.cmake names, and integration tests that integration/targets.cmake does not."""
    units = {word for path in (tests / "unit").glob("*.cmake") for word in words_of(path)}
    for path in sorted((tests / "unit").rglob("*_test.cc")):
        if str(path.relative_to(tests)) not in units:
            yield str(path.relative_to(tests))
    names = words_of(tests / "integration" / "targets.cmake")
    for path in sorted((tests / "integration").glob("test_*.py")):
        if path.stem.removeprefix("test_") not in names:
            yield str(path.relative_to(tests))


class ListedTest(unittest.TestCase):
    def test_what_is_left_out_is_found(self):
        with tempfile.TemporaryDirectory() as folder:
            tests = pathlib.Path(folder)
            (tests / "unit" / "model").mkdir(parents=True)
            (tests / "integration").mkdir()
            for name in ("unit/model/a_test.cc", "unit/model/b_test.cc", "integration/test_c.py", "integration/test_d.py"):
                (tests / name).touch()
            (tests / "unit" / "model.cmake").write_text("rocktune_unit_test(t SOURCES unit/model/a_test.cc)  # b_test.cc\n")
            (tests / "integration" / "targets.cmake").write_text("foreach(name c)\n")
            self.assertEqual(list(unlisted(tests)), ["unit/model/b_test.cc", "integration/test_d.py"])

    def test_the_tree_itself(self):
        self.assertEqual(list(unlisted(TESTS)), [])


if __name__ == "__main__":
    unittest.main()
