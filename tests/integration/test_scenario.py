"""rocktune-bench run --scenario: several databases in one process on one device, and Ctrl-C in the middle."""

import json
import os
import pathlib
import signal
import unittest

from support import BIN, World, wait_for

SCENARIO = """
name: neighbours
objective: {read_p99: 20ms, jobs: 4, first: read_p99}
device: nvme-p41
scale: 64
databases:
  - name: front
    workload:
      records: 5000
      threads: 2
      phases:
        - {name: paced, seconds: SECONDS, workload: B, ops_per_second: {from: 200, to: 600}}
    configuration: ReadOpt-512MB
  - name: back
    workload:
      records: 5000
      threads: 2
      wal: off
      value_size: {kind: uniform, min: 100, max: 1000}
      families: [{name: hot, share: 0.2}, {name: cold, share: 0.8}]
      phases:
        - name: all
          seconds: SECONDS
          proportions: {read: 0.3, update: 0.2, insert: 0.1, scan: 0.1, delete: 0.1, read_missing: 0.1, read_modify_write: 0.1}
          distribution: {kind: hot_set, shift_every_seconds: 1}
          ops_per_second: 500
    configuration: {base: Baseline, families: {cold: {compaction_style: universal}}}
full: {databases: [{name: front, records: 6000}]}
"""


class Scenario(World):
    def setUp(self):
        super().setUp()
        self.temporary = self.directory / "t"
        self.temporary.mkdir()

    def start(self, seconds, *arguments):
        scenario = self.directory / "s.yaml"
        scenario.write_text(SCENARIO.replace("SECONDS", str(seconds)))
        return self.spawn([BIN / "rocktune-bench", "run", "--scenario", scenario, "--json", self.directory / "result.json",
                           *arguments], "bench.log", TMPDIR=str(self.temporary), ROCKTUNE_AGENT_DIR=str(self.agents))

    def log(self):
        return (self.directory / "bench.log").read_text()

    def result(self):
        return json.loads((self.directory / "result.json").read_text())

    def test_two_databases_on_one_device(self):
        process = self.start(4, "--db", self.directory / "db")
        self.assertEqual(process.wait(60), 0, self.log())
        result = self.result()
        self.assertFalse(result["partial"])
        self.assertEqual(result["scenario"]["name"], "neighbours")
        self.assertEqual(result["objective"]["limits"][0]["limit_us"], 20000)
        front, back = result["databases"]
        self.assertEqual((front["name"], back["name"]), ("front", "back"))
        # Open loop: as many operations as the schedule has, begun or not.
        for database, planned in ((front, 1600), (back, 2000)):
            total = database["total"]
            scheduled = total["operations_done"] + total["operations_never_started"]
            self.assertAlmostEqual(scheduled, planned, delta=2 * database["workload"]["threads"])
            self.assertNotIn("any_moment_p99_us", total["operations"]["read"], "each had its due time")
        self.assertEqual(len(back["total"]["operations"]), 7, "every kind occurs")
        self.assertGreater(back["total"]["reads_not_found"], 0, "deleted records are gone")
        self.assertEqual(front["total"]["reads_not_found"], 0)
        families = back["total"]["families"]
        hot, cold = families["hot"], families["cold"]
        self.assertEqual(hot["operations_done"] + cold["operations_done"], back["total"]["operations_done"])
        self.assertGreater(hot["operations_done"], 0)
        self.assertEqual(result["device"]["label"], "emulated device")
        self.assertGreater(result["device"]["total"]["read_bytes"] + result["device"]["total"]["write_bytes"], 0)
        # The one device is found beside each database's directory while it runs, and not afterwards.
        for name in ("front.device", "back.device"):
            self.assertFalse(os.path.lexists(self.directory / "db" / name))

    def test_the_same_seed_asks_for_the_same(self):
        scheduled, kinds, never_started = [], [], 0
        for name in ("a", "b"):
            process = self.start(3, "--db", self.directory / name)
            self.assertEqual(process.wait(60), 0, self.log())
            total = self.result()["databases"][1]["total"]
            scheduled.append(total["operations_done"] + total["operations_never_started"])
            kinds.append({kind: each["count"] for kind, each in total["operations"].items()})
            never_started += total["operations_never_started"]
        # On a busy machine not all that was due has begun; due it was in both.
        self.assertEqual(scheduled[0], scheduled[1])
        for kind in kinds[0]:
            self.assertAlmostEqual(kinds[0][kind], kinds[1][kind], delta=never_started)

    def test_ctrl_c_in_the_middle(self):
        process = self.start(60)
        wait_for("both databases at work", lambda: "front paced" in self.log() and "back all" in self.log(), 40)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(20), 130, self.log())
        result = self.result()
        self.assertTrue(result["partial"])
        for database in result["databases"]:
            self.assertGreater(database["total"]["operations_done"], 0)
            self.assertLess(database["total"]["seconds"], 40)
        self.assertEqual(list(self.temporary.iterdir()), [], "the databases and the device are gone")
        self.assertEqual(list(pathlib.Path(self.agents).glob("*.sock")), [])

    def test_full_and_bad_input(self):
        process = self.start(3, "--db", self.directory / "db", "--full")
        self.assertEqual(process.wait(60), 0, self.log())
        result = self.result()
        self.assertTrue(result["scenario"]["full"])
        self.assertEqual([d["workload"]["records"] for d in result["databases"]], [6000, 5000])
        # Loaded otherwise: refused by name.
        process = self.start(3, "--db", self.directory / "db")
        self.assertEqual(process.wait(20), 1)
        self.assertIn("database front", self.log())
        self.assertIn("was loaded with 6000 records", self.log())
        bad = self.directory / "bad.yaml"
        bad.write_text("name: x\ndevise: none\ndatabases: [{name: a, workload: nope, configuration: Baseline}]\n")
        process = self.spawn([BIN / "rocktune-bench", "run", "--scenario", bad], "bad.log")
        self.assertEqual(process.wait(10), 2)
        text = (self.directory / "bad.log").read_text()
        self.assertIn("bad.yaml:2:1: devise: is not known here", text)
        self.assertIn("bad.yaml:3:33: databases[0].workload: 'nope' is no built-in", text)


if __name__ == "__main__":
    unittest.main()
