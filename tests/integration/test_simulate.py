"""rocktune simulate and rocktune validate on the recorded traces of tests/data, and on what is none."""

import gzip
import json
import math
import pathlib
import shutil
import sqlite3
import subprocess
import tempfile
import unittest

from support import BIN, ROOT

DATA = ROOT / "tests" / "data"


def rocktune(*arguments):
    return subprocess.run([BIN / "rocktune", *map(str, arguments)], capture_output=True, text=True, timeout=120, check=False)


def numbers(value):
    """Every number in a JSON document."""
    if isinstance(value, bool):
        return
    if isinstance(value, (int, float)):
        yield value
    elif isinstance(value, dict):
        for one in value.values():
            yield from numbers(one)
    elif isinstance(value, list):
        for one in value:
            yield from numbers(one)


class Simulate(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="rt-simulate-"))
        for name in ("stall-24-1", "calm-24-1"):
            (cls.folder / f"{name}.trace").write_bytes(gzip.decompress((DATA / f"{name}.trace.gz").read_bytes()))
        cls.stall, cls.calm = cls.folder / "stall-24-1.trace", cls.folder / "calm-24-1.trace"

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def test_policies_side_by_side_the_same_bytes_every_time(self):
        command = ("simulate", self.stall, "--policies", "static,headroom,silk", "--calibrate-until", 120, "--seeds", 4, "--json")
        result = rocktune(*command)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, rocktune(*command).stdout)
        document = json.loads(result.stdout)
        self.assertEqual(document["schema"], "rocktune-simulate/1")
        self.assertEqual(document["rung"], "closed_loop")
        self.assertEqual([one["policy"] for one in document["policies"]], ["static", "headroom", "silk"])
        still = document["policies"][0]
        self.assertEqual(still["movements"], {})
        self.assertEqual(len(still["figures"]["operations_per_second"]["seeds"]), 4)
        self.assertGreater(still["figures"]["operations_per_second"]["median"], 0)
        self.assertGreater(still["figures"]["write_amplification"]["median"], 1)
        for one in document["policies"]:
            for figure in one["figures"].values():
                self.assertLessEqual(figure["p5"], figure["median"])
                self.assertLessEqual(figure["median"], figure["p95"])
        self.assertTrue(all(math.isfinite(number) for number in numbers(document)))
        self.assertTrue(0 <= document["concordance"] <= 1)

        text = rocktune(*command[:-1]).stdout
        self.assertIn("headroom", text)
        self.assertIn("does not foretell", text)
        self.assertNotRegex(text, r"\bnan\b|\binf\b")

    def test_the_plant_is_held_against_what_was_recorded(self):
        command = ("validate", self.stall, self.calm, "--calibrate-until", 120, "--seeds", 5, "--json")
        result = rocktune(*command)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, rocktune(*command).stdout)
        document = json.loads(result.stdout)
        runs = {run["name"]: run for run in document["runs"]}
        self.assertTrue(runs["stall-24-1"]["errors"]["stalls"])
        self.assertFalse(runs["calm-24-1"]["errors"]["stalls"])
        self.assertAlmostEqual(runs["calm-24-1"]["errors"]["ingest_error_ratio"], 0, delta=0.02)
        self.assertEqual(document["all"]["runs"], 2)
        self.assertEqual(document["stalling"]["runs"], 1)
        text = rocktune(*command[:-1]).stdout
        self.assertIn("runs that stall (1)", text)

    def test_what_cannot_be_simulated_is_refused_in_one_sentence(self):
        universal = self.folder / "universal.trace"
        shutil.copy(self.calm, universal)
        with sqlite3.connect(universal) as connection:
            changed = connection.execute("update column_family_options set leveled_compaction = 0").rowcount
        connection.close()
        self.assertGreater(changed, 0)
        garbage = self.folder / "garbage.trace"
        garbage.write_bytes(b"no trace at all" * 1000)
        for arguments, code, said in (
            ((self.calm, "--calibrate-until", 100000), 2, "not longer than the part that calibrates"),
            ((universal, "--calibrate-until", 60), 1, "its compaction is not leveled"),
            ((garbage,), 1, "garbage.trace"),
            ((self.folder / "none.trace",), 1, "none.trace"),
            ((self.calm, "--seeds", 0), 2, "--seeds"),
        ):
            for command in ("simulate", "validate"):
                with self.subTest(command=command, arguments=arguments):
                    result = rocktune(command, *arguments)
                    self.assertEqual(result.returncode, code, result.stderr)
                    self.assertIn(said, result.stderr)
                    self.assertEqual(result.stdout, "")
                    self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        for arguments, said in (
            (("--policies", "static,no-such"), "no-such"),
            (("--target", "no-such"), "it has:"),
        ):
            with self.subTest(arguments=arguments):
                result = rocktune("simulate", self.calm, "--calibrate-until", 60, *arguments)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn(said, result.stderr)


if __name__ == "__main__":
    unittest.main()
