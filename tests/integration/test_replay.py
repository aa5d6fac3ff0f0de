"""What the daemon decided live in advise mode is what a replay of its trace decides, byte for byte."""

import json
import unittest

from support import World, needs_db_bench


@needs_db_bench
class Replay(World):
    def record(self, mode):
        daemon = self.start_daemon(mode=mode)
        self.assertEqual(self.squeezed_writes(12).wait(60), 0)
        self.assertEqual(self.stop(daemon), 0)
        return self.trace()

    def test_advise_mode_is_identical(self):
        trace = self.record("advise")
        first = self.rocktune("replay", trace, "--json").stdout
        self.assertEqual(first, self.rocktune("replay", trace, "--json").stdout, "the same bytes on every run")
        kinds = ("alert", "decision", "outcome")
        replayed = [line for line in first.splitlines() if json.loads(line).get("kind") in kinds]
        live = [line for line in self.alerts.read_text().splitlines() if json.loads(line)["kind"] in kinds]
        self.assertTrue([line for line in live if json.loads(line)["kind"] == "decision"], "nothing was decided")
        self.assertEqual(replayed, live)
        self.assertEqual(self.query("select count(*) from actuations where status = 'applied'")[0][0], 0)

    def test_act_mode_agrees_too(self):
        trace = self.record("act")
        replayed = [l for l in self.rocktune("replay", trace, "--json").stdout.splitlines() if '"kind":"decision"' in l]
        live = [l for l in self.alerts.read_text().splitlines() if '"kind":"decision"' in l]
        self.assertTrue(live)
        self.assertEqual([json.loads(l)["id"] for l in replayed], [json.loads(l)["id"] for l in live])

    def test_side_by_side(self):
        trace = self.record("advise")
        result = self.rocktune("replay", trace, "--policy", "static,headroom,silk,adoc")
        self.assertIn("static", result.stdout)
        self.assertIn("headroom", result.stdout)
        self.assertIn("adoc", result.stdout)
        bad = self.rocktune("replay", trace, "--policy", "hedroom", check=False)
        self.assertEqual(bad.returncode, 2)
        self.assertIn("headroom", bad.stderr, "the known policies are named")


if __name__ == "__main__":
    unittest.main()
