"""rocktune-bench compare as a user starts it: on a tiny scenario, stopped at any moment and gone on with, refused where runs
could not be compared."""

import json
import shutil
import signal
import subprocess
import unittest

from bench_support import children, running
from support import BIN, PATIENCE, World, wait_for

SCENARIO = """
name: tiny
description: "A tiny scenario"
objective: {{read_p99: 20ms, jobs: 2, first: read_p99}}
device: nvme-p41
scale: 64
databases:
  - name: main
    workload:
      records: {records}
      threads: 2
      phases: [{{name: run, seconds: {seconds}, workload: A, ops_per_second: 500}}]
    configuration: {{block_cache: 64MiB, write_buffer_size: 16MiB}}
"""


class Compare(World):
    def setUp(self):
        super().setUp()
        self.temporary = self.directory / "t"
        self.temporary.mkdir()
        self.output = self.directory / "out"

    def scenario(self, seconds=1.0, records=5000):
        path = self.directory / "tiny.yaml"
        path.write_text(SCENARIO.format(seconds=seconds, records=records))
        return path

    def compare(self, policies, *arguments, scenario=None):
        (self.directory / "compare.log").unlink(missing_ok=True)
        return self.spawn([BIN / "rocktune-bench", "compare", "--scenario", scenario or self.directory / "tiny.yaml", "--policies",
                           policies, "--output", self.output, *arguments], "compare.log", TMPDIR=str(self.temporary))

    def log(self):
        path = self.directory / "compare.log"
        return path.read_text() if path.exists() else ""

    def runs(self, pattern="*.json"):
        return sorted(path.name for path in self.output.glob(f"runs/{pattern}"))

    def run_file(self, name):
        return json.loads((self.output / "runs" / name).read_text())

    def interrupt(self, process):
        """Ctrl-C; afterwards nothing runs, and no copy of a database, device or socket is left."""
        started = children(process.pid)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(90), 130, self.log())
        self.assertEqual([pid for pid in started if running(pid)], [])
        self.assertEqual(list(self.output.glob("trials/*/db*")), [])
        self.assertEqual(list(self.temporary.iterdir()), [])

    def interrupt_load(self, policies):
        """Ctrl-C while the database is loaded; again, from the start, where the load was over before it came."""
        for attempt in range(3):
            if attempt:
                shutil.rmtree(self.output)
            process = self.compare(policies, "--repeat", 1)
            wait_for("the load", lambda: children(process.pid), 30)
            self.interrupt(process)
            if not list(self.output.glob("loaded-*/loaded.key")):
                return

    def test_stopped_at_any_moment_and_gone_on_with(self):
        policies = "static,native-auto-tuned,headroom"
        self.scenario(seconds=6, records=150000)

        with self.subTest("in the load"):
            self.interrupt_load(policies)
            self.assertEqual(list(self.output.glob("loaded-*")), [], "half a load is of no use")
            self.assertEqual(self.runs(), [])

        with self.subTest("in a run"):
            process = self.compare(policies, "--repeat", 1)
            wait_for("the first second of a run", lambda: " ops/s" in self.log(), 60)
            self.interrupt(process)
            loaded = list(self.output.glob("loaded-*/loaded.key"))
            self.assertEqual(len(loaded), 1)
            since = loaded[0].stat().st_mtime_ns
            self.assertEqual(len(self.runs("*.partial-1.json")), 1, self.runs())
            partial = self.run_file(self.runs()[0])
            self.assertTrue(partial["partial"] and partial["run"]["partial"])
            self.assertIn("signal", partial["run"]["partial_reason"])

        with self.subTest("between runs"):
            process = self.compare(policies, "--repeat", 1)
            wait_for("a finished run", lambda: self.runs("*-001.json"), 60, every=0.005)
            self.interrupt(process)
            finished = {name: (self.output / "runs" / name).stat().st_mtime_ns for name in self.runs("*-001.json")}
            self.assertLess(len(finished), 3)
            report = json.loads((self.output / "compare.json").read_text())
            self.assertEqual(sum(policy["runs"] for policy in report["policies"]), len(finished))

        with self.subTest("to the end"):
            self.assertEqual(self.compare(policies, "--repeat", 1).wait(240), 0, self.log())
            self.assertEqual(self.runs("*-001.json"), ["headroom-001.json", "native-auto-tuned-001.json", "static-001.json"])
            for name, time_ns in finished.items():
                self.assertEqual((self.output / "runs" / name).stat().st_mtime_ns, time_ns, "finished runs are not made again")
            self.assertEqual(loaded[0].stat().st_mtime_ns, since, "nor is the load")
            self.check_finished()

    def check_finished(self):
        tuned = self.run_file("headroom-001.json")
        self.assertGreater(tuned["daemon"]["cpu_seconds"], 0)
        self.assertGreaterEqual(tuned["daemon"]["changes"], 0)
        self.assertIn("policy: headroom", tuned["daemon"]["configuration"])
        static, native = self.run_file("static-001.json"), self.run_file("native-auto-tuned-001.json")
        self.assertIsNone(static["daemon"])
        self.assertIsNone(native["daemon"])
        self.assertEqual(static["options"], [])
        self.assertIn("auto_tuned_rate_limit=true", native["options"])
        # The same arrivals for all: as many came due.
        due = {run["run"]["databases"][0]["total"]["operations_done"] +
               run["run"]["databases"][0]["total"]["operations_never_started"] for run in (tuned, static, native)}
        # A run may end some 40 ms early or late: 20 of 500 a second.
        self.assertLessEqual(max(due) - min(due), 20 * PATIENCE, due)
        report = json.loads((self.output / "compare.json").read_text())
        self.assertEqual((report["seconds"], report["full"]), (None, False))
        self.assertRegex(report["programs_digest"], "^[0-9a-f]{16}$")
        self.assertEqual([policy["policy"] for policy in report["policies"]], ["static", "native-auto-tuned", "headroom"])
        self.assertEqual(sorted(entry["sequence"] for entry in report["order"]), list(range(1, len(self.runs()) + 1)))
        self.assertIn("headroom", (self.output / "compare.md").read_text())
        page = (self.output / "compare.html").read_text()
        self.assertIn("headroom, repeat 1", page)
        self.assertNotIn("src=\"http", page, "it opens without a network")
        self.check_standings()

    def check_standings(self):
        def standings(*arguments):
            return subprocess.run([BIN / "rocktune-bench", "standings", *arguments], capture_output=True, text=True, timeout=300)

        said = standings(self.output)
        self.assertEqual((said.returncode, said.stderr), (0, ""))
        self.assertIn("|  | static | native-auto-tuned | headroom |", said.stdout)
        self.assertIn("Where headroom is behind", said.stdout)
        self.assertRegex(said.stdout, "; build [0-9a-f]{16}\\.\n\n")
        nothing = standings(self.output, self.temporary)
        self.assertEqual((nothing.returncode, nothing.stdout), (1, ""))
        self.assertIn(f"{self.temporary}/compare.json", nothing.stderr)
        self.assertEqual(standings().returncode, 2)

    def test_extended_and_refused(self):
        self.scenario()
        self.assertEqual(self.compare("static", "--repeat", 1).wait(60), 0, self.log())
        first = self.run_file("static-001.json")
        self.assertEqual(self.compare("static,native-auto-tuned", "--repeat", 2).wait(60), 0, self.log())
        self.assertEqual(self.run_file("static-001.json"), first)
        self.assertEqual(self.runs(), ["native-auto-tuned-001.json", "native-auto-tuned-002.json", "static-001.json",
                                       "static-002.json"])
        # What is there is reported again, without a run.
        (self.output / "compare.html").unlink()
        self.assertEqual(self.compare("static", "--repeat", 2).wait(20), 0, self.log())
        self.assertTrue((self.output / "compare.html").exists())
        self.assertEqual(len(self.runs()), 4)

        shared = json.loads((self.output / "comparison.json").read_text())
        self.assertIn("rocksdb_assertions", shared["programs"])
        self.assertTrue([name for name in shared["programs"] if name.startswith("librocksdb")], shared["programs"])
        self.assertEqual(shared["scenario_parsed"]["databases"][0]["workload"]["records"], 5000)
        self.assertEqual(self.compare("static", "--repeat", 2, "--seconds", 2).wait(20), 1)
        self.assertIn("another length (--seconds)", self.log())
        self.assertEqual(self.compare("static", "--repeat", 3, "--device", "nvme-p41@1:0.5").wait(20), 1)
        self.assertIn("configuration or device", self.log())
        self.scenario(seconds=1.5)
        self.assertEqual(self.compare("static", "--repeat", 3).wait(20), 1)
        self.assertIn("another text of the scenario", self.log())
        self.assertEqual(len(self.runs()), 4)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_static_at_another_configuration(self):
        self.scenario()
        policies = "static,static@Mild-Pressure"
        self.assertEqual(self.compare(policies, "--repeat", 1).wait(60), 0, self.log())
        self.assertEqual(self.runs(), ["static-001.json", "static@Mild-Pressure-001.json"])
        own, other = (self.run_file(name)["run"]["databases"][0]["configuration"] for name in self.runs())
        self.assertEqual(other["name"], "Mild-Pressure")
        self.assertEqual(other["write_buffer_size_bytes"], 32 * 2**20 // 64)
        self.assertEqual(own["write_buffer_size_bytes"], 16 * 2**20 // 64)
        self.assertEqual(len(list(self.output.glob("loaded-*"))), 2, "each from a tree of its own configuration")
        report = json.loads((self.output / "compare.json").read_text())
        (yardstick,) = report["yardsticks"]
        self.assertEqual(yardstick["reference"], "static@Mild-Pressure")
        ratios = {one["policy"]: one["figures"]["ops_per_second"] for one in yardstick["policies"]}
        self.assertGreater(ratios["static"]["ratio"]["of_medians"], 0)
        self.assertEqual(ratios["static@Mild-Pressure"]["verdict"], "reference")
        self.assertIn("Ratio to static@Mild-Pressure", (self.output / "compare.md").read_text())
        # What is there is not made again.
        self.assertEqual(self.compare(policies, "--repeat", 1).wait(20), 0, self.log())
        self.assertNotIn("run 1 of", self.log())

    def test_best_static_is_searched_and_recorded(self):
        self.scenario(seconds=0.5, records=2000)
        process = self.compare("static,best-static", "--repeat", 1)
        wait_for("a part of the search", lambda: self.log().count("  round 1, ") >= 2, 60)
        self.interrupt(process)
        search = json.loads((self.output / "search.json").read_text())
        self.assertIsNone(search["best"])
        before = search["runs"]
        self.assertGreaterEqual(len(before), 1)
        self.assertEqual(self.compare("static,best-static", "--repeat", 1).wait(180), 0, self.log())
        search = json.loads((self.output / "search.json").read_text())
        self.assertEqual(search["runs"][:len(before)], before)
        options = {setting["name"]: setting["options"] for setting in search["settings"]}
        self.assertEqual(self.run_file("best-static-001.json")["options"], options[search["best"]])
        rounds = [run["round"] for run in search["runs"]]
        self.assertEqual(rounds, sorted(rounds))
        self.assertEqual(rounds.count(0), len(options))
        # The candidates of the last round take turns, the scenario's own options among them.
        last = [(run["setting"], run["repeat"]) for run in search["runs"] if run["round"] == 2]
        candidates = [setting for setting, repeat in last if repeat == 1]
        self.assertIn("as configured", candidates)
        self.assertEqual(last, [(setting, repeat) for repeat in (1, 2, 3) for setting in candidates])

    def test_killed_it_takes_its_children_along_and_the_next_call_cleans_up(self):
        self.scenario(seconds=20)
        process = self.compare("headroom", "--repeat", 1)
        wait_for("the run", lambda: " ops/s" in self.log(), 30)
        started = children(process.pid)
        self.assertGreaterEqual(len(started), 2, "the run and its daemon")
        process.kill()
        process.wait()
        wait_for("its children to end", lambda: not any(running(pid) for pid in started), 30)
        process = self.compare("headroom", "--repeat", 1)
        wait_for("the next run", lambda: " ops/s" in self.log(), 30)
        for path in self.temporary.iterdir():  # of the killed one: nobody was left to remove it
            self.assertTrue(path.name.startswith("rocktune."))
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(90), 130, self.log())
        self.assertEqual(list(self.output.glob("trials/*/db*")), [])

    def test_usage(self):
        self.scenario()
        self.assertEqual(self.compare("static,none-such").wait(10), 2)
        for name in ("none-such", "best-static", "native-auto-tuned", "headroom"):
            self.assertIn(name, self.log())
        self.assertEqual(self.compare("static", scenario="no-such-scenario").wait(10), 2)
        self.assertIn("no-such-scenario", self.log())
        self.assertEqual(self.compare("static", "--device", "loop:none-such").wait(10), 2)
        self.assertIn("--device: ", self.log())
        self.output.mkdir()
        (self.output / "notes.txt").write_text("mine")
        self.assertEqual(self.compare("static").wait(10), 1)
        self.assertIn("holds no comparison", self.log())
        self.assertEqual([path.name for path in self.output.iterdir()], ["notes.txt"])


if __name__ == "__main__":
    unittest.main()
