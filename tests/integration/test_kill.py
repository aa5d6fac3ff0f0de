"""kill -9 of each process in mid-run: the others go on, nothing stays changed for ever, nothing recorded is lost."""

import signal
import time
import unittest

from support import World, needs_db_bench, wait_for


@needs_db_bench
class Kill(World):
    def recorded(self):
        """How many samples the daemon says that it has recorded: several."""
        wait_for("samples", lambda: self.target()["samples"]["recorded"] > 3)
        return self.target()["samples"]["recorded"]

    def rows(self):
        return self.query("select count(*) from samples where user_bytes_written is not null")[0][0]

    def test_daemon_killed_knobs_come_back_after_the_lease(self):
        daemon = self.start_daemon(lease="8s")
        host = self.tuned_host()
        self.assertTrue(self.changed(host))
        daemon.kill()
        daemon.wait()
        time.sleep(1)  # within the lease nothing moves
        self.assertTrue(self.changed(host))
        wait_for("every knob to be back", lambda: self.all_back(host), 60)
        self.assertIsNone(host.poll(), "the host goes on")
        log = self.directory / "db" / "LOG"
        wait_for("the host's own LOG to tell of the return",
                 lambda: "rocktune: the lease expired" in log.read_text(errors="replace"))

    def test_daemon_killed_trace_is_whole(self):
        daemon = self.start_daemon()
        self.tuned_host()
        said = self.recorded()
        daemon.kill()
        daemon.wait()
        path = self.trace()
        self.rocktune("trace", "info", path)
        self.assertEqual(self.query("pragma integrity_check", path)[0][0], "ok")
        self.assertGreaterEqual(self.rows(), said, "what was said to be recorded is there")

    def test_a_second_signal_does_not_cut_the_stop_short(self):
        """As of `timeout`, which signals its child and then the child's group."""
        for first in (signal.SIGTERM, signal.SIGINT):
            daemon = self.start_daemon()
            daemon.send_signal(first)
            while daemon.poll() is None:  # each moment of the stop
                daemon.send_signal(signal.SIGTERM)
            self.assertEqual(daemon.returncode, 0)

    def test_restarted_daemon_adopts(self):
        daemon = self.start_daemon(lease="8s")
        host = self.tuned_host()
        before = self.changed(host)
        daemon.kill()
        daemon.wait()
        self.start_daemon(lease="8s")
        wait_for("the new daemon to see the target", lambda: self.target() and self.target()["state"] == "live")
        time.sleep(10)  # past the first daemon's lease
        after = self.knobs(host)
        for name in before:
            self.assertEqual(after[name]["owner"], "rocktune", after[name])
            self.assertNotEqual(after[name]["value"], after[name]["found"], after[name])
            self.assertEqual(after[name]["found"], before[name]["found"], "the found value outlives the daemon")

    def test_host_killed_daemon_waits_for_the_next(self):
        self.start_daemon()
        host = self.squeezed_writes()
        wait_for("the target", lambda: self.target() and self.target()["state"] == "live")
        said = self.recorded()
        host.kill()
        host.wait()
        wait_for("the loss to be noted", lambda: self.target()["state"] == "waiting", 10)
        self.assertTrue(self.alert_lines("source"), "the alert log says that the agent is lost")
        self.assertGreaterEqual(self.rows(), said, "what was said to be recorded is there")
        self.squeezed_writes(log="second.log")
        wait_for("the next host", lambda: self.target()["state"] == "live", 15)
        self.assertEqual(len(self.status()["targets"]), 1, "the same database is the same target")
        self.assertGreaterEqual(self.query("select count(*) from incarnations")[0][0], 2)


if __name__ == "__main__":
    unittest.main()
