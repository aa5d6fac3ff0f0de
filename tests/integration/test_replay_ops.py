"""rocktune replay-ops: what was recorded of a real db_bench is done again, to the same contents and at the same pace."""

import hashlib
import json
import shutil
import signal
import subprocess
import time
import unittest

from agent_support import AgentWorld
from support import BIN, needs_db_bench, request, wait_for

LDB = shutil.which("ldb")
LOAD = ("--benchmarks=readrandomwriterandom", "--readwritepercent=50", "--duration=3", "--num=5000", "--value_size=200",
        "--compression_type=none", "--threads=2", "--write_buffer_size=262144", "--benchmark_write_rate_limit=1000000",
        "--seed=7")


@needs_db_bench
@unittest.skipUnless(LDB, "ldb (package rocksdb-tools) is not installed")
class ReplayOps(AgentWorld):
    def setUp(self):
        super().setUp()
        self.recording = self.directory / "recording"

    def record_a_run(self, *more):
        """A run of db_bench recorded to its end."""
        host = self.db_bench(*LOAD, *more)
        self.served_by(host)
        wait_for("the database", lambda: self.databases(host))
        recorded = self.rocktune("record-ops", "db", "--agent-dir", self.agents, "-o", self.recording, check=False)
        self.assertEqual(recorded.returncode, 1, recorded.stderr)  # ended early: the database was closed
        self.assertEqual(host.wait(20), 0)
        manifest = json.loads((self.recording / "manifest.json").read_text())
        self.assertEqual(manifest["why_ended"], "closing")
        return manifest

    def contents(self, database):
        scanned = subprocess.run([LDB, f"--db={database}", "--hex", "scan"], capture_output=True, check=True, timeout=300)
        self.assertGreater(scanned.stdout.count(b"\n"), 100)
        return hashlib.sha256(scanned.stdout).hexdigest()

    def copy_of_checkpoint(self, name):
        copy = self.directory / name
        shutil.copytree(self.recording / "checkpoint", copy)
        return copy

    def start_replay(self, database, output):
        return self.spawn([BIN / "rocktune-bench", "replay-ops-host", "--recording", self.recording, "--db", database,
                           "--threads", "8", "--json", output, "--progress", "lines"], "replay.log",
                          ROCKTUNE_AGENT_DIR=str(self.agents))

    def replayed(self, name, meanwhile=lambda process: None):
        """(the copy that it was done on, the result)"""
        copy, output = self.copy_of_checkpoint(name), self.directory / f"{name}.json"
        process = self.start_replay(copy, output)
        meanwhile(process)
        self.assertEqual(process.wait(60), 0, (self.directory / "replay.log").read_text())
        return copy, json.loads(output.read_text())

    def test_the_same_contents_at_the_same_pace(self):
        self.record_a_run()
        copy, result = self.replayed("again")
        self.assertEqual(self.contents(copy), self.contents(self.directory / "db"))
        replay, total = result["replay"], result["databases"][0]["total"]
        self.assertEqual(total["operations_done"], replay["operations"])
        self.assertGreater(replay["operations"], 1000)
        self.assertGreater(replay["writing_threads"], 1)
        self.assertGreater(replay["seconds"], replay["recorded_seconds"] - 0.1, "nothing is done before it is due")
        self.assertLess(replay["seconds"], 30 * replay["recorded_seconds"], "nor at another pace, however slow the machine")
        self.assertEqual(result["rung"], "real_replay")
        self.assertIn("not what the application would have asked for", result["claims"].lower())

    def test_latency_counts_from_when_an_operation_was_due(self):
        self.record_a_run("--duration=8")

        def pause(process):
            wait_for("its first second", lambda: "ops/s" in (self.directory / "replay.log").read_text())
            process.send_signal(signal.SIGSTOP)
            time.sleep(1.5)  # a fifth of the run: its 95th percentile is in it
            process.send_signal(signal.SIGCONT)

        copy, result = self.replayed("paused", pause)
        self.assertEqual(self.contents(copy), self.contents(self.directory / "db"))
        operations = result["databases"][0]["total"]["operations"]
        for kind in ("read", "update"):
            self.assertGreater(operations[kind]["max_us"], 500_000, kind)
            # Whoever timed each operation from its own begin would see one late one per thread.
            self.assertGreater(operations[kind]["p95_us"], 50_000, kind)

    def test_each_policy_on_a_copy_of_its_own(self):
        self.record_a_run()
        before = self.contents(self.copy_of_checkpoint("before"))
        output = self.directory / "out"
        command = ("replay-ops", self.recording, "--policies", "static,headroom", "--repeat", 1, "--speed", 2, "--threads", 4,
                   "-o", output, "--json")
        summary = json.loads(self.rocktune(*command).stdout)
        self.assertEqual(summary["rung"], "real_replay")
        self.assertIn("would have met", summary["claims"])
        self.assertIn("at 2 times the pace at which they were recorded", summary["claims"])
        markdown = (output / "compare.md").read_text()
        for known in (summary["claims"], "(writing_threads)", "(operations_not_replayed): 0.", "(recorded_reads_left_out): 0."):
            self.assertIn(known, markdown)
        self.assertEqual([entry["policy"] for entry in summary["policies"]], ["static", "headroom"])
        runs = {path.name: json.loads(path.read_text()) for path in (output / "runs").glob("*.json")}
        self.assertEqual(set(runs), {"static-001.json", "headroom-001.json"})
        self.assertTrue(runs["headroom-001.json"]["run"]["databases"][0]["agent"].startswith("serving on"))
        done = {run["run"]["databases"][0]["total"]["operations_done"] for run in runs.values()}
        self.assertEqual(len(done), 1, "both did the same operations")
        self.assertTrue(list((output / "trials" / "headroom-1" / "trace").glob("*.sqlite")))
        self.assertFalse(list(output.glob("trials/*/db")), "the copies are gone")
        self.assertTrue((output / "compare.html").is_file())
        self.assertEqual(self.contents(self.copy_of_checkpoint("after")), before, "the checkpoint is as it was")
        written = {path: path.stat().st_mtime_ns for path in (output / "runs").glob("*.json")}
        self.rocktune(*command)  # goes on where it ended: nothing is left to do
        self.assertEqual({path: path.stat().st_mtime_ns for path in (output / "runs").glob("*.json")}, written)

    def test_what_was_tuned_is_replayed_as_it_was_found(self):
        host = self.db_bench(*LOAD, "--duration=6", "--write_buffer_size=2097152", "--max_background_jobs=2",
                             "--rate_limiter_bytes_per_sec=16777216")
        path = self.served_by(host)
        database = wait_for("the database", lambda: self.databases(host))[0]["id"]
        self.assertEqual(request(path, "POST", f"/v1/dbs/{database}/lease", {"holder": "a", "seconds": 60})[0], 200)
        turned = (("write_buffer_size", "default", 4 << 20), ("max_background_jobs", "", 4), ("rate_limiter_bytes_per_second", "", 1 << 26))
        changes = [{"id": str(number), "knob": knob, "column_family": family, "value": value}
                   for number, (knob, family, value) in enumerate(turned)]
        status, body = request(path, "POST", f"/v1/dbs/{database}/changes", {"holder": "a", "changes": changes})
        self.assertEqual((status, {one["status"] for one in body["results"]}), (200, {"applied"}), body)
        self.rocktune("record-ops", "db", "--agent-dir", self.agents, "-o", self.recording, "--seconds", "1")
        manifest = json.loads((self.recording / "manifest.json").read_text())
        self.assertEqual(manifest["found_knobs"], {"": {"max_background_jobs": 2}, "default": {"write_buffer_size": 2097152}})
        self.assertEqual(manifest["rate_limit_bytes_per_second"], 16777216)
        recorded = (self.recording / manifest["options_file"]).read_text()
        self.assertIn("write_buffer_size=4194304", recorded)
        copy, _ = self.replayed("found")
        options = max(copy.glob("OPTIONS-*")).read_text()
        self.assertIn("\n  write_buffer_size=2097152\n", options)
        self.assertIn("\n  max_background_jobs=2\n", options)

    def test_a_recording_that_is_not_whole_is_not_replayed(self):
        recorded = self.record_a_run()["bytes"]
        trace, output = self.recording / "ops.trace", self.directory / "out"
        whole = trace.read_bytes()

        def refused(content):
            trace.write_bytes(content)
            replay = self.rocktune("replay-ops", self.recording, "--policies", "static", "-o", output, check=False)
            self.assertEqual(replay.returncode, 1, replay.stdout + replay.stderr)
            self.assertFalse(output.exists(), "nothing was replayed")
            self.assertEqual(replay.stdout, "")
            self.assertEqual(len(replay.stderr.splitlines()), 1, replay.stderr)
            return replay.stderr

        cut = refused(whole[:len(whole) // 80])
        self.assertIn(f"{trace} has {len(whole) // 80} bytes, and {recorded} were recorded: it was cut off", cut)
        middle = len(whole) // 2
        damaged = refused(whole[:middle] + bytes([whole[middle] ^ 1]) + whole[middle + 1:])
        self.assertIn("checksum (CRC32)", damaged)
        self.assertIn("it is damaged; copy the whole recording again, or record again", damaged)
        trace.write_bytes(whole)
        copy, _ = self.replayed("whole")
        self.assertEqual(self.contents(copy), self.contents(self.directory / "db"))

    def test_what_cannot_be_replayed(self):
        for arguments, code, said in (
                (("replay-ops", self.directory), 1, "is no recording of rocktune record-ops"),
                (("replay-ops", self.directory, "--policies", "best-static"), 2, "a recording is opened with its own options"),
                (("replay-ops", self.directory, "--policies", "nonsense"), 2, "nonsense"),
                (("replay-ops",), 2, "recording is required")):
            refused = self.rocktune(*arguments, check=False)
            self.assertEqual(refused.returncode, code, refused.stderr)
            self.assertIn(said, refused.stderr + refused.stdout)
        self.assertIn("--speed", self.rocktune("replay-ops", "--help").stdout)


if __name__ == "__main__":
    unittest.main()
