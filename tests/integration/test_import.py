"""A LOG that db_bench leaves behind becomes a trace that the other commands read."""

import gzip
import json
import shutil
import signal
import sqlite3
import subprocess
import unittest

from support import BIN, World, needs_db_bench, wait_for


@needs_db_bench
class Import(World):
    def write_log(self):
        """A database that was opened twice, with two column families, delayed by a low slowdown trigger."""
        common = ("--write_buffer_size=1000000", "--target_file_size_base=1000000", "--max_bytes_for_level_base=4000000",
                  "--level0_slowdown_writes_trigger=5", "--level0_stop_writes_trigger=12", "--num_column_families=2",
                  "--value_size=200", "--compression_type=none", "--threads=1")
        first = self.db_bench("--benchmarks=fillrandom", "--num=60000", *common, under_agent=False)
        self.assertEqual(first.wait(120), 0)
        # Quiet at the end: the last sample is from before the close.
        second = self.db_bench("--benchmarks=overwrite,waitforcompaction", "--use_existing_db=1", "--num=60000", *common,
                               under_agent=False)
        self.assertEqual(second.wait(120), 0)
        return self.directory / "db"

    def imported(self, source, *options):
        trace = self.directory / "imported.sqlite"
        trace.unlink(missing_ok=True)
        result = self.rocktune("import", "rocksdb-log", source, "-o", trace, "--interval", "0.1", "--json", *options)
        return trace, json.loads(result.stdout)

    def test_a_log_becomes_a_trace(self):
        database = self.write_log()
        trace, summary = self.imported(database)
        self.assertEqual(summary["sessions"], 2)
        self.assertEqual(summary["column_families"], 2)
        self.assertEqual(summary["damage"], [])
        self.assertEqual((summary["events_of_unknown_family"], summary["clock_set_backs"], summary["lines"]["damaged"]), (0, 0, 0))
        self.assertTrue([line for line in summary["absent"] if "p99" in line])
        info = json.loads(self.rocktune("trace", "info", trace, "--json").stdout)
        target = info["targets"][0]
        self.assertEqual(target["path"], str(database))
        self.assertEqual(len(target["incarnations"]), 2)
        self.assertEqual(target["events"]["flush_end"], target["events"]["flush_begin"])
        self.rocktune("report", trace, "-o", self.directory / "imported.html")
        page = (self.directory / "imported.html").read_text()
        self.assertIn("Imported by rocktune", page)
        self.assertIn("What it was asked for is not recorded.", page)

        with sqlite3.connect(trace) as db:
            # The end of each run: every table is in a level, and the sizes are the files' own.
            names = [row[0] for row in db.execute("select distinct name from column_family_options")]
            self.assertEqual(len(names), 2)
            files, size = db.execute(
                "select sum(l0_files+l1_files+l2_files+l3_files), sum(l0_bytes+l1_bytes+l2_bytes+l3_bytes) from "
                "column_family_samples where sequence = (select max(sequence) from samples)").fetchone()
            tables = list(database.glob("*.sst"))
            self.assertAlmostEqual(files, len(tables), delta=2)
            self.assertAlmostEqual(size / 1e6, sum(table.stat().st_size for table in tables) / 1e6, delta=2)
            self.assertGreater(db.execute("select max(l0_compactions) from column_family_states").fetchone()[0], 0)
            falls = db.execute(
                "select count(*) from (select flush_bytes_written - lag(flush_bytes_written) over "
                "(partition by incarnation order by sequence) as d from samples) where d < 0").fetchone()[0]
            self.assertEqual(falls, 0)
        self.rocktune("replay", trace)

        # Compressed, the LOG tells the same.
        packed = self.directory / "packed"
        packed.mkdir()
        for log in database.glob("LOG*"):
            with open(log, "rb") as plain, gzip.open(packed / (log.name + ".gz"), "wb") as out:
                shutil.copyfileobj(plain, out)
        self.assertEqual(self.imported(packed)[1]["events"], summary["events"])

    def test_mistakes_are_one_sentence_each(self):
        out = self.directory / "out.sqlite"
        (self.directory / "LOG").write_text("no LOG at all\n")
        cases = (
            (2, ("import", "rocksdb-log", self.directory / "LOG")),
            (1, ("import", "rocksdb-log", self.directory / "LOG", "-o", out)),
            (1, ("import", "rocksdb-log", self.directory / "nothing", "-o", out)),
            (2, ("import", "rocksdb-log", self.directory / "LOG", "-o", out, "--side", "x.csv")),
            (2, ("import", "rocksdb-log", self.directory / "LOG", "-o", out, "--interval", "0")),
        )
        for code, arguments in cases:
            result = self.rocktune(*arguments, check=False)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
        self.assertFalse(out.exists())
        result = self.rocktune("import", "rocksdb-log", check=False)
        self.assertIn("see rocktune import rocksdb-log --help", result.stderr)

    def test_interrupted_it_leaves_nothing(self):
        log = self.directory / "in"
        log.mkdir()
        lines = ["2024/03/01-00:00:00.000000 1 RocksDB version: 11.8.1", "2024/03/01-00:00:00.000000 1 DB Session ID:  X"]
        for half_hour in range(48 * 20):  # at 0.1 s, 17 million samples
            lines.append("2024/03/%02d-%02d:%02d:01.000000 1 [a.cc:1] [default] New memtable created at log file: #1. "
                         "Immutable memtables: 0." % (half_hour // 48 + 1, half_hour // 2 % 24, half_hour % 2 * 30))
        (log / "LOG").write_text("\n".join(lines) + "\n")
        out = self.directory / "out"
        out.mkdir()
        process = subprocess.Popen([BIN / "rocktune", "import", "rocksdb-log", log, "-o", out / "t.sqlite", "--interval", "0.1"],
                                   stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        wait_for("the import to begin", lambda: list(out.iterdir()))
        process.send_signal(signal.SIGINT)
        _, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, errors)
        self.assertEqual(list(out.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
