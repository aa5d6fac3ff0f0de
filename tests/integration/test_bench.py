"""rocktune-bench as a user starts it: a run on the emulated device, the demo, and Ctrl-C at any moment of both."""

import json
import signal
import time
import unittest

from bench_support import BenchWorld, children, running
from support import needs_db_bench, wait_for


class Bench(BenchWorld):
    def run_small(self, seconds):
        """A small Mild-Pressure on the emulated device, in self.directory/db."""
        return self.bench("run", "--workload", "ycsb-a", "--records", "20000", "--configuration", "Mild-Pressure", "--scale",
                          "64", "--device", "nvme-p41", "--seconds", seconds, "--db", f"{self.directory}/db/", "--json",
                          self.directory / "result.json")

    def result(self):
        return json.loads((self.directory / "result.json").read_text())

    def device_stat(self):
        try:
            return [int(field) for field in (self.directory / "db.device" / "stat").read_text().split()]
        except FileNotFoundError:
            return None


class Run(Bench):
    def test_result_has_sane_values_and_the_device_moves(self):
        process = self.run_small(4)
        first = wait_for("the device's stat", self.device_stat, 20)
        self.assertEqual(len(first), 17, "the fields of /sys/block/*/stat")
        wait_for("reads and writes on it",
                 lambda: (stat := self.device_stat()) and stat[0] > first[0] and stat[4] > first[4], 10)
        self.assertEqual(process.wait(30), 0, self.log())
        result = self.result()
        self.assertEqual(result["schema"], "rocktune-bench/2")
        self.assertEqual(result["device"]["label"], "emulated device")
        self.assertFalse(result["partial"])
        self.assertEqual(len(result["databases"]), 1)
        database = result["databases"][0]
        self.assertTrue(database["agent"].startswith("serving on "), database["agent"])
        total = database["total"]
        self.assertGreaterEqual(total["seconds"], 4, "as long as was asked for")
        self.assertGreater(total["ops_per_second"], 100)
        reads, updates = (total["operations"][name] for name in ("read", "update"))
        self.assertEqual(reads["count"] + updates["count"], total["operations_done"])
        self.assertAlmostEqual(reads["count"] / total["operations_done"], 0.5, delta=0.05)
        for operation in (reads, updates):
            self.assertGreater(operation["mean_us"], 0)
            self.assertLessEqual(operation["p50_us"], operation["p95_us"])
            self.assertLessEqual(operation["p95_us"], operation["p99_us"])
            self.assertLessEqual(operation["p99_us"], operation["p999_us"])
            self.assertLessEqual(operation["p999_us"], operation["max_us"])
            # As fast as possible: most of the time is that of operations longer than the median.
            self.assertGreater(operation["any_moment_p99_us"], operation["p50_us"])
        self.assertGreater(total["user_bytes_written"], updates["count"] * 1000)
        self.assertGreater(total["write_amplification"], 0)
        self.assertTrue(0 <= total["cache_hit_ratio"] <= 1)
        seconds = database["phases"][0]["per_second"]
        # What was on its way when the phase ended is only in the total: one operation per thread at most.
        late = total["operations_done"] - sum(s["operations_done"] for s in seconds)
        self.assertTrue(0 <= late <= database["workload"]["threads"], late)
        device = result["device"]["total"]
        self.assertGreater(device["read_bytes"] + device["write_bytes"], 0)
        self.assertGreaterEqual(len(result["device"]["per_second"]), 2)
        self.assertEqual(self.agent_socket(), None, "the agent's socket goes with its process")

    def test_interrupted_run_writes_what_it_has(self):
        process = self.run_small(30)
        wait_for("two seconds of the run", lambda: "ops/s" in self.log(), 20)
        time.sleep(1)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(10), 130, self.log())
        result = self.result()
        self.assertTrue(result["partial"])
        self.assertIn("signal", result["partial_reason"])
        total = result["databases"][0]["total"]
        self.assertLess(total["seconds"], 30)
        self.assertGreater(total["operations_done"], 0)

    def test_interrupted_while_it_loads_it_says_so(self):
        process = self.bench("run", "--workload", "ycsb-a", "--seconds", 5, "--progress", "lines", "--json",
                             self.directory / "result.json")
        wait_for("the load", lambda: "loading" in self.log(), 20)
        process.send_signal(signal.SIGTERM)
        self.assertEqual(process.wait(20), 130, self.log())
        result = self.result()
        self.assertTrue(result["partial"])
        self.assertIn("while loading", result["partial_reason"])
        self.assertEqual(result["databases"][0]["phases"], [])
        self.assertEqual(list(self.temporary.iterdir()), [])

    @needs_db_bench
    def test_a_database_of_somebody_else_is_left_alone(self):
        self.assertEqual(self.db_bench("--benchmarks=fillseq", "--num=1000", under_agent=False).wait(30), 0)
        def files():
            return {path.name: path.read_bytes() for path in (self.directory / "db").iterdir()}

        before = files()
        process = self.bench("run", "--workload", "ycsb-a", "--records", "1000", "--seconds", "1", "--db", self.directory / "db")
        self.assertEqual(process.wait(20), 1)
        self.assertIn("holds keys that rocktune-bench did not write", self.log())
        self.assertEqual(files(), before)


class Overhead(Bench):
    def overhead(self, *arguments):
        return self.bench("overhead", "--records", "4000", *arguments)

    def test_figures_of_every_arm(self):
        output = self.directory / "overhead.json"
        process = self.overhead("--rounds", 1, "--seconds", 0.5, "--families", 3, "--json", output)
        self.assertEqual(process.wait(120), 0, self.log())
        report = json.loads(output.read_text())
        self.assertEqual(report["schema"], "rocktune-overhead/1")
        arms = [(row["workload"], row["statistics"], row["poll_milliseconds"]) for row in report["rows"]]
        self.assertEqual(arms, [(w, s, p) for w in ("mix", "cached-reads") for s in ("host", "agent") for p in (500, 100)])
        for row in report["rows"]:
            self.assertEqual(len(row["pairs"]), 1)
            self.assertGreater(row["polls"], 0)
            for pair in row["pairs"]:
                self.assertGreater(pair["without"]["ops_per_second"], 100)
                self.assertEqual(pair["without"]["agent_cpu_seconds"], 0, "no agent in the process")
                self.assertGreater(pair["with"]["agent_cpu_seconds"], 0)
            ratio = row["throughput_ratio"]
            self.assertLessEqual(ratio["least"], ratio["median"])
            self.assertLessEqual(ratio["median"], ratio["most"])
            self.assertTrue(row["verdict"].startswith(("met", "missed")))
        self.assertEqual(report["poll"]["column_families"], 3)
        self.assertGreater(report["poll"]["agent_cpu_us"], 0)
        for text in ("target for throughput", "agent CPU per poll", "agent memory"):
            self.assertIn(text, self.log())
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_interrupted_it_leaves_nothing_running(self):
        process = self.overhead("--rounds", 5, "--seconds", 20)
        wait_for("the first run", lambda: "round 1 of 5" in self.log() and children(process.pid), 20)
        started = children(process.pid)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(15), 130, self.log())
        self.assertEqual([pid for pid in started if running(pid)], [])
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_interrupted_it_reports_the_rounds_that_are_finished(self):
        output = self.directory / "overhead.json"
        process = self.overhead("--rounds", 1000, "--seconds", 0.5, "--workload", "cached-reads", "--json", output)
        wait_for("the second round", lambda: "round 2 of 1000" in self.log(), 60)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(15), 130, self.log())
        report = json.loads(output.read_text())
        self.assertTrue(report["partial"])
        self.assertGreaterEqual(report["rounds_finished"], 1)
        self.assertGreater(report["rows"][0]["throughput_ratio"]["median"], 0)
        self.assertIn(f"STOPPED: {report['rounds_finished']} of 1000 rounds", self.log())
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_usage(self):
        self.assertEqual(self.bench("overhead", "--workload", "none-such").wait(10), 2)
        self.assertEqual(self.bench("overhead", "--help").wait(10), 0)
        self.assertIn("--rounds", self.log())
        self.assertNotIn("overhead-host", self.log())
        self.assertEqual(self.bench("--help").wait(10), 0)
        self.assertIn("rocktune-bench [OPTIONS]", self.log())
        self.assertIn("Exit codes: 0 ok, 1 failed", self.log())


class ReplaySpeed(Bench):
    def test_figures_and_an_exact_replay(self):
        keep = self.directory / "kept"
        process = self.bench("replay-speed", "--samples", 2400, "--families", 2, "--repeat", 2, "--keep", keep, "--json")
        self.assertEqual(process.wait(60), 0, self.log())
        report = json.loads(self.log()[self.log().index("{"):])
        self.assertEqual(report["schema"], "rocktune-replay-speed/1")
        self.assertEqual((report["samples"], report["column_families"], report["repeats"]), (2400, 2, 2))
        self.assertEqual(self.log().count("closed loop: static"), 2)
        self.assertEqual(report["trace_bytes"], (keep / "day.sqlite").stat().st_size)
        self.assertEqual([(row["policy"], row["as_recorded"]) for row in report["open_loop"]],
                         [("headroom", True), ("static", False)])
        self.assertEqual(report["open_loop"][0]["steps_that_differ"], 0, "an advise run is replayed exactly")
        for row in report["open_loop"] + report["closed_loop"]:
            self.assertGreater(row["fastest_seconds"], 0)
            self.assertTrue(row["fastest_seconds"] <= row["seconds"] <= row["slowest_seconds"], row)
            self.assertGreaterEqual(row["memory_most_bytes"], row["memory_before_bytes"])
        self.assertAlmostEqual(report["closed_loop"][0]["simulated_seconds"], 600, delta=2)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_usage(self):
        self.assertEqual(self.bench("replay-speed", "--samples", 10).wait(10), 2)

    def test_interrupted_it_reports_what_was_timed(self):
        process = self.bench("replay-speed", "--samples", 24000, "--families", 1, "--repeat", 99, "--json")
        wait_for("the second turn", lambda: self.log().count("open loop: headroom") > 1, 60)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(15), 130, self.log())
        text = self.log()
        report = json.loads(text[text.index("{"):text.rindex("}") + 1])
        self.assertTrue(report["partial"])
        self.assertEqual(report["open_loop"][0]["policy"], "headroom")
        self.assertGreaterEqual(report["open_loop"][0]["runs"], 1)
        self.assertEqual(report["closed_loop"], [])
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_interrupted_it_leaves_nothing(self):
        process = self.bench("replay-speed", "--families", 1)
        wait_for("the beginning", lambda: "making" in self.log(), 20)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(15), 130, self.log())
        self.assertEqual(list(self.temporary.iterdir()), [])


class Demo(Bench):
    def demo(self, *arguments):
        return self.bench("demo", "--records", "50000", *arguments)

    def left_behind(self):
        return sorted(str(path.relative_to(self.temporary)) for path in self.temporary.rglob("*"))

    def test_short_and_clean(self):
        process = self.demo("--seconds", 4, "--clean")
        seen = set()
        while process.poll() is None:
            seen.update(children(process.pid))
            time.sleep(0.05)
        log = self.log()
        self.assertEqual(process.returncode, 0, log)
        for text in ("static", "tuned", "throughput, ops/s", "EMULATED DEVICE"):
            self.assertIn(text, log)
        self.assertGreaterEqual(len(seen), 4, "load, static, rocktuned, tuned")
        self.assertEqual([pid for pid in seen if running(pid)], [])
        self.assertEqual(self.left_behind(), [])

    def test_interrupted_in_each_phase(self):
        for phase, sign in {"load": "phase        burst", "static": "[static] ", "tuned": "[tuned] "}.items():
            with self.subTest(phase=phase):
                (self.directory / "bench.log").unlink(missing_ok=True)
                process = self.demo("--seconds", 5 if phase == "tuned" else 20, "--clean")
                wait_for(f"the {phase} phase", lambda: sign in self.log(), 30)
                started = wait_for("its processes", lambda: children(process.pid), 10)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(20), 130, self.log())
                self.assertEqual([pid for pid in started if running(pid)], [])
                self.assertIn("nothing is left running", self.log())
                self.assertEqual(self.left_behind(), [])

    def test_killed_demo_takes_its_children_along(self):
        process = self.demo("--seconds", 20)
        wait_for("the static phase", lambda: "[static] " in self.log(), 30)
        started = children(process.pid)
        self.assertTrue(started)
        process.kill()
        process.wait()
        wait_for("its children to end", lambda: not any(running(pid) for pid in started), 15)


if __name__ == "__main__":
    unittest.main()
