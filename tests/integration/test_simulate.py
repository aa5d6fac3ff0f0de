"""rocktune simulate and rocktune validate on the recorded traces of tests/data, and on what is none; on scenarios."""

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
    return subprocess.run([BIN / "rocktune", *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)


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
                if figure["median"] is None:  # of reads, which have no device to wait for
                    self.assertIsNone(document["device"])
                    continue
                self.assertLessEqual(figure["p5"], figure["median"])
                self.assertLessEqual(figure["median"], figure["p95"])
        self.assertTrue(all(math.isfinite(number) for number in numbers(document)))
        self.assertTrue(0 <= document["concordance"] <= 1)

        text = rocktune(*command[:-1]).stdout
        self.assertIn("headroom", text)
        self.assertIn("does not foretell", text)
        self.assertNotRegex(text, r"\bnan\b|\binf\b")

    def test_whole_calibrates_on_all_of_the_run(self):
        def rates(*options):
            result = rocktune("simulate", self.calm, "--seeds", 1, "--policies", "static", "--json", *options)
            self.assertEqual(result.returncode, 0, result.stderr)
            return json.loads(result.stdout)["calibration"].split(";")[0]

        self.assertNotEqual(rates("--whole"), rates("--calibrate-until", 60))
        both = rocktune("simulate", self.calm, "--whole", "--calibrate-until", 30)
        self.assertEqual(both.returncode, 2)
        self.assertIn("excludes", both.stderr)

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

    def test_all_recorded_runs_are_repeated_as_well_as_the_document_says(self):
        """docs/evaluation.md has these figures."""
        runs = sorted(DATA.glob("*.trace.gz"))
        self.assertGreaterEqual(len(runs), 30)
        for run in runs:
            (self.folder / run.stem).write_bytes(gzip.decompress(run.read_bytes()))
        traces = [self.folder / run.stem for run in runs]
        result = rocktune("validate", *traces, "--calibrate-until", 120, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        self.assertGreaterEqual(document["stall_right"], 27)
        self.assertLess(document["all"]["ingest_error_median"], 0.02)
        self.assertLess(document["stalling"]["ingest_error_median"], 0.10)
        self.assertLess(document["all"]["stalled_ratio_off_mean"], 0.06)

    def test_what_a_run_did_not_show_is_assumed_and_a_full_device_is_learnt(self):
        tide = self.folder / "tide.trace"
        tide.write_bytes(gzip.decompress((DATA / "tide-24-1.trace.gz").read_bytes()))
        result = rocktune("simulate", tide, "--whole", "--seeds", 2, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        document = json.loads(result.stdout)
        self.assertEqual(document["device"]["origin"], "learnt")
        self.assertAlmostEqual(document["device"]["read"]["iops"], 1200, delta=120)  # devices/volume-24.yaml
        self.assertEqual(document["ranked_by"], "read_p99")
        assumed = {one["parameter"]: one["factor"] for one in document["assumed"]}
        self.assertGreater(assumed["l0_bytes_per_second"], 4)  # nothing was compacted
        self.assertNotIn("flush_bytes_per_second", assumed)
        # Writers stalled here, and the device was never full.
        stalled = json.loads(rocktune("simulate", self.stall, "--seeds", 2, "--json").stdout)
        self.assertIsNone(stalled["device"])
        self.assertEqual(stalled["ranked_by"], "stall_seconds")
        self.assertEqual(stalled["policies"][1]["best_ratio"], 1)
        refused = rocktune("simulate", tide, "--device", DATA / "devices" / "volume-24.yaml")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("is a device for rocktune-bench", refused.stderr)
        self.assertEqual(len(refused.stderr.strip().splitlines()), 1, refused.stderr)

    def test_a_database_that_was_there_too_short_is_left_out(self):
        two = self.folder / "two.trace"
        shutil.copy(self.calm, two)
        with sqlite3.connect(two) as connection:  # 39 s of the same, as a second database
            connection.execute("insert into targets select 2, 'short', '/short', mode, engine from targets")
            columns = [row[1] for row in connection.execute("pragma table_info(samples)")]
            values = ", ".join({"id": "null", "target": "2"}.get(one, f'"{one}"') for one in columns)
            connection.execute(f"insert into samples select {values} from samples where sequence <= 40")
        connection.close()
        for command in (("simulate",), ("simulate", "--target", "calm-24-1"), ("validate", "--calibrate-until", 60)):
            with self.subTest(command=command):
                result = rocktune(*command, two, "--seeds", 1)
                self.assertEqual(result.returncode, 0, result.stderr)
                self.assertIn("two/calm-24-1" if command[0] == "simulate" else "of 1 run", result.stdout)
                said = "" if "--target" in command else (
                    f"rocktune: {command[0]}: left out: run two/short: it is not longer than the part that calibrates, 60 s (it lasts 39 s)\n")
                self.assertEqual(result.stderr, said)
        alone = rocktune("simulate", two, "--target", "short")
        self.assertEqual(alone.returncode, 1)
        self.assertEqual(alone.stdout, "")
        self.assertIn("run two/short: it is not longer than the part that calibrates, 60 s (it lasts 39 s): shorten that", alone.stderr)

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
            ((self.calm, "--calibrate-until", 100000), 1, "not longer than the part that calibrates"),
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


SMALL = """
name: small
objective: {{read_p99: 5ms, jobs: 4, first: read_p99}}
device: nvme-p41
scale: 64
databases:
  - name: main
    workload:
      records: 20000
      phases:
        - {{name: run, seconds: 10, workload: A, ops_per_second: 1000}}
    configuration: {{base: Mild-Pressure{options}}}
full:
  databases: [{{name: main, workload: {{records: 40000}}}}]
"""


class SimulateScenario(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = pathlib.Path(tempfile.mkdtemp(prefix="rt-simulate-"))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def scenario(self, text, name="small.yaml"):
        path = self.folder / name
        path.write_text(text)
        return path

    def documents(self, *arguments):
        result = rocktune("simulate", "--scenario", *arguments, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_a_built_in_says_that_nothing_was_calibrated_and_what_is_assumed(self):
        command = ("simulate", "--scenario", "write-burst", "--policies", "static,headroom,silk", "--seeds", 3, "--cpus", 2)
        result = rocktune(*command, "--json")
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stdout, rocktune(*command, "--json").stdout)
        document = json.loads(result.stdout)
        self.assertEqual(document["schema"], "rocktune-simulate/1")
        self.assertEqual(document["name"], "write-burst")
        self.assertIsNone(document["calibrated_on"])
        self.assertIn("nothing was calibrated on a run", document["claims"])
        assumed = {one["parameter"]: one for one in document["assumed"]}
        for rate in ("flush_bytes_per_second", "l0_bytes_per_second", "deep_bytes_per_second"):
            self.assertGreater(assumed[rate]["factor"], 4)
        self.assertEqual([one["policy"] for one in document["policies"]], ["static", "headroom", "silk"])
        for one in document["policies"]:
            self.assertEqual(len(one["figures"]["read_p99_seconds"]["seeds"]), 3)
            self.assertGreater(one["figures"]["operations_per_second"]["median"], 0)
        self.assertTrue(all(math.isfinite(number) for number in numbers(document)))

        text = rocktune(*command).stdout
        self.assertIn("NOT CALIBRATED", text)
        self.assertIn("within a factor of 4.055", text)
        self.assertIn("nothing was calibrated on a run", text)
        self.assertNotIn("Calibrated on the run", text)

        saved = self.folder / "result.json"
        saved.write_text(result.stdout)
        page = rocktune("report", saved, "-o", self.folder / "result.html")
        self.assertEqual(page.returncode, 0, page.stderr)
        self.assertIn("Calibrated on no run", (self.folder / "result.html").read_text())

    def test_databases_share_the_device_and_one_can_be_asked_for(self):
        both = self.documents("two-databases", "--policies", "static", "--seeds", 1)
        self.assertEqual([one["name"] for one in both], ["two-databases/front", "two-databases/back"])
        self.assertEqual(both[0]["together_with"], ["two-databases/back"])
        self.assertEqual(self.documents("two-databases", "--policies", "static", "--seeds", 1, "--target", "front"), both[:1])

    def test_an_alert_log_tells_what_the_policy_did_and_why(self):
        log = self.folder / "simulated.jsonl"
        command = ("simulate", "--scenario", "two-databases", "--policies", "static,headroom", "--seeds", 2, "--json", "--alert-log", log)
        result = rocktune(*command)
        self.assertEqual(result.returncode, 0, result.stderr)
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        self.assertEqual(sorted(lines, key=lambda line: line["time"]), lines)
        self.assertEqual({line["target"] for line in lines}, {"front", "back"})
        applied = {}
        for line in lines:
            if line["kind"] == "actuation":
                self.assertEqual(line["status"], "applied")
                applied[line["target"]] = applied.get(line["target"], 0) + 1
        for document in map(json.loads, result.stdout.splitlines()):
            changes = document["policies"][1]["figures"]["changes"]["seeds"][1]  # the last policy's, with the last seed
            self.assertEqual(changes, applied.get(document["name"].split("/")[1], 0))
        self.assertGreater(sum(applied.values()), 0)
        told = rocktune("explain", "--log", log)
        self.assertEqual(told.returncode, 0, told.stderr)
        self.assertIn("applied", told.stdout)
        self.assertEqual(rocktune("alerts", log).returncode, 0)
        refused = rocktune("simulate", "--scenario", "steady", "--alert-log", self.folder)
        self.assertEqual(refused.returncode, 2)
        self.assertIn("is a directory", refused.stderr)

    def test_a_file_of_ones_own_and_what_of_it_is_left_out(self):
        (plain,) = self.documents(self.scenario(SMALL.format(options="")), "--policies", "static", "--seeds", 1)
        self.assertEqual(plain["name"], "small")
        of_device = ["device: sync_latency_us", "device: write_latency_us"]
        self.assertEqual(plain["not_simulated"], of_device)
        done = plain["policies"][0]["figures"]["operations_per_second"]["median"]
        self.assertAlmostEqual(done, 1000, delta=50)
        odd = self.scenario(SMALL.format(options=", rocksdb_options: {bytes_per_sync: 1MB}"))
        (document,) = self.documents(odd, "--policies", "static", "--seeds", 1, "--full", "--rocksdb", "9.1")
        self.assertEqual(document["not_simulated"], ["bytes_per_sync", *of_device])
        self.assertIn("bytes_per_sync", rocktune("simulate", "--scenario", odd, "--policies", "static", "--seeds", 1).stdout)

    def test_mistakes_are_named(self):
        bad = self.scenario(SMALL.format(options=", block_cash: 1MB").replace("records: 20000", "records: many"), "bad.yaml")
        universal = self.scenario(SMALL.format(options=", compaction_style: universal"), "universal.yaml")
        trace = self.folder / "none.trace"
        for arguments, code, said in (
            (("--scenario", "write-brust"), 2, ("write-brust", "write-burst", "steady", "two-databases")),
            (("--scenario", self.folder / "none.yaml"), 2, ("none.yaml: No such file",)),
            (("--scenario", bad), 2, ("bad.yaml:9:16: databases[0].workload.records: 'many'", "block_cash: is not known here")),
            (("--scenario", universal), 1, ("scenario small: database main", "not leveled")),
            (("--scenario", "steady", "--policies", "no-such"), 2, ("no-such",)),
            (("--scenario", "steady", "--target", "no-such"), 2, ("it has: main",)),
            (("--scenario", "steady", "--rocksdb", "new"), 2, ("is no version",)),
            (("--scenario", "steady", trace), 2, ("excludes",)),
            (("--scenario", "steady", "--whole"), 2, ("excludes",)),
            ((trace, "--cpus", 2), 2, ("--scenario",)),
            ((trace, "--memory", "8GiB"), 2, ("--scenario",)),
            (("--scenario", "write-burst", "--memory", "8"), 2, ("--memory",)),
            ((), 2, ("--scenario",)),
        ):
            with self.subTest(arguments=arguments):
                result = rocktune("simulate", *arguments)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertEqual(result.stdout, "")
                for part in said:
                    self.assertIn(part, result.stderr)


if __name__ == "__main__":
    unittest.main()
