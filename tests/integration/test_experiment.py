"""rocktune-bench experiment as a user starts it: tables, going on where one stopped, Ctrl-C, and refusals."""

import json
import signal
import subprocess
import unittest

from bench_support import children, running
from support import BIN, World, wait_for

SMALL = """
name: small
title: a small one
source: source 000
repeat: 2
parts:
  - name: caches
    device: nvme-p41
    workload:
      value_size: 500
      phases: [{name: run, seconds: 1, proportions: {read: 0.5, update: 0.5}}]
    scaled: {scale: 64, records: 5000, threads: 2, seconds: SECONDS, says: [everything is small]}
    full: {scale: 64, records: 6000, threads: 2, seconds: 2}
    metrics: [throughput, read_mean, write_amplification]
    reference: small
    cases:
      - {name: small, configuration: {block_cache: 256KiB}}
      - {name: large / no filter, configuration: Baseline, set: {block_cache: 4MiB}}
    document: {throughput: {large / no filter: 1.5}}
    rules:
      - {says: every read takes time, metric: read_mean, case: small, at_least: 0.0001}
      - {says: nothing is a million times as fast, metric: throughput, case: small, at_least: 1000000, times: large / no filter}
    differences: [it is small]
"""


class Experiment(World):
    def setUp(self):
        super().setUp()
        self.output = self.directory / "out"

    def describe(self, seconds=1, text=SMALL):
        path = self.directory / "small.yaml"
        path.write_text(text.replace("SECONDS", str(seconds)))
        return path

    def command(self, *arguments):
        return [BIN / "rocktune-bench", "experiment", self.directory / "small.yaml", "--output", self.output, *arguments]

    def experiment(self, *arguments):
        return subprocess.run([str(a) for a in self.command(*arguments)], capture_output=True, text=True, timeout=300, check=False)

    def runs(self):
        return {path: path.stat().st_mtime_ns for path in self.output.glob("runs/*/*/*/run.json")}


class Tables(Experiment):
    def test_rounds_are_added_to_what_is_finished_and_nothing_else_stays(self):
        self.describe()
        first = self.experiment("--repeat", "1", "--json")
        self.assertEqual(first.returncode, 0, first.stderr)
        report = json.loads(first.stdout)
        self.assertEqual(report["schema"], "rocktune-experiment/1")
        part = report["parts"][0]
        self.assertEqual((part["runs_done"], part["runs_partial"]), (2, 0))
        self.assertIn("emulated device", part["label"])
        self.assertEqual([v["answer"] for v in part["verdicts"]], ["reproduced", "not reproduced"])
        case = part["cases"][1]["metrics"]["throughput"]
        self.assertEqual(case["document_over_reference"], 1.5)
        self.assertGreater(case["over_reference"]["median"], 0)
        before = self.runs()
        self.assertEqual(len(before), 2)

        second = self.experiment("--repeat", "2")
        self.assertEqual(second.returncode, 0, second.stderr)
        self.assertIn("NOT reproduced (0 of 2 rounds)", second.stdout)
        self.assertIn("everything is small", second.stdout)
        after = self.runs()
        self.assertEqual(len(after), 4)
        self.assertEqual(before, {path: after[path] for path in before}, "finished runs are not made again")
        self.assertFalse((self.output / "work").exists(), "loaded databases are removed")
        self.assertEqual(list(self.output.glob("runs/*/*/*/db")), [])

        shown = self.experiment("--report")
        self.assertEqual(shown.returncode, 0, shown.stderr)
        self.assertIn("4 of 4 runs finished", shown.stdout)
        self.assertEqual(self.runs(), after)

    def test_another_question_is_refused(self):
        self.describe()
        self.assertEqual(self.experiment("--repeat", "1").returncode, 0)
        other = self.experiment("--repeat", "1", "--full")
        self.assertEqual(other.returncode, 2)
        self.assertIn("different: size", other.stderr)
        self.assertIn("take another --output", other.stderr)
        asked = self.output / "experiment.json"
        question = json.loads(asked.read_text())
        question["programs"]["rocktune-bench"] = "another build"
        question["machine"]["cpus"] = 999
        asked.write_text(json.dumps(question))
        other = self.experiment("--repeat", "1")
        self.assertEqual(other.returncode, 2)
        self.assertRegex(other.stderr, "different: (machine, programs|programs, machine)")

    def test_one_at_a_time(self):
        self.describe(seconds=20)
        process = self.spawn([str(a) for a in self.command("--repeat", "1")], "bench.log")
        wait_for("its question", lambda: (self.output / "experiment.json").exists(), 30)
        second = self.experiment("--repeat", "1")
        self.assertEqual(second.returncode, 2)
        self.assertIn("another rocktune-bench experiment works in it", second.stderr)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(90), 130)

    def test_mistakes_are_shown_at_once_and_start_nothing(self):
        self.describe(text=SMALL.replace("reference: small", "reference: tiny").replace("block_cache: 256KiB", "block_cash: 1"))
        done = self.experiment()
        self.assertEqual(done.returncode, 2)
        self.assertIn("'tiny' is no case", done.stderr)
        self.assertIn("block_cash", done.stderr)
        self.assertFalse(self.output.exists())
        self.describe()
        self.assertEqual(self.experiment("--part", "none").returncode, 2)


class Stopped(Experiment):
    def reads_of_the_run(self):
        return sum(int(stat.read_text().split()[0]) for stat in self.output.glob("runs/*/*/1/db.device/stat"))

    def stop(self):
        self.describe(seconds=20)
        process = self.spawn([str(a) for a in self.command("--repeat", "1")], "bench.log")
        # More than there are blocks: the database is not just being opened.
        wait_for("the run", lambda: self.reads_of_the_run() > 1000, 60)
        started = children(process.pid)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertFalse([pid for pid in started if running(pid)], "no child is left")
        self.assertFalse((self.output / "work").exists())
        self.assertEqual(list(self.output.glob("runs/*/*/*/db*")), [], "no copy, no device is left")
        report = json.loads((self.output / "report.json").read_text())
        self.assertTrue(report["partial"])
        return report["parts"][0]

    def test_a_stopped_run_is_kept_marked_and_made_anew_later(self):
        part = self.stop()
        self.assertEqual((part["runs_done"], part["runs_partial"]), (0, 1))
        partial = list(self.runs())
        self.assertEqual(len(partial), 1)
        self.assertTrue(json.loads(partial[0].read_text())["partial"])

    def test_a_stop_while_loading_leaves_no_run(self):
        self.describe(seconds=20)
        text = (self.directory / "small.yaml").read_text().replace("records: 5000", "records: 3000000")
        (self.directory / "small.yaml").write_text(text)
        process = self.spawn([str(a) for a in self.command("--repeat", "1")], "bench.log")
        wait_for("the load", lambda: list(self.output.glob("work/loaded-*/db/CURRENT")), 60)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(60), 130)
        self.assertEqual(self.runs(), {})
        self.assertFalse((self.output / "work").exists())


if __name__ == "__main__":
    unittest.main()
