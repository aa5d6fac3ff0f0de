"""Devices as a user meets them: a profile fitted to measured points, what the emulated one costs, and a throttled loop
device, which needs root, loop devices and a control group: without, those tests are skipped and say what is missing."""

import json
import os
import pathlib
import random
import signal
import subprocess
import time
import unittest

from bench_support import BenchWorld
from loop_support import without_loop
from support import BIN, wait_for

NOTES = pathlib.Path("/run/rocktune-bench")


def synthetic_points():
    """What fio would measure on a device of 3 GB/s reads, 1.2 GB/s writes and a mixing loss of 1, with 2% of noise."""
    noise = random.Random(4)
    lines = ["read_percent,queue_depth,jobs,block_kib,read_iops,write_iops"]
    for read_percent in (0, 25, 50, 75, 100):
        for depth in (1, 8, 64):
            for jobs in (1, 4):
                for kib, read_us, write_us in ((4, 90, 25), (64, 190, 60)):
                    share = read_percent / 100
                    rate = depth * jobs / (share * read_us + (1 - share) * write_us) * 1e6
                    while True:
                        reads = share * rate * kib * 1024 / 3e9
                        writes = (1 - share) * rate * kib * 1024 / 1.2e9
                        if reads + writes + reads * writes <= 1 and rate <= jobs * 250e3:
                            break
                        rate *= 0.999
                    rate *= noise.uniform(0.98, 1.02)
                    lines.append(f"{read_percent},{depth},{jobs},{kib},{share * rate:.1f},{(1 - share) * rate:.1f}")
    return "\n".join(lines) + "\n"


class Device(BenchWorld):
    def to_end(self, *arguments, **more):
        return subprocess.run([str(BIN / "rocktune-bench"), *map(str, arguments)], capture_output=True, text=True,
                              timeout=300, check=False, env={**os.environ, "TMPDIR": str(self.temporary)}, **more)


class Fit(Device):
    def test_a_fitted_profile_says_how_good_it_is_and_can_be_used(self):
        points = self.directory / "points.csv"
        points.write_text(synthetic_points())
        done = self.to_end("device", "fit", points, "--name", "made-up", "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual(report["points"], 60)
        self.assertEqual(report["errors"]["held_out"]["points"], 12)
        self.assertEqual(report["errors"]["every_mixed_point_held_out_once"]["points"], 36)
        self.assertLess(report["errors"]["held_out"]["median_ratio"], 0.10)
        self.assertTrue(report["met"])
        text = self.to_end("device", "fit", points, "--name", "made-up")
        self.assertIn("held out, device model in virtual time", text.stdout)
        self.assertEqual(text.stdout, self.to_end("device", "fit", points, "--name", "made-up").stdout, "deterministic")
        profile = self.directory / "made-up.yaml"
        profile.write_text(text.stdout)
        done = self.to_end("run", "--workload", "ycsb-a", "--records", 2000, "--seconds", 1, "--device", profile, "--progress",
                           "none", "--no-agent")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout)["device"]["label"], "emulated device")

    def test_bad_input(self):
        points = self.directory / "points.csv"
        points.write_text("read_percent,queue_depth,jobs,block_kib,read_iops\n1,2,x,4,5\n")
        done = self.to_end("device", "fit", points)
        self.assertEqual(done.returncode, 2)
        self.assertIn("points.csv:1: write_iops: is required as a column", done.stderr)
        self.assertIn("points.csv:2: jobs: 'x' is not a number", done.stderr)
        few = self.directory / "few.csv"
        few.write_text("\n".join(synthetic_points().splitlines()[:20]))
        done = self.to_end("device", "fit", few)
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"few\.csv: \d+ points to fit to, \d+ of them mixed: give at least 30")
        self.assertEqual(self.to_end("device", "fit", self.directory / "nowhere.csv").returncode, 2)
        self.assertEqual(self.to_end("device").returncode, 2)


class Cost(Device):
    def test_the_emulated_device_costs_little(self):
        done = self.to_end("device", "cost", "--requests", 20000, "--json")
        self.assertEqual(done.returncode, 0, done.stderr)
        report = json.loads(done.stdout)
        self.assertEqual([run["threads"] for run in report["runs"]], [1, 2, 8])
        for run in report["runs"]:
            self.assertGreater(run["cpu_ns_per_request"], 0)
            # The target is 2,000; the rest is for a busy machine.
            self.assertLess(run["cpu_ns_per_request"], 5000, report)
        self.assertEqual(list(self.temporary.iterdir()), [])


def catches(pid, number):
    """Whether the process has a handler of its own for the signal."""
    status = pathlib.Path(f"/proc/{pid}/status").read_text()
    caught = next(line for line in status.splitlines() if line.startswith("SigCgt:"))
    return bool(int(caught.split()[1], 16) >> (number - 1) & 1)


class Loop(Device):
    def tearDown(self):
        # A run that is killed leaves its device: let it stop, and remove what is left all the same.
        for process in self.processes:
            if process.poll() is not None:
                continue
            process.terminate()
            try:
                process.wait(60)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.to_end("device", "clean")
        super().tearDown()

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        if missing := without_loop():
            raise unittest.SkipTest(f"no throttled loop device here: {missing}")

    def run_small(self, seconds):
        return self.bench("run", "--workload", "ycsb-a", "--records", 20000, "--configuration", "Mild-Pressure", "--scale",
                          1024, "--device", "loop:nvme-p41", "--seconds", seconds, "--db", self.directory / "db", "--json",
                          self.directory / "result.json", "--progress", "lines")

    def left_behind(self):
        """Whatever there is of loop devices of this test's runs."""
        mounts = [line for line in pathlib.Path("/proc/self/mounts").read_text().splitlines() if str(self.temporary) in line]
        behind = []
        for path in pathlib.Path("/sys/block").glob("loop*/loop/backing_file"):
            try:
                behind.append(path.read_text().strip())
            except OSError:
                pass  # detached meanwhile
        return [*mounts, *(path for path in behind if str(self.temporary) in path), *map(str, self.temporary.iterdir())]

    def groups(self):
        found = []
        for root in (pathlib.Path("/sys/fs/cgroup/blkio"), pathlib.Path("/sys/fs/cgroup")):
            found += [str(path) for path in root.glob("**/rocktune-bench.*")] if root.exists() else []
        return [path for path in found if any(f".{process.pid}." in path for process in self.processes)]

    def assert_nothing_left(self):
        self.assertEqual(self.left_behind(), [])
        self.assertEqual(self.groups(), [])
        notes = list(NOTES.glob("*.json")) if NOTES.exists() else []
        for process in self.processes:
            self.assertEqual([n for n in notes if f".{process.pid}." in n.name], [])

    def test_a_run_is_limited_and_leaves_nothing(self):
        profile = self.directory / "slow.yaml"
        profile.write_text("name: slow\nread_bytes_per_second: 100GB\nwrite_bytes_per_second: 100GB\n"
                           "read_iops: 512000\nwrite_iops: 512000\n")
        # Reads that miss the cache (8 MiB over 1024): 512,000 over 1024 are 500 a second, and 250 from second 3 on.
        process = self.bench("run", "--workload", "ycsb-c", "--records", 20000, "--configuration", "Baseline", "--scale", 1024,
                             "--device", f"loop:{profile}@3:0.5", "--seconds", 6, "--db", self.directory / "db", "--json",
                             self.directory / "result.json", "--progress", "lines")
        wait_for("the mount", self.left_behind, 30)
        self.assertEqual(process.wait(90), 0, self.log())
        device = json.loads((self.directory / "result.json").read_text())["device"]
        self.assertEqual(device["label"], "throttled loop device")
        reads = [second["read_iops"] for second in device["per_second"]][:-1]  # the last one may be short
        self.assertGreater(max(reads), 150, reads)
        self.assertLess(max(reads), 1500, reads)  # without a limit: thousands
        self.assertLess(min(reads), 0.8 * max(reads), reads)
        self.assert_nothing_left()

    def test_a_failed_step_leaves_nothing(self):
        # No room for the file system: mkfs.ext4 fails after the loop device was made.
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", self.temporary], check=True, timeout=300)
        try:
            process = self.bench("run", "--workload", "ycsb-a", "--records", 10, "--seconds", 1, "--device", "loop:nvme-p41",
                                 "--db", self.directory / "db", "--progress", "none", "--no-agent")
            self.assertEqual(process.wait(60), 1, self.log())
            self.assertIn("throttled loop device: ", self.log())
            # Whether tmpfs takes direct I/O depends on the kernel; either way a later step fails.
            self.assertRegex(self.log(), "mkfs.ext4 failed|takes no direct I/O")
            left = [entry for entry in self.left_behind() if not entry.startswith(f"none {self.temporary} tmpfs")]
            self.assertEqual(left, [])
            self.assertEqual(self.groups(), [])
        finally:
            subprocess.run(["umount", self.temporary], check=True, timeout=300)

    def test_interrupted_at_any_moment_nothing_is_left(self):
        for moment in (0.1, 0.5, 1.5, 3):
            with self.subTest(moment=moment):
                (self.directory / "result.json").unlink(missing_ok=True)
                process = self.run_small(30)
                wait_for("its signal handlers", lambda: catches(process.pid, signal.SIGINT), 30, every=0.005)
                time.sleep(moment)
                process.send_signal(signal.SIGINT)
                self.assertEqual(process.wait(60), 130, self.log())
                self.assertTrue(json.loads((self.directory / "result.json").read_text())["partial"])
                self.assert_nothing_left()

    def test_told_to_stop_again_it_still_takes_the_device_down(self):
        # A child of `compare` gets a second SIGTERM when a second Ctrl-C ends its parent.
        process = self.run_small(30)
        wait_for("the run on it", lambda: "ops/s" in self.log(), 60)
        for _ in range(3):
            process.send_signal(signal.SIGTERM)
            time.sleep(0.02)
        self.assertEqual(process.wait(60), 130, self.log())
        self.assert_nothing_left()

    def test_the_next_run_removes_what_a_killed_one_left(self):
        process = self.run_small(30)
        wait_for("the run on it", lambda: "ops/s" in self.log(), 60)
        process.kill()
        process.wait(10)
        self.assertNotEqual(self.left_behind(), [])
        self.assertNotEqual(self.groups(), [])
        done = self.to_end("device", "clean")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn(f"removed {self.temporary}/rocktune-loop.{process.pid}.", done.stdout)
        self.assert_nothing_left()
        self.assertIn("nothing was left", self.to_end("device", "clean").stdout)


class NoLoop(Device):
    def as_nobody(self, *arguments):
        self.directory.chmod(0o755)
        nobody = {"user": 65534, "group": 65534, "extra_groups": []} if os.geteuid() == 0 else {}
        try:
            done = self.to_end(*arguments, **nobody)
        except PermissionError:
            self.skipTest("the build folder cannot be read by another user")
        if done.returncode == 127:  # the dynamic loader's
            self.skipTest(f"a library cannot be read by another user: {done.stderr.strip()}")
        return done

    def test_without_root_it_refuses_and_says_what_to_do(self):
        self.temporary.chmod(0o777)
        done = self.as_nobody("run", "--workload", "ycsb-a", "--records", 100, "--seconds", 1, "--device", "loop:nvme-p41",
                              "--progress", "none", "--no-agent")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("a loop device needs root", done.stderr)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_cleaning_up_needs_root(self):
        done = self.as_nobody("device", "clean")
        self.assertEqual(done.returncode, 1, done.stdout)
        self.assertIn("run as root", done.stderr)

    def test_an_unknown_profile_is_a_usage_error(self):
        done = self.to_end("run", "--workload", "ycsb-a", "--device", "loop:floppy")
        self.assertEqual(done.returncode, 2)
        self.assertIn("'floppy' is no built-in", done.stderr)


if __name__ == "__main__":
    unittest.main()
