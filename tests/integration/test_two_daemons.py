"""Two daemons over the same databases: of one name the second does not start, under another one it says that it cannot act."""

import json
import os
import signal
import subprocess
import unittest
from pathlib import Path

from support import BIN, World, needs_db_bench, request, wait_for


class TwoDaemons(World):
    POLL = 0.2

    def second(self, *arguments, config=None):
        config = config or self.directory / "rocktuned.yaml"
        other = self.directory / "other"
        return [BIN / "rocktuned", "--config", config, "--alert-log", other / "alerts.jsonl",
                "--trace-dir", other / "traces", "--set", f"daemon.control_socket={other / 'rocktuned.sock'}", *arguments]

    def test_one_name_is_one_daemons(self):
        first = self.start_daemon(mode="advise")
        command = list(map(str, self.second()))
        refused = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(refused.returncode, 1, refused.stderr)
        self.assertIn(f"another rocktuned (pid {first.pid}) is called 'rocktuned' and looks after the agents in {self.agents}: "
                      "stop it, or give one of them another daemon.name", refused.stderr)
        self.assertFalse((self.directory / "other" / "traces").exists(), "it leaves no trace behind")
        checked = subprocess.run([*command, "--check-config", command[2]], capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        first.kill()
        first.wait()
        second = self.spawn(command, "second.log")
        log = self.directory / "second.log"
        wait_for("the second", lambda: "started, mode" in log.read_text() or second.poll() is not None)
        self.assertIsNone(second.poll(), "a name is free once its daemon was killed")
        self.assertEqual(self.stop(second), 0)

    def test_a_reload_does_not_lead_to_the_other_ones_agents(self):
        self.start_daemon(mode="advise")
        config = self.directory / "second.yaml"
        text = (self.directory / "rocktuned.yaml").read_text()
        elsewhere = text.replace(f"agent_dir: {self.agents}", f"agent_dir: {self.directory / 'elsewhere'}")
        config.write_text(elsewhere)
        second = self.spawn(self.second(config=config), "second.log")

        def said(words):
            return wait_for(words, lambda: words in (self.directory / "second.log").read_text())

        said("started")
        config.write_text(text)
        second.send_signal(signal.SIGHUP)
        said("is called 'rocktuned' and looks after the agents in")
        said("reload refused")
        config.write_text(elsewhere.replace("elsewhere", "a-third"))
        second.send_signal(signal.SIGHUP)
        said("configuration reloaded")

        def locked(pid):
            return [str(path.resolve()) for path in Path(f"/proc/{pid}/fd").iterdir() if str(path.resolve()).endswith(".lock")]

        # The directory is made, and held alone: the one before is free for others.
        self.assertEqual(locked(second.pid), [str(self.directory / "a-third" / f"rocktuned.{os.getuid()}.lock")])
        config.write_text(elsewhere)
        third = self.spawn(self.second("--set", f"daemon.control_socket={self.directory / 'third.sock'}", config=config), "third.log")
        log = self.directory / "third.log"
        wait_for("a third", lambda: "started, mode" in log.read_text() or third.poll() is not None)
        self.assertIsNone(third.poll(), log.read_text())
        second.send_signal(signal.SIGHUP)
        said(f"another rocktuned (pid {third.pid}) is called 'rocktuned'")
        self.assertEqual(self.stop(third), 0)
        self.assertEqual(self.stop(second), 0)

    @needs_db_bench
    def test_another_name_cannot_act(self):
        first = self.start_daemon()
        host = self.tuned_host()
        # One that wants its own rate, whatever the first has already mended.
        config = self.directory / "second.yaml"
        config.write_text((self.directory / "rocktuned.yaml").read_text() + """
defaults:
  policy: silk
  policy_params: {device_bytes_per_second: 100e6, least_bytes_per_second: 1e6}
  budget: {rate_limit_min: 1MiB/s}
""")
        second = self.spawn(self.second("--set", "daemon.name=second", config=config), "second.log")
        log, socket = self.directory / "other" / "alerts.jsonl", self.directory / "other" / "rocktuned.sock"
        said = "another daemon, 'rocktuned', holds the lease: nothing can be changed from here"

        def lines(kind):
            return [line for line in map(json.loads, log.read_text().splitlines()) if line["kind"] == kind]

        wait_for("a refusal", lambda: log.exists() and lines("actuation"), 60)
        self.assertIn(f"! lease: {said}", self.rocktune("status", "--socket", socket).stdout)
        self.assertEqual({line["status"] for line in lines("actuation")}, {"refused"})
        self.assertIn(said, lines("actuation")[0]["reason"])
        self.assertEqual(lines("guard"), [])
        owners = [line for line in lines("daemon") if line["id"] in ("adopted", "tuned_elsewhere")]
        self.assertEqual([line["id"] for line in owners], ["tuned_elsewhere"], owners)
        self.assertIn("is tuned by 'rocktuned', which has set: ", owners[0]["message"])
        self.assertEqual(len([line for line in lines("source") if line["id"] == "lease"]), 1)
        self.assertIn("warn", next(line for line in (self.directory / "second.log").read_text().splitlines() if said in line))

        # The first one leaves; what it leaves it says.
        changed = self.changed(host)
        self.assertEqual(self.stop(first), 0)
        left = [line["message"] for line in self.alert_lines("daemon") if line["id"] == "left"]
        self.assertEqual(len(left), 1)
        self.assertIn("goes back in ", left[0])
        self.assertTrue(any(f"{name} " in left[0] for name in changed), (changed, left))
        away = self.rocktune("status", "--socket", self.control, check=False)
        self.assertIn("`rocktune knobs` shows what stands changed", away.stderr)

        def acts():
            return any(line["status"] == "applied" for line in lines("actuation"))

        wait_for("the second to act", acts, 90)
        wait_for("its lease", lambda: (request(socket, "GET", "/v1/status")[1]["targets"][0]["lease"] or {}).get("holder") == "second", 10)
        self.rocktune("rollback", "--all", "--socket", socket, check=False)
        wait_for("what is held", lambda: [line for line in lines("manual") if "knobs are held by" in line["message"]], 10)
        ordered = [line for line in lines("manual") if line["id"] == "operator"]
        self.assertIn(" -> ", ordered[0]["message"])
        self.assertLessEqual(len(lines("manual")), 4)
        self.assertEqual(self.stop(second), 0)


if __name__ == "__main__":
    unittest.main()
