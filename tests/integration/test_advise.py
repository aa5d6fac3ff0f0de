"""rocktune advise on the recorded runs of tests/data."""

import contextlib
import gzip
import json
import pathlib
import re
import shutil
import sqlite3
import unittest

from support import World, needs_db_bench, wait_for

DATA = pathlib.Path(__file__).resolve().parents[1] / "data"
RULES = {"auto_compactions", "compaction_style", "level1_size", "dynamic_levels", "level0_triggers", "memtables", "small_memtables", "background_jobs",
         "subcompactions", "delayed_write_rate", "rate_limiter", "statistics", "cache_size", "bloom_filter", "partitioned_filters",
         "wal_sync", "manual_wal_flush", "wal_compression", "direct_io", "tuned"}
ADVICE = {"rule": str, "column_family": str, "title": str, "evidence": list, "effect": dict, "confidence": str,
          "confidence_reason": str, "risk": str, "steps": list, "how": str, "source": str}
UNITS = {"times", "ratio", "bytes", "bytes_per_second", "microseconds", "seconds", "count"}


class Advise(World):
    def unpacked(self, name):
        trace = self.directory / f"{name}.sqlite"
        with gzip.open(DATA / f"{name}.trace.gz") as packed, open(trace, "wb") as out:
            shutil.copyfileobj(packed, out)
        return trace

    def advised(self, *arguments):
        result = self.rocktune("advise", *arguments, "--json")
        self.assertEqual(result.stdout.count("\n"), 1)
        document = json.loads(result.stdout, parse_constant=lambda word: self.fail(f"{word} in JSON"))
        self.assertEqual(document["schema"], "rocktune-advice/1")
        for database in document["databases"]:
            self.check_database(database)
        return document["databases"]

    def check_database(self, database):
        for one in database["advice"]:
            for key, kind in ADVICE.items():
                self.assertIsInstance(one[key], kind, key)
            self.assertEqual(set(one), set(ADVICE))
            self.assertIn(one["effect"]["unit"], UNITS)
            self.assertLessEqual(one["effect"]["low"], one["effect"]["high"])
            self.assertTrue(one["evidence"] and one["steps"] and one["effect"]["reason"])
            self.assertIn(one["confidence"], ("low", "medium", "high"))
        said = {one["rule"] for key in ("advice", "not_judged", "content") for one in database[key]}
        self.assertEqual(said, RULES, "no rule is silent")

    def test_a_limiter_that_is_too_tight(self):
        trace = self.unpacked("stall-16-1")
        database, = self.advised(trace)
        self.assertEqual((database["name"], database["rocksdb_version"]), ("stall-16-1", "7.8.3"))
        self.assertGreater(database["seconds"], 470)
        self.assertEqual(database["traces"], [str(trace)])
        self.assertIn("rate_limiter", [one["rule"] for one in database["advice"]])
        text = self.rocktune("advise", trace).stdout
        self.assertIn("1. a higher rate limit   [rate_limiter]", text)
        self.assertIn("Not judged, and why:", text)
        self.assertNotRegex(text, r"\bnan\b|\binf\b|huge")
        self.assertEqual(text, self.rocktune("advise", trace).stdout, "the same bytes on every run")
        self.assertFalse([line for line in re.findall(r"(?m)^   (?:evidence|expect|risk|how) .*$", text) if len(line) > 100])

    def test_a_quiet_database_is_left_in_peace(self):
        database, = self.advised(self.unpacked("calm-40-1"))
        disturbing = {"compaction_style", "rate_limiter", "background_jobs", "memtables", "level0_triggers", "statistics"}
        self.assertFalse(disturbing & {one["rule"] for one in database["advice"]}, database["advice"])

    def test_traces_of_one_database_count_together(self):
        calm, stall = self.unpacked("calm-16-1"), self.unpacked("stall-16-1")
        databases = self.advised(stall, calm)
        self.assertEqual([one["name"] for one in databases], ["calm-16-1", "stall-16-1"], "by time")
        one, = self.advised(stall, calm, "--target", "stall-16-1")
        self.assertEqual(one["name"], "stall-16-1")
        again = self.directory / "again.sqlite"
        shutil.copy(stall, again)
        result = self.rocktune("advise", stall, again, check=False)
        self.assertEqual(result.returncode, 2, result.stderr)
        self.assertIn("is the same run as", result.stderr)
        again.unlink()
        connection = sqlite3.connect(stall)
        connection.execute("vacuum into ?", (str(again),))  # without checksums of pages: it may be changed
        connection.close()
        connection = sqlite3.connect(again)
        connection.execute("update samples set wall_ns = wall_ns + ?", (86400 * 10**9,))
        connection.commit()
        connection.close()
        both, = self.advised(stall, again)
        self.assertEqual(len(both["traces"]), 2)
        self.assertGreater(both["seconds"], 2 * 470)

    def test_options_fill_what_a_trace_lacks(self):
        trace = self.unpacked("calm-16-1")
        database, = self.advised(trace)
        self.assertIn("direct_io", [one["rule"] for one in database["not_judged"]])
        directory = self.directory / "rocksdb"
        directory.mkdir()
        (directory / "OPTIONS-000007").write_text("[DBOptions]\n  use_direct_io_for_flush_and_compaction=false\n")
        (directory / "OPTIONS-000012").write_text(
            "# of RocksDB\n[Version]\n  rocksdb_version=7.8.3\n[DBOptions]\n  use_direct_io_for_flush_and_compaction=true\n"
            "  max_subcompactions=1\n[CFOptions \"default\"]\n  num_levels=7\n[TableOptions/BlockBasedTable \"default\"]\n"
            "  filter_policy=bloomfilter:10:false\n  cache_index_and_filter_blocks=false\n  partition_filters=false\n")
        for path in (directory, directory / "OPTIONS-000012"):
            told, = self.advised(trace, "--options", path)
            self.assertIn({"rule": "direct_io", "column_families": [], "why": "flushes and compactions use it"}, told["content"])
            self.assertEqual(told["not_judged"], [])
        result = self.rocktune("advise", trace, "--options", directory / "OPTIONS-000007", check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("no OPTIONS file of RocksDB", result.stderr)
        several = self.rocktune("advise", trace, self.unpacked("stall-16-1"), "--options", directory, check=False)
        self.assertEqual(several.returncode, 2)
        self.assertIn("--target chooses", several.stderr)

    def stretched(self, trace, name, sql="", times=12):
        """A copy in which time went by so much more slowly: what is judged needs a minute. Without checksums, so that it may be changed."""
        copy = self.directory / name
        with contextlib.closing(sqlite3.connect(trace)) as connection:
            connection.execute("vacuum into ?", (str(copy),))
        with contextlib.closing(sqlite3.connect(copy)) as connection:
            first = connection.execute("select min(wall_ns), min(tick_ns), min(agent_tick_ns) from samples").fetchone()
            for column, start in zip(("wall_ns", "tick_ns", "agent_tick_ns"), first):
                connection.execute(f"update samples set {column} = ? + ({column} - ?) * ?", (start, start, times))
            connection.executescript(sql)
            connection.commit()
        return copy

    @needs_db_bench
    def test_options_come_with_a_trace_of_rocktuned(self):
        for mode in ("observe", "act"):
            with self.subTest(mode):
                self.end_processes()
                self.start_daemon(mode=mode)
                self.db_bench("--benchmarks=fillrandom,readwhilewriting", "--duration=60", "--num=100000", "--bloom_bits=10", "--threads=1",
                              "--partition_index_and_filters=true", "--statistics", "--benchmark_write_rate_limit=2000000", db=mode)
                wait_for("the options of the opening", lambda: self.query("select 1 from incarnations where options is not null"))
                recorded = self.query("select count(*) from samples")[0][0]
                wait_for("some samples", lambda: self.query("select count(*) from samples")[0][0] >= recorded + 16)
                self.end_processes()
                self.check_recorded_options(self.trace())

    def check_recorded_options(self, trace):
        told = json.loads(self.query("select options from incarnations order by id desc")[0][0])
        self.assertEqual(told["database"]["use_direct_io_for_flush_and_compaction"], "false")
        self.assertEqual(told["column_families"]["default"]["filter_policy"], "bloomfilter:10:false")
        self.assertNotIn(str(self.directory), json.dumps(told), "no path of the host")
        self.assertLess(len(json.dumps(told)), 1200)
        stretched = self.stretched(trace, f"{trace.stem}-told.sqlite")
        bare = self.stretched(trace, f"{trace.stem}-bare.sqlite", "update incarnations set options = null")
        database, = self.advised(stretched)
        content = {one["rule"]: one["why"] for one in database["content"]}
        self.assertEqual(content.get("partitioned_filters"), "filters are partitioned", database["not_judged"])
        self.assertIn("direct_io", content)
        self.assertNotIn("--options", json.dumps(database["not_judged"]))
        without, = self.advised(bare)
        self.assertIn("--options", json.dumps(without["not_judged"]))
        # The file wins over what the trace has.
        file = self.directory / "OPTIONS-000009"
        file.write_text("[DBOptions]\n  use_direct_io_for_flush_and_compaction=true\n[CFOptions \"default\"]\n  num_levels=7\n")
        other, = self.advised(stretched, "--options", file)
        self.assertIn({"rule": "direct_io", "column_families": [], "why": "flushes and compactions use it"}, other["content"])
        # A replay does not see them.
        told, bare = (self.rocktune("replay", path, "--json").stdout.replace(str(path), "") for path in (stretched, bare))
        self.assertIn("rocktune-replay/1", told)
        self.assertEqual(told, bare)

    def test_mistakes_are_one_sentence(self):
        trace = self.unpacked("calm-16-1")
        text = self.directory / "text"
        text.write_text("no trace")
        for arguments, code, words in (((), 2, "TRACE"), (("none.sqlite",), 1, "none.sqlite"), ((text,), 1, "trace"),
                                       ((trace, trace), 2, "twice"), ((trace, "--target", "other"), 2, "calm-16-1"),
                                       ((trace, "--jsn"), 2, "--jsn")):
            result = self.rocktune("advise", *arguments, check=False)
            self.assertEqual((result.returncode, result.stdout), (code, ""), result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
            self.assertIn(words, result.stderr)


if __name__ == "__main__":
    unittest.main()
