"""rocktune sweep: the same bytes however it runs and however often it is stopped; what reads its result."""

import contextlib
import fcntl
import importlib.util
import json
import os
import pty
import shutil
import signal
import sqlite3
import subprocess
import unittest

from support import BIN, wait_for
from sweep_support import DEVICE, GRID, SweepTest, add_neighbour

PANDAS = importlib.util.find_spec("pandas")
DUCKDB = importlib.util.find_spec("duckdb")
POLICY = "headroom:limiter_raise_factor=1.5"


class Sweep(SweepTest):
    def started(self, *arguments):
        process = subprocess.Popen(self.command(*arguments), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def stopped_in_the_middle(self, sign, units):
        """Runs until `sign` comes after some lines; again, where it was at its end before we woke up."""
        for _ in range(5):
            process = self.started("--jobs", 1)
            wait_for("some units", lambda: self.lines_so_far() >= units or process.poll() is not None, every=0.002)
            process.send_signal(sign)
            said = process.communicate(timeout=300)[1]
            if not self.result.exists():
                break
            self.result.unlink()
        else:
            self.fail("it was at its end already, each time: the grid is too small")
        self.assertLess(self.lines_so_far(), 60)
        return process.returncode, said

    def page(self):
        """What rocktune report makes of the result."""
        page = self.folder / "page.html"
        subprocess.run([BIN / "rocktune", "report", self.result, "-o", page], check=True, timeout=300)
        return page.read_text()

    def test_the_same_bytes_at_any_number_of_jobs(self):
        result = self.sweep("--jobs", 1)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(result.stderr, "", "no progress in a pipe")
        one = self.result.read_bytes()
        self.assertEqual(self.sweep("--jobs", 2, "--fresh").returncode, 0)
        self.assertEqual(self.result.read_bytes(), one)
        self.assertFalse(self.partial.exists())
        lines = [json.loads(line) for line in one.splitlines()]
        self.assertEqual([line["unit"] for line in lines], list(range(1, 61)))
        self.assertEqual(len({line["key"] for line in lines}), 60)
        self.assertEqual({tuple(line) for line in lines}, {tuple(lines[0])}, "every line has the same columns")
        for line in lines:
            self.assertEqual(line["schema"], "rocktune-sweep/1")
            self.assertEqual(line["rung"], "closed_loop")
            self.assertIsNone(line["error"])
            self.assertGreater(line["operations_per_second"], 0)
            self.assertIn("does not foretell", line["claims"])
        self.assertIn("best parameters", result.stdout)
        self.assertIn("does not foretell", result.stdout)

    def test_a_terminal_shows_how_far_it_is(self):
        ours, theirs = pty.openpty()
        process = subprocess.Popen(self.command("--units", "1-5"), stdout=subprocess.DEVNULL, stderr=theirs)
        os.close(theirs)
        shown = b""
        with contextlib.suppress(OSError):  # EIO: nobody has the other end any more
            while part := os.read(ours, 4096):
                shown += part
        os.close(ours)
        self.assertEqual(process.wait(), 0)
        self.assertIn(b"] 0 of 5 units", shown)
        self.assertIn(b"] 5 of 5 units", shown)
        self.assertTrue(shown.endswith(b"\r\x1b[K"), "the line goes away at the end")

    def simulated(self, trace, *options):
        """What rocktune simulate says of each database, by name."""
        ran = subprocess.run([str(word) for word in (BIN / "rocktune", "simulate", trace, "--policies", POLICY, "--seeds", 3, "--json", *options)],
                             capture_output=True, text=True, timeout=300, check=True)
        return {json.loads(line)["name"].rpartition("/")[2]: json.loads(line) for line in ran.stdout.splitlines()}

    def swept(self, trace, keys):
        """The lines of a sweep of the same, by database."""
        self.grid.write_text("rung: closed_loop\npolicies: [{name: headroom, params: {limiter_raise_factor: 1.5}}]\nseeds: 3\n" + keys)
        ran = self.sweep("--fresh", traces=[trace])
        self.assertEqual(ran.returncode, 0, ran.stderr)
        by_target = {}
        for line in self.result.read_text().splitlines():
            by_target.setdefault(json.loads(line)["target"], []).append(json.loads(line))
        return by_target

    def check_the_same(self, swept, simulated):
        self.assertEqual(set(swept), set(simulated))
        for name, lines in swept.items():
            figures = simulated[name]["policies"][0]["figures"]
            for figure in figures:
                told = [line[figure] for line in lines]
                self.assertEqual(told, figures[figure]["seeds"], f"{name}: {figure}")
                self.assertEqual(lines[0]["claims"], simulated[name]["claims"])

    def test_a_unit_is_what_simulate_says(self):
        device = self.written("device.yaml", DEVICE)
        for keys, options in (("calibrate_until: 120\n", ("--calibrate-until", 120)),
                              ("whole: true\n", ("--whole",)),
                              ("calibrate_until: 120\ndevice: device.yaml\n", ("--calibrate-until", 120, "--device", device))):
            with self.subTest(options=options):
                self.check_the_same(self.swept(self.traces[0], keys), self.simulated(self.traces[0], *options))

    def test_databases_on_one_device_share_it_as_they_do_in_simulate(self):
        device = self.written("device.yaml", DEVICE)
        both = self.folder / "both.trace"
        shutil.copy(self.traces[0], both)
        add_neighbour(both)
        keys = "calibrate_until: 120\ndevice: device.yaml\n"
        swept = self.swept(both, keys)
        simulated = self.simulated(both, "--calibrate-until", 120, "--device", device)
        self.assertEqual(set(swept), {"stall-24-1", "neighbour"})
        self.check_the_same(swept, simulated)
        self.assertTrue(all(one["together_with"] for one in simulated.values()))
        alone = self.swept(self.traces[0], keys)["stall-24-1"]
        self.assertGreater(swept["stall-24-1"][0]["stalled_seconds"], alone[0]["stalled_seconds"], "the neighbour is in the way")
        self.assertFalse({line["key"] for line in swept["stall-24-1"]} & {line["key"] for line in alone})
        # A unit by itself shares the device all the same.
        whole = self.swept(both, keys)
        self.assertEqual(self.sweep("--fresh", "--units", "5", traces=[both]).returncode, 0)
        (one,) = [json.loads(line) for line in self.result.read_text().splitlines()]
        self.assertEqual(one, whole[one["target"]][1])

    def test_a_database_that_was_configured_anew_is_two_and_meets_nobody(self):
        both = self.folder / "reload.trace"
        shutil.copy(self.traces[0], both)
        add_neighbour(both, "stall-24-1", later_seconds=3600)
        device = self.written("device.yaml", DEVICE)
        keys = "calibrate_until: 120\ndevice: device.yaml\n"
        swept = self.swept(both, keys)
        self.assertEqual(set(swept), {"stall-24-1", "stall-24-1#2"})
        simulated = self.simulated(both, "--calibrate-until", 120, "--device", device)
        self.check_the_same(swept, simulated)
        self.assertFalse(any(one["together_with"] for one in simulated.values()))
        alone = self.swept(self.traces[0], keys)["stall-24-1"]
        for lines in swept.values():
            self.assertEqual([line["stalled_seconds"] for line in lines], [line["stalled_seconds"] for line in alone])
        self.grid.write_text("rung: open_loop\npolicies: [{name: static}]\n")
        self.assertEqual(self.sweep("--fresh", traces=[both]).returncode, 0)
        replayed = [json.loads(line) for line in self.result.read_text().splitlines()]
        self.assertEqual(self.sweep("--fresh", traces=[self.traces[0]]).returncode, 0)
        (one,) = [json.loads(line) for line in self.result.read_text().splitlines()]
        self.assertEqual([line["samples"] for line in replayed], 2 * [one["samples"]])

    def test_few_seeds_are_no_agreement(self):
        self.grid.write_text("rung: closed_loop\npolicies: [{name: static}, {name: headroom}]\nseeds: 1\ncalibrate_until: 120\n")
        result = self.sweep("--fresh", traces=[self.traces[0]])
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Fewer than 20 seeds", result.stdout)
        self.assertNotIn("the order is stable", result.stdout)

    def test_a_killed_sweep_goes_on_where_it_was(self):
        code, _ = self.stopped_in_the_middle(signal.SIGKILL, 3)
        self.assertEqual(code, -signal.SIGKILL)
        before = self.lines_so_far()
        self.assertGreaterEqual(before, 3)
        with open(self.partial, "ab") as partial:
            partial.write(b'{"schema":"rocktune-sweep/1","unit":59,"key":"')  # a line that was being written
        listed = [json.loads(line)["unit"] for line in self.sweep("--list-units").stdout.splitlines()]
        self.assertEqual(len(listed), 60 - before, "--list-units names those that are missing")
        result = self.sweep()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.result.read_bytes(), self.expected())
        self.assertIn("best parameters", result.stdout)

    def test_ctrl_c_ends_in_order_and_says_how_to_go_on(self):
        code, said = self.stopped_in_the_middle(signal.SIGINT, 3)
        self.assertEqual(code, 130)
        self.assertIn("the same command goes on", said)
        self.assertEqual(len(said.strip().splitlines()), 1)
        self.assertEqual(self.partial.read_bytes()[-1:], b"\n")
        self.assertEqual(self.sweep().returncode, 0)
        self.assertEqual(self.result.read_bytes(), self.expected())

    def test_units_alone(self):
        expected = self.expected().splitlines(keepends=True)
        self.assertEqual(self.sweep("--units", "2-4,60").returncode, 0)
        self.assertEqual(self.result.read_bytes().splitlines(keepends=True), [*expected[1:4], expected[59]])
        listed = self.sweep("--list-units", "--units", "40-42", output=self.folder / "other").stdout
        named = self.written("units.jsonl", listed)
        last = [trace for trace in self.traces if trace.name == json.loads(listed.splitlines()[0])["trace"]]
        self.result.unlink()
        result = self.sweep("--units-from", named, traces=last)
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertEqual(self.result.read_bytes(), b"".join(expected[39:42]), "as in the sweep of all traces")
        self.assertEqual(self.sweep("--units", "61").returncode, 2)
        self.assertEqual(self.sweep("--list-units", "--fresh").returncode, 2, "a list removes no result")
        self.assertEqual(self.result.read_bytes(), b"".join(expected[39:42]))
        self.assertEqual(self.sweep("--units-from", self.grid).returncode, 2)

    def test_another_sweeps_result_is_left_alone(self):
        self.assertEqual(self.sweep("--units", "1-2").returncode, 0)
        before = self.result.read_bytes()
        self.grid.write_text(GRID.replace("calibrate_until: 120", "calibrate_until: 121"))
        for arguments in ((), ("--units", "1-2")):
            result = self.sweep(*arguments)
            self.assertEqual(result.returncode, 1)
            self.assertIn("another sweep", result.stderr)
            self.assertIn("--fresh", result.stderr)
        self.assertEqual(self.result.read_bytes(), before)
        self.assertFalse(self.partial.exists())
        self.assertEqual(self.sweep("--units", "1-2", "--fresh").returncode, 0)
        self.assertNotEqual(self.result.read_bytes(), before)
        with open(self.partial, "ab") as partial:
            fcntl.flock(partial, fcntl.LOCK_EX)
            result = self.sweep("--units", "1-2")
        self.assertEqual(result.returncode, 1)
        self.assertIn("another sweep; wait", result.stderr)

    def test_what_is_read_is_never_written_over(self):
        trace, link, hard = (self.folder / name for name in ("run.trace", "link", "hard"))
        shutil.copy(self.traces[0], trace)
        link.symlink_to(trace)
        os.link(trace, hard)
        (self.folder / "run.partial").symlink_to(trace)
        device = self.written("device.yaml", DEVICE)
        self.grid.write_text(GRID + "device: device.yaml\n")
        units = self.written("units.jsonl", self.sweep("--list-units", traces=[trace], output=self.folder / "other").stdout)
        before = {path: path.read_bytes() for path in (trace, hard, self.grid, device, units)}
        for output in (trace, link, hard, self.grid, device, units, self.folder / "run"):
            for arguments in ((), ("--fresh",), ("--list-units",)):
                with self.subTest(output=output.name, arguments=arguments):
                    result = self.sweep("--units-from", units, *arguments, traces=[trace], output=output)
                    self.assertEqual(result.returncode, 2, result.stderr)
                    self.assertIn("it is what is read", result.stderr)
                    self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
                    self.assertEqual({path: path.read_bytes() for path in before}, before)

    def test_fresh_removes_no_file_of_another_kind(self):
        for name in ("result.jsonl", "result.jsonl.partial"):
            notes = self.written(name, "my notes\n")
            for arguments in ((), ("--fresh",), ("--list-units",)):
                with self.subTest(name=name, arguments=arguments):
                    result = self.sweep("--units", "1", *arguments)
                    self.assertEqual(result.returncode, 1, result.stderr)
                    self.assertIn(f"{name}:1: this is no result of rocktune sweep", result.stderr)
                    self.assertEqual(notes.read_text(), "my notes\n")
            notes.unlink()
        self.result.mkdir()
        result = self.sweep("--units", "1", "--fresh")
        self.assertEqual(result.returncode, 1)
        self.assertIn("result.jsonl: is no regular file", result.stderr)
        self.assertFalse(self.partial.exists())

    def test_another_builds_partial_is_not_gone_on_with(self):
        code, _ = self.stopped_in_the_middle(signal.SIGINT, 3)
        self.assertEqual(code, 130)
        other = self.folder / "rocktune"
        other.write_bytes((BIN / "rocktune").read_bytes() + b"\n")  # runs as before
        other.chmod(0o755)
        before = self.partial.read_bytes()
        result = subprocess.run([str(other), *self.command()[1:]], capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("build of rocktune", result.stderr)
        self.assertEqual(self.partial.read_bytes(), before)

    def test_a_run_that_fails_does_not_end_the_others(self):
        universal = self.folder / "universal.trace"
        shutil.copy(self.recorded / "calm-24-1.trace", universal)
        with sqlite3.connect(universal) as connection:
            self.assertGreater(connection.execute("update column_family_options set leveled_compaction = 0").rowcount, 0)
        connection.close()
        result = self.sweep(traces=[universal, self.traces[0]])
        self.assertEqual(result.returncode, 1, result.stderr)
        self.assertIn("30 of 60 units failed", result.stderr)
        self.assertIn("1 of 2 databases", result.stdout)
        lines = [json.loads(line) for line in self.result.read_text().splitlines()]
        self.assertEqual({tuple(line) for line in lines}, {tuple(lines[0])}, "failed units have the same columns")
        failed = [line for line in lines if line["error"]]
        self.assertEqual(len(failed), 30)
        for line in failed:
            self.assertIn("its compaction is not leveled", line["error"])
            self.assertNotIn(str(self.folder), line["error"], "a result does not depend on where traces lie")
            self.assertTrue(line["trace"].endswith("universal.trace"))
            self.assertIsNone(line["operations_per_second"])
        page = self.page()
        for part in ("comes first: median rank", "Every combination", "1 of 2 databases", "What failed", "its compaction is not leveled"):
            self.assertIn(part, page)

    def test_open_loop_is_what_replay_and_score_say(self):
        self.grid.write_text("rung: open_loop\npolicies: [static, {name: headroom, params: {limiter_raise_factor: 1.5}}]\n")
        result = self.sweep()
        self.assertEqual(result.returncode, 0, result.stderr)
        self.assertIn("Open loop", result.stdout)
        lines = [json.loads(line) for line in self.result.read_text().splitlines()]
        self.assertEqual(len(lines), 4)
        binary = self.command()[0]
        for trace in self.traces:
            own = [line for line in lines if line["trace"] == trace.name]
            replayed = subprocess.run([binary, "replay", trace, "--json", "--policy", "static,headroom:limiter_raise_factor=1.5"],
                                      capture_output=True, text=True, check=True)
            ends = [json.loads(line) for line in replayed.stdout.splitlines() if '"kind":"replay"' in line]
            self.assertEqual([line["decisions"] for line in own], [end["replayed"]["decisions"] for end in ends])
            self.assertEqual([line["decisions_allowed"] for line in own],
                             [end["replayed"]["verdicts"].get("allowed", 0) for end in ends])
            horizon = str(ends[0]["alarms"][0]["horizon_seconds"])
            scored = subprocess.run([binary, "score", trace, "--detector", "rocktune-alerts", "--model", "recorded",
                                     "--horizon", horizon, "--json"], capture_output=True, text=True, check=True)
            for table in json.loads(scored.stdout)["tables"]:
                alarms = table["detectors"][0]["alarms"]
                for line in own:
                    for key, expected in (("events", table["events"]), ("alarms", alarms["alarms"]), ("false_alarms", alarms["false_alarms"])):
                        self.assertEqual(line[f"{table['indicator']}_{key}"], expected, key)
        self.assertGreater(sum(line["decisions"] for line in lines), 0)
        self.assertGreater(sum(line["p99_events"] for line in lines), 0)
        self.assertIn("What each policy would have decided", self.page())

    def test_bad_grids_and_traces_are_refused_in_one_line(self):
        garbage = self.written("garbage.trace", "no trace at all" * 1000)
        for grid, traces, code, said in (
            ("rung: closed_loop\npolicies: [hedroom]\n", None, 2, "grid.yaml:2:12: unknown policy"),
            ("rung: closed_loop\npolicies: [static]\nseeds: many\n", None, 2, "grid.yaml:3:8: 'many' is no finite number"),
            ("rung: [closed_loop\n", None, 2, "grid.yaml:"),
            (GRID + "device: none.yaml\n", None, 2, f"cannot read the device profile {self.folder}/none.yaml"),
            (GRID + "device: grid.yaml\n", None, 2, "grid.yaml:1:1: rung: unknown key"),
            (GRID, [garbage], 1, "garbage.trace"),
            (GRID, [self.folder / "none.trace"], 1, "none.trace"),
            (GRID, [self.traces[0], self.traces[0]], 2, "given twice"),
        ):
            with self.subTest(said=said):
                self.grid.write_text(grid)
                result = self.sweep(traces=traces)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn(said, result.stderr)
                self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
                self.assertFalse(self.result.exists())
                self.assertFalse(self.partial.exists())
        self.assertEqual(self.sweep(grid=self.folder / "none.yaml").returncode, 1)

    def test_all_mistakes_of_a_grid_are_told_at_once(self):
        self.grid.write_text("rung: closed_loop\npolicies:\n  - hedroom\n  - {name: headroom, params: {limiter_raise_factor: 99}}\nseeds: 0\n")
        result = self.sweep()
        self.assertEqual(result.returncode, 2, result.stderr)
        lines = result.stderr.splitlines()
        self.assertEqual(len(lines), 3, result.stderr)
        for line, said in zip(lines, ("grid.yaml:3:5: unknown policy", "grid.yaml:4:53: policy headroom", "grid.yaml:5:8: '0' is less than 1")):
            self.assertRegex(line, r"^rocktune: sweep: /")
            self.assertIn(said, line)


class Readers(SweepTest):
    def setUp(self):
        super().setUp()
        self.assertEqual(self.sweep("--units", "1-3,25-27,31").returncode, 0)

    @unittest.skipUnless(PANDAS, "no pandas: pip install pandas")
    def test_pandas_reads_a_result(self):
        import pandas
        frame = pandas.read_json(self.result, lines=True)
        self.assertEqual(list(frame["unit"]), [1, 2, 3, 25, 26, 27, 31])
        self.assertEqual(frame["operations_per_second"].dtype.kind, "f")
        self.assertEqual(frame.groupby("policy")["seed"].count().to_dict(), {"headroom": 4, "static": 3})
        self.assertTrue(frame[frame["policy"] == "static"]["p_limiter_raise_factor"].isna().all())

    @unittest.skipUnless(DUCKDB, "no duckdb: pip install duckdb")
    def test_duckdb_reads_a_result(self):
        import duckdb
        rows = duckdb.sql("select policy, count(*), avg(operations_per_second), max(p_limiter_raise_factor) "
                          f"from read_json_auto('{self.result}') where error is null group by policy order by policy").fetchall()
        self.assertEqual([row[:2] for row in rows], [("headroom", 4), ("static", 3)])
        self.assertTrue(all(row[2] > 0 for row in rows))
        self.assertEqual([row[3] for row in rows], [1.25, None])


if __name__ == "__main__":
    unittest.main()
