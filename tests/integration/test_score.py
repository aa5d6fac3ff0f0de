"""rocktune score and rocktune alerts --score on runs that a daemon really recorded."""

import json
import sqlite3
import unittest

from support import World, needs_db_bench

DAY_NS = 86_400 * 10**9


@needs_db_bench
class Score(World):
    def record(self):
        """A quiet minute, then writes far above the rate limit: one write stall after a quiet time."""
        daemon = self.start_daemon(mode="observe")
        calm = self.db_bench("--benchmarks=fillrandom", "--duration=60", "--num=50000000", "--value_size=400",
                             "--write_buffer_size=1048576", "--benchmark_write_rate_limit=100000")
        self.assertEqual(calm.wait(120), 0)
        self.assertEqual(self.squeezed_writes(12).wait(60), 0)
        self.assertEqual(self.stop(daemon), 0)
        return self.trace()

    def later(self, trace, days):
        """The same run again, as if on a later day."""
        copy = self.directory / f"later{days}.sqlite"
        connection = sqlite3.connect(trace)
        connection.execute("vacuum into ?", (str(copy),))  # without checksums of pages: it may be changed
        connection.close()
        connection = sqlite3.connect(copy)
        connection.execute("update samples set wall_ns = wall_ns + ?", (days * DAY_NS,))
        connection.commit()
        connection.close()
        return copy

    def test_runs_are_scored_in_the_order_of_their_dates(self):
        trace = self.record()
        traces = [self.later(trace, 2), trace, self.later(trace, 1)]
        result = self.rocktune("score", *traces, "--horizon", "10,30", "--json")
        scored = json.loads(result.stdout)
        self.assertEqual([run["run"] for run in scored["runs"]], ["later1", "later2"])
        self.assertEqual(scored["runs"][1]["trained_on"], [trace.stem, "later1"])
        tables = {(t["indicator"], t["horizon_seconds"]): t for t in scored["tables"]}
        backlog = tables["compaction_backlog", 30]
        self.assertEqual(backlog["events"], 2, "one write stall in each run")
        rows = {row["detector"]: row for row in backlog["detectors"]}
        self.assertEqual(rows["never"]["alarms"]["recall"]["2"]["value"], 0)
        self.assertEqual(rows["never"]["alarms"]["false_alarms"], 0)
        for row in rows.values():
            self.assertEqual(row["alarms"]["caught"] + row["alarms"]["false_alarms"], row["alarms"]["alarms"])
            self.assertEqual(len(row["alarms"]["runs"]), 2)
        self.assertGreater(rows["rocktune"]["probability"]["seconds"], 0)
        self.assertEqual(result.stdout, self.rocktune("score", *traces, "--horizon", "10,30", "--json").stdout,
                         "the same bytes on every run")

        text = self.rocktune("score", *traces).stdout
        self.assertIn("compaction_backlog within 60 s: 2 events", text)
        self.assertNotRegex(text, r"\bnan\b|\binf\b")
        alone = self.rocktune("score", trace).stdout
        self.assertIn("no threshold could be chosen", alone)

        totals = json.loads(self.rocktune("alerts", self.alerts, "--score", "--json").stdout)
        self.assertIn("compaction_backlog", [one["indicator"] for one in totals["indicators"]])
        self.assertIn("false/day", self.rocktune("alerts", self.alerts, "--score").stdout)

    def test_mistakes_are_one_sentence(self):
        for arguments, code in ((("score",), 2), (("score", "none.sqlite"), 1), (("score", "x", "--detector", "sttic"), 2),
                                (("alerts", "none.jsonl", "--score"), 1)):
            result = self.rocktune(*arguments, check=False)
            self.assertEqual(result.returncode, code, result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)


if __name__ == "__main__":
    unittest.main()
