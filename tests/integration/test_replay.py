"""What the daemon decided live in advise mode is what a replay of its trace decides, byte for byte; what else a replay tells."""

import gzip
import json
import unittest

from support import ROOT, World, needs_db_bench


def ended_with_its_database(line):
    """No sample tells of that: it is in the alert log alone."""
    return line["kind"] == "alert" and line["state"] == "ok" and line["message"].startswith("ended after")


@needs_db_bench
class Replay(World):
    def record(self, mode):
        daemon = self.start_daemon(mode=mode)
        self.assertEqual(self.squeezed_writes(12).wait(60), 0)
        self.assertEqual(self.stop(daemon), 0)
        return self.trace()

    def check_as_live(self, replayed, trace):
        """What was replayed is what the alert log has, byte for byte, and --check finds the same."""
        def judged(lines):
            return [line for line in lines.splitlines() if json.loads(line)["kind"] in ("alert", "decision", "outcome")
                    and not ended_with_its_database(json.loads(line))]

        live = judged(self.alerts.read_text())
        self.assertTrue([line for line in live if json.loads(line)["kind"] == "decision"], "nothing was decided")
        self.assertEqual(judged(replayed), live)
        self.rocktune("replay", trace, "--check")

    def test_advise_mode_is_identical(self):
        trace = self.record("advise")
        first = self.rocktune("replay", trace, "--json").stdout
        self.assertEqual(first, self.rocktune("replay", trace, "--json").stdout, "the same bytes on every run")
        self.check_as_live(first, trace)
        self.assertEqual(self.query("select count(*) from actuations where status = 'applied'")[0][0], 0)

    def test_act_mode_agrees_too(self):
        trace = self.record("act")
        self.check_as_live(self.rocktune("replay", trace, "--json").stdout, trace)
        self.assertGreater(self.query("select count(*) from actuations where status = 'applied'")[0][0], 0)

    def test_side_by_side(self):
        trace = self.record("advise")
        result = self.rocktune("replay", trace, "--policy", "static,headroom,silk,adoc")
        self.assertIn("static", result.stdout)
        self.assertIn("headroom", result.stdout)
        self.assertIn("adoc", result.stdout)
        bad = self.rocktune("replay", trace, "--policy", "hedroom", check=False)
        self.assertEqual(bad.returncode, 2)
        self.assertIn("headroom", bad.stderr, "the known policies are named")
        unchecked = self.rocktune("replay", trace, "--policy", "static,silk", "--check", check=False)
        self.assertEqual(unchecked.returncode, 2)
        self.assertIn("nothing to check", unchecked.stderr)


class ReplayRecorded(World):
    """On a run of tests/data, of 480 s, that an older build recorded."""

    def setUp(self):
        super().setUp()
        self.recorded = self.directory / "stall-24-1.trace"
        self.recorded.write_bytes(gzip.decompress((ROOT / "tests" / "data" / "stall-24-1.trace.gz").read_bytes()))

    def lines(self, *arguments):
        return [json.loads(line) for line in self.rocktune("replay", self.recorded, "--json", *arguments).stdout.splitlines()]

    def test_alarms_are_those_of_score(self):
        replays = [line for line in self.lines("--policy", "static,headroom") if line["kind"] == "replay"]
        self.assertEqual([one["policy"] for one in replays], ["static", "headroom"])
        for one in replays:
            self.assertEqual((one["schema"], one["rung"], one["checksums"]), ("rocktune-replay/1", "open_loop", False))
        self.assertEqual(replays[0]["alarms"], replays[1]["alarms"])
        horizon = replays[0]["alarms"][0]["horizon_seconds"]
        scored = json.loads(self.rocktune("score", self.recorded, "--detector", "rocktune-alerts", "--model", "none", "--horizon", horizon,
                                          "--json").stdout)
        self.assertEqual(scored["rung"], "open_loop")
        tables = {table["indicator"]: table["detectors"][0]["alarms"] for table in scored["tables"]}
        self.assertGreater(tables["compaction_backlog"]["events"], 0)
        for alarms in replays[0]["alarms"]:
            for key in ("seconds", "events", "caught", "alarms", "false_alarms", "unresolved_alarms"):
                self.assertEqual(alarms[key], tables[alarms["indicator"]][key], (alarms["indicator"], key))

    def test_indicators_as_often_as_is_asked_for(self):
        for every, moments in (("0", 480), ("100", 5), ("1m", 8)):
            with self.subTest(every=every):
                told = [line for line in self.lines("--policy", "static,silk", "--indicators", every) if line["kind"] == "indicator"]
                self.assertEqual(len(told), 3 * moments, "three at a time, and once for all policies")
        text = self.rocktune("replay", self.recorded, "--indicators", "1m").stdout
        self.assertEqual(len([line for line in text.splitlines() if "  compaction_backlog " in line and "  p99 " in line]), 8)
        for wrong in ("-1", "often"):
            ended = self.rocktune("replay", self.recorded, "--indicators", wrong, check=False)
            self.assertEqual(ended.returncode, 2)
            self.assertEqual(len(ended.stderr.strip().splitlines()), 1, ended.stderr)

    def test_what_differs_says_who_recorded_it(self):
        ended = self.rocktune("replay", self.recorded, "--check", check=False)
        self.assertEqual(ended.returncode, 1)
        self.assertIn("of 480 steps differ from what was recorded", ended.stdout)
        self.assertIn("recorded by    rocktuned 0.1.0 on vm; of another build than this rocktune", ended.stdout)
        self.assertIn("schema 2 has no checksums: damage may go unnoticed", ended.stdout)
        self.assertIn("schema 2 has no checksums", self.rocktune("trace", "info", self.recorded).stdout)


if __name__ == "__main__":
    unittest.main()
