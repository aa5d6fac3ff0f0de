"""An option that a rule of advice reads is one that a trace keeps (model/kept_options.cc): else the rule is never judged on it."""

import pathlib
import re
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
# option("name"), option(f.name, "name"), knob("name"); not those whose name is in a variable.
READ = re.compile(r'\b(?:option|knob)\((?:[\w.]+, )?"(\w+)"\)')


class KeptOptions(unittest.TestCase):
    def test_what_rules_read_is_kept(self):
        kept = set(re.findall(r'ReadOption\{"(\w+)"', (ROOT / "model" / "kept_options.cc").read_text()))
        read = {name for path in (ROOT / "advice").glob("*.cc") for name in READ.findall(path.read_text())}
        self.assertGreater(len(read), 10)
        self.assertEqual(read - kept, set())


if __name__ == "__main__":
    unittest.main()
