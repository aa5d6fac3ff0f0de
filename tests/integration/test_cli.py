"""The operator's commands against a live daemon: status, watch, alerts, release, rollback."""

import json
import subprocess
import time
import unittest

from support import BIN, World, needs_db_bench, wait_for


@needs_db_bench
class Cli(World):
    def act(self):
        self.start_daemon()
        return self.tuned_host()

    def test_status_watch_and_alerts(self):
        self.act()
        text = self.rocktune("status", "--socket", self.control).stdout
        self.assertIn(str(self.directory / "db"), text)
        self.assertIn("max_background_jobs", text)
        wait_for("it to be live", lambda: json.loads(self.rocktune(
            "status", "--socket", self.control, "--json").stdout)["targets"][0]["state"] == "live")
        watch = self.spawn([BIN / "rocktune", "watch", "--socket", self.control], "watch.log")
        wait_for("two blocks", lambda: (self.directory / "watch.log").read_text().count(str(self.directory / "db")) >= 2)
        self.assertEqual(self.stop(watch), 0)
        readable = self.rocktune("alerts", self.alerts).stdout
        self.assertIn("rate_limiter_bytes_per_second", readable)
        for line in self.rocktune("alerts", self.alerts, "--json").stdout.splitlines():
            json.loads(line)

    def test_rollback_holds_until_released(self):
        host = self.act()
        found = {n: k["found"] for n, k in self.knobs(host).items()}
        # What RocksDB could not change while writes are stopped is refused, and goes back later.
        rolled_back = json.loads(self.rocktune("rollback", "--all", "--json", "--socket", self.control, check=False).stdout)
        self.assertIn("rate_limiter_bytes_per_second", [result["knob"] for result in rolled_back["results"]])
        wait_for("all to be back", lambda: {n: k["value"] for n, k in self.knobs(host).items()} == found, 60)
        time.sleep(4)
        self.assertEqual({n: k["value"] for n, k in self.knobs(host).items()}, found, "the operator wins")
        self.assertTrue(all(k["owner"] == "manual" for k in self.knobs(host).values() if k["changeable"]))
        released = json.loads(self.rocktune("release", "rate_limiter_bytes_per_second", "--json", "--socket", self.control).stdout)
        self.assertEqual([result["knob"] for result in released["results"]], ["rate_limiter_bytes_per_second"])
        wait_for("tuning to go on", lambda: self.knobs(host)["rate_limiter_bytes_per_second"]["owner"] == "rocktune", 30)
        self.assertEqual(self.knobs(host)["max_background_jobs"]["value"], found["max_background_jobs"])
        self.assertTrue(self.alert_lines("manual"))

    def test_no_daemon_is_one_clear_error(self):
        result = self.rocktune("status", "--socket", self.directory / "none.sock", check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("none.sock", result.stderr)
        self.assertEqual(len(result.stderr.strip().splitlines()), 1)

        frozen = self.rocktune("freeze", "--socket", self.directory / "none.sock", check=False)
        self.assertEqual(frozen.returncode, 1)
        self.assertIn("`touch /run/rocktune/freeze` does the same", frozen.stderr)
        unfrozen = self.rocktune("unfreeze", "--socket", self.directory / "none.sock", check=False)
        self.assertIn("`rm /run/rocktune/freeze` does the same", unfrozen.stderr)

    def test_usage_errors_exit_2(self):
        for arguments in ((), ("nonsense",), ("replay",), ("status", "--nonsense")):
            self.assertEqual(self.rocktune(*arguments, check=False).returncode, 2, arguments)

    def test_what_cannot_be_printed_is_no_success(self):
        with open("/dev/full", "w") as full:
            for arguments in (("--help",), ("simulate", "--scenario", "steady", "--policies", "static", "--seeds", "1")):
                ended = subprocess.run([BIN / "rocktune", *arguments], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300)
                self.assertEqual(ended.returncode, 1, arguments)
                self.assertIn("stdout cannot be written", ended.stderr)


if __name__ == "__main__":
    unittest.main()
