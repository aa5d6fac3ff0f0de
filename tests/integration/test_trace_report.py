"""rocktune report on recorded traces and on results: what the page says, draws and refuses."""

import contextlib
import datetime
import gzip
import json
import os
import pathlib
import pty
import re
import sqlite3
import subprocess
import unittest

from browser import BrowserWorld, Elements, needs_chromium
from support import BIN, ROOT, World
from sweep_support import add_neighbour

DATA = ROOT / "tests" / "data"
LARGEST_BYTES = 5 << 20

# Swatches and the legend have the same colours: without them only what is drawn has.
ONLY_DRAWN = """
  document.querySelectorAll('.swatch, svg.kind').forEach((one) => one.remove());
"""
LINES = {"reads": (0x00, 0x72, 0xB2), "writes": (0xD5, 0x5E, 0x00)}
MARKS = {"alert": (0xD0, 0x10, 0x50), "decision": (0x00, 0x59, 0xA0), "outcome: better": (0x00, 0x73, 0x4F),
         "outcome: worse": (0xA3, 0x42, 0x0A)}


class Progress(World):
    """What is read is told on a terminal, and gone at the end."""

    def told(self, *arguments):
        ours, terminal = pty.openpty()
        self.addCleanup(os.close, ours)
        result = subprocess.run([str(BIN / "rocktune"), *map(str, arguments)], stdin=subprocess.DEVNULL,
                                stdout=subprocess.DEVNULL, stderr=terminal, timeout=300, check=False)
        os.close(terminal)
        self.assertEqual(result.returncode, 0)
        text = b""
        with contextlib.suppress(OSError):  # EIO: that was all
            while part := os.read(ours, 65536):
                text += part
        return text.decode()

    def test_commands_that_read_a_trace(self):
        path = self.directory / "burst.trace"
        path.write_bytes(gzip.decompress((DATA / "burst-24-1.trace.gz").read_bytes()))
        for name, arguments in (("score", ("score", path)), ("advise", ("advise", path)), ("trace info", ("trace", "info", path)),
                                ("report", ("report", path, "-o", self.directory / "page.html"))):
            with self.subTest(name):
                self.assertRegex(self.told(*arguments), r"^\r\x1b\[K(scoring|reading) run 1 of 1: [^\r\n]+\r\x1b\[K$")
        self.assertRegex(self.told("replay", path), r"^\r\x1b\[Kreplayed 256 samples, up to 20[0-9-]+T[0-9:.]+Z\r\x1b\[K$")


class TraceReport(BrowserWorld):
    def trace_of(self, name, copy=None):
        path = self.directory / f"{copy or name}.trace"
        path.write_bytes(gzip.decompress((DATA / f"{name}.trace.gz").read_bytes()))
        return path

    def with_decisions(self, path):
        """Two changes of the recorded knob, one that did good and one that did not."""
        with sqlite3.connect(path) as connection:
            for at, decision, result in ((100, "100-1", "better"), (200, "200-1", "worse")):
                connection.execute(
                    """insert into decisions values (1, ?, ?, 'max_background_jobs', '', 2, 4, 'jobs.backlog',
                       'compaction is behind', 'l0_files', 1, 12.0, 30.0, '[{"feature":"l0_files","value":12.0,"limit":20.0}]',
                       'allowed', 4, '', '')""", (at, decision))
                connection.execute("insert into actuations values (1, ?, ?, 'applied', '', 2, 4)", (at + 1, decision))
                connection.execute("insert into outcomes values (1, ?, ?, ?, 8.0, 'l0_files went from 12 to 8')",
                                   (at + 30, decision, result))
        connection.close()
        return path

    def report(self, *arguments, check=True):
        page = self.directory / "page.html"
        page.unlink(missing_ok=True)
        return page, self.rocktune("report", *arguments, "-o", page, check=check)

    @needs_chromium
    def test_a_recorded_run_on_a_phone_and_a_wide_screen(self):
        page, _ = self.report(self.with_decisions(self.trace_of("stall-24-1")))
        self.assertLess(page.stat().st_size, LARGEST_BYTES)
        for width in (390, 1280):
            with self.subTest(width=width):
                seen = self.assert_whole(page, width, 12)
                for title in ("operations", "P99 latency", "level-0 files", "device: throughput", "memory", "probability"):
                    self.assertTrue(any(title in one for one in seen["titles"]), title)
                self.assertEqual(seen["legend"], list(MARKS))
                colours = self.drawn(self.with_script(page, ONLY_DRAWN), width)
                for name, colour in {**LINES, **MARKS}.items():
                    self.assertIn(colour, colours, name)

    @needs_chromium
    def test_marks_can_be_hidden_and_tell_what_they_are(self):
        page, _ = self.report(self.with_decisions(self.trace_of("stall-24-1")))
        hide = "[...document.querySelectorAll('.tools input')].forEach((one) => one.click());"
        colours = self.drawn(self.with_script(page, hide + ONLY_DRAWN), 1280)
        for name, colour in MARKS.items():
            self.assertNotIn(colour, colours, name)
        seen = self.facts(page, 1280, """
          const group = drawn[0];
          group.select(group.data.marks.find((one) => one.kind === 'decision').x);
          return group.cursor.textContent + group.charts[0].values.textContent;
        """)
        self.assertIn("max_background_jobs 2 -> 4 (jobs.backlog: compaction is behind)", seen)
        self.assertRegex(seen, r"\d:\d\d:\d\d \(20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC\)")
        self.assertRegex(seen, r" writes [\d.]+")

    def test_the_page_says_what_was_recorded(self):
        page, _ = self.report(self.with_decisions(self.trace_of("stall-24-1")))
        text = page.read_text()
        for said in ("schema 2 has no checksums: damage may go unnoticed", "in mode observe under policy", "Writes were held back",
                     "raised", "The policy proposed 2 changes",
                     "Outcomes: 1 better, 1 worse", "jobs.backlog: compaction is behind", "l0_files 12 (limit 20)",
                     "l0_files falls from 12 within 30.0 s", "worse: l0_files went from 12 to 8",
                     "How good the warnings were", "rocktune-alerts"):
            self.assertIn(said, text)
        self.assertEqual(Elements(text).found.get("img"), None)

    @needs_chromium
    def test_a_part_of_a_run(self):
        trace = self.trace_of("stall-24-1")
        page, _ = self.report(trace, "--from", "2m", "--to", "180s")
        self.assertIn("the part from 2m 00s to 3m 00s", page.read_text())
        last = self.facts(page, 800, "return drawn[0].last_x;")
        self.assertTrue(55 <= last <= 60, last)
        for arguments, said in ((("--from", "10h"), "between --from and --to"), (("--from", 9, "--to", 5), "later than --from"),
                                (("--target", "nobody"), "it has: stall-24-1"), (("--from", "x"), "--from")):
            with self.subTest(arguments=arguments):
                page, ended = self.report(trace, *arguments, check=False)
                self.assertEqual(ended.returncode, 2, ended.stderr)
                self.assertIn(said, ended.stderr)
                self.assertFalse(page.exists())

    def test_a_part_counts_from_the_begin_of_the_trace_for_every_database(self):
        trace = self.trace_of("stall-24-1")
        add_neighbour(trace, later_seconds=600)
        page, _ = self.report(trace, "--from", "11m", "--to", "12m")
        text = page.read_text()
        self.assertIn("neighbour", text)
        self.assertNotIn("Over time of stall-24-1", text)
        both, _ = self.report(trace)
        text = both.read_text()
        self.assertIn("Over time of stall-24-1", text)
        self.assertIn("Over time of neighbour", text)
        begin, end = (datetime.datetime.fromisoformat(one) for one in re.search(r"from (\S+)Z to (\S+)Z\.", text).groups())
        self.assertGreater((end - begin).total_seconds(), 1000)

    @needs_chromium
    def test_what_the_trace_lacks_is_said_not_drawn(self):
        trace = self.trace_of("calm-24-1")
        with sqlite3.connect(trace) as connection:
            connection.execute("update samples set " + ", ".join(
                f'"{name}" = null' for (name,) in connection.execute(
                    "select name from pragma_table_info('samples') where name like 'device_%' or name like '%_latency'")))
        connection.close()
        page, _ = self.report(trace)
        seen = self.assert_whole(page, 1280, 6)
        self.assertFalse(any("device" in title or "P99" in title for title in seen["titles"]), seen["titles"])
        text = page.read_text()
        self.assertIn("Not recorded: the device&#39;s own figures", text)
        self.assertIn("Not recorded: latencies", text)

    def test_a_damaged_trace_gives_the_good_part_or_one_error(self):
        whole = self.trace_of("stall-24-1").read_bytes()
        damaged = self.directory / "damaged.trace"
        parts = 0
        for eighth in range(1, 8):
            at = len(whole) * eighth // 8 // 4096 * 4096
            damaged.write_bytes(whole[:at] + b"\xa5" * 4096 + whole[at + 4096:])
            with self.subTest(at=at):
                page, ended = self.report(damaged, check=False)
                self.assertIn(ended.returncode, (0, 1), ended.stderr)
                if ended.returncode == 1:
                    self.assertEqual(len(ended.stderr.strip().splitlines()), 1, ended.stderr)
                    self.assertIn("damaged.trace", ended.stderr)
                    self.assertFalse(page.exists())
                elif "could not be read to its end" in page.read_text():
                    parts += 1
        self.assertGreater(parts, 0)

    def test_what_is_no_trace_is_refused_in_one_sentence(self):
        (self.directory / "garbage").write_bytes(b"no trace at all" * 1000)
        (self.directory / "empty").write_bytes(b"")
        (self.directory / "other.json").write_text('{"schema": "rocktune-bench/2"}')
        (self.directory / "compare.json").write_text('{"schema": "rocktune-compare/1"}')
        (self.directory / "half.json").write_text('{"schema": "rocktune-simul')
        (self.directory / "wrong.json").write_text('{"schema": "rocktune-simulate/1", "policies": [7]}')
        for name, said in (("garbage", "no trace"), ("empty", "empty"), ("none", "No such file"),
                           ("other.json", "rocktune simulate, rocktune validate, rocktune score"),
                           ("compare.json", "compare.html"), ("half.json", "neither a trace nor JSON"), ("wrong.json", "no list of objects")):
            with self.subTest(name=name):
                page, ended = self.report(self.directory / name, check=False)
                self.assertEqual(ended.returncode, 1, ended.stderr)
                self.assertIn(said, ended.stderr)
                self.assertEqual(len(ended.stderr.strip().splitlines()), 1, ended.stderr)
                self.assertFalse(page.exists())
        trace = self.trace_of("calm-24-1")
        before = trace.read_bytes()
        ended = self.rocktune("report", trace, "-o", trace, check=False)
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertEqual(trace.read_bytes(), before)

    def result_of(self, name, *command):
        result = self.directory / f"{name}.json"
        result.write_text(self.rocktune(*command, "--json", timeout=120).stdout)
        return result

    def sweep_of(self, *traces):
        """Two policies, one of them with two values of a parameter."""
        grid, result = self.directory / "grid.yaml", self.directory / "sweep.jsonl"
        grid.write_text("rung: closed_loop\npolicies: [static, {name: headroom, params: {limiter_raise_factor: [1.25, 2]}}]\n"
                        "seeds: 2\ncalibrate_until: 120\n")
        self.rocktune("sweep", grid, *traces, "-o", result, timeout=120)
        return result

    @needs_chromium
    def test_the_pages_of_results(self):
        trace, other = self.trace_of("stall-24-1"), self.trace_of("calm-24-1")
        few = ("--policies", "static,headroom", "--seeds", 3)
        results = (
            (self.result_of("simulated", "simulate", trace, *few, "--calibrate-until", 120), 5,
             ("comes first by", "Calibrated on the run", "Medians of 3 seeds", "does not foretell", "best in, of the seeds")),
            (self.result_of("scenario", "simulate", "--scenario", "write-burst", *few, "--cpus", 2), 5,
             ("nothing was calibrated on a run", "write-burst")),
            (self.sweep_of(trace, other), 5, ("Every combination", "Database by database", "Closed loop, simulated")),
            (self.result_of("validated", "validate", trace, "--calibrate-until", 120, "--seeds", 3), 0,
             ("Stall or none came out right in", "stall-24-1")),
            (self.result_of("scored", "score", trace, "--horizon", 60, "--detector", "static=0.7,rocktune-alerts"), 0,
             ("rocktune-alerts", "1 runs", "Open loop")),
            (self.result_of("replayed", "replay", trace, "--policy", "static,headroom,silk", "--indicators", "1m"), 0,
             ("What each policy would have decided", "static *", "headroom", "compaction_backlog", "recall@10", "no checksums", "Open loop")),
        )
        for result, figures, says in results:
            with self.subTest(result=result.name):
                page, _ = self.report(result)
                text = page.read_text()
                for one in says:
                    self.assertIn(one, text)
                for width in (390, 1280):
                    self.assert_whole(page, width, figures)

    def test_a_result_that_is_no_single_line_and_a_page_on_stdout(self):
        result = self.result_of("scored", "score", self.trace_of("calm-24-1"), "--horizon", 60, "--detector", "never")
        pretty = self.directory / "pretty.json"
        pretty.write_text(json.dumps(json.loads(result.read_text()), indent=2))
        page, _ = self.report(pretty)
        ended = self.rocktune("report", pretty, "-o", "-")
        self.assertEqual(ended.stdout, page.read_text())
        self.assertFalse(pathlib.Path("-").exists())

    @needs_chromium
    def test_a_name_full_of_markup_is_only_a_name(self):
        trace = self.trace_of("calm-24-1")
        evil = "</script><img src=x onerror=console.error('evil')><!-- \"' &"
        with sqlite3.connect(trace) as connection:
            connection.execute("update targets set name = ?", (evil,))
        connection.close()
        page, _ = self.report(trace)
        found = Elements(self.browse(page, 800, "--dump-dom")).found
        self.assertIsNone(found.get("img"))
        self.assertGreater(found.get("canvas"), 12)


if __name__ == "__main__":
    unittest.main()
