"""What happens inside a database reaches the trace, the alert log and the operator's terminal; also what no daemon saw."""

import json
import sqlite3
import subprocess
import time
import unittest

from support import BIN, Process, World, needs_db_bench, wait_for

RETURNS = "FROM database_events WHERE kind = 'change' AND why = 'lease_expired'"
RETURNED = f"SELECT knob, before, after, wall_ns {RETURNS} AND column_family = ''"


@needs_db_bench
class Events(World):
    def rows(self, sql, path):
        try:
            return self.query(sql, path)
        except sqlite3.OperationalError as problem:
            if "no such table" not in str(problem):  # the file is just being made
                raise
            return []

    def test_returns_in_a_daemons_absence_are_in_the_next_ones_trace(self):
        daemon = self.start_daemon(lease="3s")
        host = self.tuned_host()
        first = self.trace()
        daemon.kill()
        daemon.wait()
        gone = time.time()
        changed = self.changed(host)
        wait_for("every knob to be back", lambda: self.all_back(host), 60)
        back = time.time()
        self.assertEqual(self.rows(RETURNED, first), [], "nobody was there to record it")

        self.start_daemon(mode="observe")
        second = wait_for("the next trace", lambda: self.trace() != first and self.trace())
        rows = wait_for("the returns in it", lambda: self.rows(RETURNED, second), 10)
        self.assertEqual({row[0] for row in rows}, set(changed))
        for knob, before, after, wall_ns in rows:
            self.assertEqual(before, changed[knob]["value"])
            self.assertEqual(after, changed[knob]["found"])
            self.assertTrue(gone <= wall_ns / 1e9 <= back + 5, "told with the time when it happened")

        # The host's own LOG has a line for each, and the operator is told once.
        log = self.directory / "db" / "LOG"
        for knob in changed:
            wait_for(f"{knob} in it", lambda: [line for line in log.read_text(errors="replace").splitlines()
                                               if "rocktune" in line and knob in line])
        lines = wait_for("the alert log's line", lambda: self.alert_lines("event"))
        told = [line for line in lines if line["id"] == "change"]
        self.assertEqual(len(told), 1, lines)
        for knob in changed:
            self.assertIn(knob, told[0]["message"])
        self.assertIn("no daemon held it any longer", self.rocktune("alerts", self.alerts, "--kind", "event").stdout)

        # The trace's own tools know of them.
        info = json.loads(self.rocktune("trace", "info", second, "--json").stdout)
        self.assertEqual(info["targets"][0]["events"]["change"], self.query(f"SELECT count(*) {RETURNS}", second)[0][0])
        self.rocktune("replay", second)

    def test_operator_sees_events_and_knobs_without_a_daemon(self):
        host = self.squeezed_writes()
        self.served_by(host)
        where = ("--agent-dir", self.agents)

        def flushed():
            lines = self.rocktune("events", *where, "--kind", "flush_end", "--json", check=False).stdout.splitlines()
            return [json.loads(line) for line in lines]

        events = wait_for("a flush", flushed, 20)
        self.assertEqual(events[0]["database"], str(self.directory / "db"))
        self.assertEqual(events[0]["pid"], host.pid)
        self.assertGreater(events[0]["numbers"]["output_bytes"], 0)
        self.assertIn("compaction_end", wait_for(
            "a compaction", lambda: self.rocktune("events", *where, "--kind", "compaction_end").stdout, 20))

        follow = Process([str(BIN / "rocktune"), "events", "--follow", *map(str, where)], stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, text=True)
        self.processes.append(follow)
        seen = [follow.stdout.readline() for _ in range(3)]
        self.assertTrue(all(line.startswith("20") for line in seen), seen)
        follow.terminate()
        follow.wait(10)

        text = self.rocktune("knobs", *where, "--database", "db").stdout
        for part in (str(self.directory / "db"), "max_background_jobs", "rate_limiter_bytes_per_second", "4 MiB/s"):
            self.assertIn(part, text)
        knobs = json.loads(self.rocktune("knobs", *where, "--pid", host.pid, "--json").stdout)["databases"][0]["knobs"]
        self.assertIn("write_buffer_size", {knob["name"] for knob in knobs})

        text = self.rocktune("stats", *where).stdout
        for part in ("write_amplification", "(flush.write.bytes + compact.write.bytes) / bytes.written", "levels of default"):
            self.assertIn(part, text)
        statistics = json.loads(self.rocktune("stats", *where, "--json").stdout)["databases"][0]["statistics"]
        self.assertGreater(statistics["tickers"]["bytes.written"], 0)

    def test_no_agent_is_one_clear_error(self):
        for command in ("events", "knobs", "stats"):
            result = self.rocktune(command, "--agent-dir", self.agents, check=False)
            self.assertEqual(result.returncode, 1, command)
            self.assertIn(str(self.agents), result.stderr)
            self.assertEqual(len(result.stderr.strip().splitlines()), 1)


if __name__ == "__main__":
    unittest.main()
