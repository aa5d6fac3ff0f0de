"""The daemon as an administrator meets it: reload, a second one, monitoring, a full disk, a stopped host."""

import contextlib
import http.client
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import time
import unittest
from unittest import mock

from hosts import Host
from support import BIN, BUILD, ROOT, UnixConnection, World, needs_db_bench, request, wait_for

PROMTOOL = shutil.which("promtool")
RULES = ROOT / "etc" / "prometheus"
needs_root = unittest.skipUnless(os.geteuid() == 0, "needs root")


def get(connection, path, method="GET"):
    connection.request(method, path)
    response = connection.getresponse()
    return response.status, response.read().decode()


class Daemon(World):
    POLL = 0.2

    def host(self, **kwargs):
        process = self.squeezed_writes(**kwargs)
        self.served_by(process)
        return process

    def control_text(self, path):
        with contextlib.closing(UnixConnection(self.control)) as connection:
            return get(connection, path)

    def live(self, db="db"):
        target = self.named(db)
        return target and target["state"] == "live"

    def samples(self):
        """Whether or not the latest one came in time."""
        target = self.named("db")
        return target["samples"] if target else {"due": 0, "recorded": 0}


class Reload(Daemon):
    def test_bad_config_keeps_the_old_one(self):
        daemon = self.start_daemon(mode="advise")
        self.config(mode="acct")
        daemon.send_signal(signal.SIGHUP)
        wait_for("the refusal", lambda: "reload refused" in self.log(), 10)
        self.assertRegex(self.log(), r"rocktuned\.yaml:3:\d+: daemon\.mode: 'acct'")
        self.assertEqual(self.status()["daemon"]["mode"], "advise")
        self.wait_for_metric("rocktuned_reload_failures_total 1")
        self.assertIn("daemon.mode: 'acct'", self.status()["daemon"]["reload_refused"]["problem"])
        self.assertIn("RELOAD REFUSED at 2", self.rocktune("status", "--socket", self.control).stdout)
        refusals = [line["message"] for line in self.alert_lines("daemon") if line["id"] == "reload_refused"]
        self.assertEqual(len(refusals), 1)
        self.assertIn("daemon.mode: 'acct'", refusals[0])
        self.config(mode="observe")
        daemon.send_signal(signal.SIGHUP)
        wait_for("the good config", lambda: self.status()["daemon"]["mode"] == "observe", 10)
        self.wait_for_metric("rocktuned_reloads_total 1")
        self.assertIsNone(self.status()["daemon"]["reload_refused"])
        self.assertEqual(self.stop(daemon), 0)

    def test_the_log_has_no_control_characters(self):
        daemon = self.start_daemon(mode="advise")
        self.config(mode='"\\e[31mred\\nforged"')
        daemon.send_signal(signal.SIGHUP)
        wait_for("the refusal", lambda: "reload refused" in self.log(), 10)
        self.assertEqual(self.log().count("daemon.mode: '?[31mred?forged' is not"), 2)  # the error, and what follows
        self.assertNotIn("\x1b", self.log())

    def wait_for_metric(self, line):
        wait_for(line, lambda: f"\n{line}\n" in self.control_text("/metrics")[1], 5)

    def test_another_alert_log_begins_with_the_reload(self):
        daemon = self.start_daemon(mode="advise")
        old, self.alerts = self.alerts, self.directory / "other.jsonl"
        self.config(mode="advise")
        daemon.send_signal(signal.SIGHUP)
        wait_for("the other alert log", lambda: self.alerts.exists() and self.alert_lines("daemon"), 10)
        self.assertEqual([line["id"] for line in self.alert_lines("daemon")], ["reloaded"])
        self.assertNotIn('"reloaded"', old.read_text())

    @needs_db_bench
    def test_agents_of_another_directory_are_left(self):
        daemon = self.start_daemon(mode="advise")
        self.host()
        wait_for("the database", self.live, 20)
        self.agents = self.directory / "others"
        self.config(mode="advise")
        daemon.send_signal(signal.SIGHUP)
        left = f"agent left: rocktuned looks for agents in {self.agents} now"
        wait_for("the database to be left", lambda: any(left in line["message"] for line in self.alert_lines("source")), 10)
        self.assertFalse(self.live())

    def test_rotation(self):
        daemon = self.start_daemon(mode="advise")
        moved = self.directory / "alerts.jsonl.1"
        for number, mode in ((signal.SIGHUP, "observe"), (signal.SIGUSR1, "act")):
            self.config(mode=mode)
            self.alerts.rename(moved)
            daemon.send_signal(number)
            wait_for("a new alert log", lambda: self.alerts.exists(), 10)
            self.assertEqual(self.status()["daemon"]["mode"], "observe")  # which only a reload reads
        self.alerts.rename(moved)
        self.alerts.mkdir()
        daemon.send_signal(signal.SIGUSR1)
        wait_for("what failed", lambda: self.status()["daemon"]["alert_log_failing"], 10)
        self.assertRegex(self.rocktune("status", "--socket", self.control).stdout,
                         "\nNOT REOPENED  cannot open the alert log .*; since .* its lines go to the file that was open before\n")
        self.assertNotIn("\nrocktuned_alert_log_failures_total 0\n", self.control_text("/metrics")[1])
        self.alerts.rmdir()
        wait_for("a new alert log", lambda: self.status()["daemon"]["alert_log_failing"] is None, 10)
        self.assertEqual([line["id"] for line in self.alert_lines("daemon")], ["reopened"])
        self.assertEqual(self.stop(daemon), 0)
        stopped = self.alert_lines("daemon")[1:]
        self.assertEqual([line["id"] for line in stopped], ["stopped", "left"])
        self.assertEqual(stopped[1]["message"], "no knob stands changed by rocktuned, as last read")
        self.assertNotIn('"stopped"', moved.read_text())

    def test_of_a_lost_agent_nothing_is_said_to_be_as_it_was(self):
        daemon = self.start_daemon(mode="advise")
        host = self.host()
        wait_for("samples", lambda: self.samples()["recorded"] > 2)
        host.kill()
        host.wait()
        wait_for("the loss", lambda: "agent lost" in self.alerts.read_text(), 10)
        self.assertEqual(self.stop(daemon), 0)
        self.assertEqual(self.alert_lines("daemon")[-1]["id"], "stopped")

    def test_a_program_that_ends_in_order_is_not_lost(self):
        daemon = self.start_daemon(mode="advise")
        host = Host([BIN / "host_plain", "plain", self.directory / "db", 1], self.directory / "host.log",
                    LD_PRELOAD=str(BUILD / "lib" / "librocktune_preload.so"), ROCKTUNE_AGENT_DIR=str(self.agents))
        self.processes.append(host.process)
        self.assertEqual(host.answer(), "open")
        wait_for("samples", lambda: self.target() and self.samples()["recorded"] > 2)
        daemon.send_signal(signal.SIGSTOP)  # it looks when the process is gone, not only its socket
        host.end()  # through exit(), without closing its database
        daemon.send_signal(signal.SIGCONT)
        wait_for("the end", lambda: "waiting for the next opening" in self.alerts.read_text(), 10)
        self.assertIn(f"agent left: its process {host.process.pid} has ended; waiting", self.alerts.read_text())


class Second(Daemon):
    def test_same_control_socket_is_refused(self):
        first = self.start_daemon(mode="advise")
        before = sorted(p.name for p in self.directory.iterdir())
        second = subprocess.run(
            [str(BIN / "rocktuned"), "--config", str(self.directory / "rocktuned.yaml"), "--alert-log",
             str(self.directory / "other" / "alerts.jsonl"), "--trace-dir", str(self.directory / "other-traces"),
             "--agent-dir", str(self.directory / "other-agents")],
            capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(second.returncode, 1, second.stderr)
        self.assertIn("another rocktuned answers", second.stderr)
        self.assertEqual(sorted(p.name for p in self.directory.iterdir()), before, "it leaves nothing behind")
        self.assertEqual(self.status()["daemon"]["pid"], first.pid)
        self.assertEqual(self.stop(first), 0)
        self.assertFalse(self.control.exists())

    def test_socket_of_a_dead_daemon_is_replaced(self):
        first = self.start_daemon(mode="advise")
        first.kill()
        first.wait()
        self.assertTrue(self.control.exists())
        second = self.start_daemon(mode="advise")
        self.assertEqual(self.status()["daemon"]["pid"], second.pid)


class Removed(Daemon):
    """Somebody cleans the directory of the control socket and of the agents' while rocktuned runs."""

    def setUp(self):
        super().setUp()
        self.control = self.agents / "rocktuned.sock"  # as by default

    def answers(self):
        try:
            return self.status()["daemon"]["pid"] == self.daemon.pid
        except OSError:
            return False

    def said(self, words):
        return self.log().count(words)

    def test_the_control_socket_comes_back(self):
        self.daemon = self.start_daemon(mode="observe")
        stays = UnixConnection(self.control)
        self.addCleanup(stays.close)
        self.assertEqual(get(stays, "/v1/status")[0], 200)
        self.control.unlink()
        wait_for("the control socket", self.answers, 10)
        self.assertEqual(stat.S_IMODE(self.control.stat().st_mode), 0o600)
        self.assertEqual(get(stays, "/v1/status")[0], 200, "who is connected stays so")
        self.assertEqual(self.said(f"the control socket {self.control} was removed\n"), 1)
        self.assertEqual(self.said(f"listens at the control socket {self.control} again\n"), 1)
        self.assertEqual(self.stop(self.daemon), 0)
        self.assertFalse(self.control.exists())

    def test_nobody_elses_socket_is_taken(self):
        self.daemon = self.start_daemon(mode="observe")
        with socket.socket(socket.AF_UNIX) as theirs:
            elsewhere = self.directory / "theirs.sock"
            theirs.bind(str(elsewhere))
            elsewhere.rename(self.control)
            wait_for("it to be said", lambda: self.said("Address already in use"), 10)
            time.sleep(3)
            theirs.listen()
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(str(self.control))
        self.assertEqual(self.said("rocktuned.sock was removed"), 1, "once, not at every look")
        self.control.unlink()
        wait_for("the control socket", self.answers, 10)

    @needs_db_bench
    def test_all_is_back_with_the_directory(self):
        self.daemon = self.start_daemon(mode="observe")
        self.host()
        wait_for("samples", lambda: self.samples()["recorded"] > 2)
        removed = self.agents.rename(self.directory / "removed")
        shutil.rmtree(removed)
        wait_for("it to be said", lambda: self.said("make its directory anew"), 10)
        wait_for("the loss", lambda: "agent lost" in self.alerts.read_text(), 10)
        time.sleep(3)
        self.assertFalse(self.agents.exists(), "nobody makes it but who knows its mode")
        self.agents.mkdir(mode=0o700)
        wait_for("the control socket", self.answers, 10)
        wait_for("the database", self.live, 10)
        self.assertEqual((self.said("rocktuned.sock was removed"), self.said("listens at the control socket")), (1, 1))
        before = self.samples()["recorded"]
        wait_for("samples again", lambda: self.samples()["recorded"] > before + 2)


class Monitoring(Daemon):
    def free_port(self):
        """Held until the test ends: nobody else is given it, and who reuses addresses may listen at it."""
        holder = socket.socket()
        self.addCleanup(holder.close)
        holder.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        holder.bind(("127.0.0.1", 0))
        return holder.getsockname()[1]

    def start(self, **environment):
        with mock.patch.dict(os.environ, environment):
            return self.start_daemon(mode="advise")

    def get(self, port, path, method="GET"):
        with contextlib.closing(http.client.HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
            return get(connection, path, method)

    def test_sd_notify(self):
        path = self.directory / "notify"
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as notify:
            notify.bind(str(path))
            notify.settimeout(60)
            daemon = self.start(NOTIFY_SOCKET=str(path), WATCHDOG_USEC="800000")
            seen = [notify.recv(4096).decode() for _ in range(3)]
            self.assertTrue(any(m.startswith("READY=1\nSTATUS=mode advise") for m in seen), seen)
            self.assertIn("WATCHDOG=1", seen)
            daemon.send_signal(signal.SIGHUP)
            message = wait_for("RELOADING", lambda: (m := notify.recv(4096).decode()).startswith("RELOADING=1") and m)
            self.assertIn("MONOTONIC_USEC=", message)
            wait_for("READY again", lambda: notify.recv(4096).decode().startswith("READY=1"))
            self.config(mode="acct")
            daemon.send_signal(signal.SIGHUP)
            wait_for("the refusal", lambda: "the last reload was refused" in notify.recv(4096).decode())
            daemon.send_signal(signal.SIGTERM)
            wait_for("STOPPING", lambda: notify.recv(4096) == b"STOPPING=1")
            self.assertEqual(daemon.wait(15), 0)

    @needs_db_bench
    def test_http(self):
        port = self.free_port()
        self.start(ROCKTUNED_HTTP_LISTEN=f"127.0.0.1:{port}")
        self.host()
        wait_for("samples", lambda: self.samples()["recorded"] > 5, 20)
        self.assertEqual(self.get(port, "/healthz"), (200, "ok\n"))
        self.assertEqual(self.get(port, "/readyz"), (200, "ready\n"))
        self.assertEqual(self.get(port, "/v1/status")[0], 404, "the control socket's alone")
        self.assertEqual(self.get(port, "/metrics", "POST")[0], 405)
        up = f'\nrocktune_target_up{{target="{self.directory / "db"}"}} 1\n'
        wait_for("it to be up", lambda: up in self.get(port, "/metrics")[1])
        status, text = self.get(port, "/metrics")
        self.assertEqual(status, 200)
        self.assertIn("\nrocktuned_agents 1\n", text)
        # HEAD has no body: the next answer on the same connection must be readable.
        with contextlib.closing(UnixConnection(self.control)) as connection:
            connection.request("HEAD", "/metrics")
            self.assertEqual(connection.getresponse().read(), b"")
            connection.sock.sendall(b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
            raw = b""
            while chunk := connection.sock.recv(4096):
                raw += chunk
            self.assertTrue(raw.startswith(b"HTTP/1.1 200 OK\r\n"), raw[:200])
        if PROMTOOL is None:
            self.skipTest("promtool (package prometheus) is not installed: /metrics not checked with it")
        checked = subprocess.run([PROMTOOL, "check", "metrics"], input=text, capture_output=True, text=True,
                                 timeout=300, check=False)
        self.assertEqual((checked.returncode, checked.stdout + checked.stderr), (0, ""))


@unittest.skipUnless(PROMTOOL, "promtool (package prometheus) is not installed")
class Rules(unittest.TestCase):
    def run_promtool(self, *arguments):
        result = subprocess.run([PROMTOOL, *arguments], capture_output=True, text=True, timeout=300, check=False, cwd=RULES)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)

    def test_rules_are_valid(self):
        self.run_promtool("check", "rules", "rocktune.rules.yml")

    def test_rules_fire_when_they_should(self):
        self.run_promtool("test", "rules", "rocktune.rules.test.yml")


@needs_db_bench
class Knobs(Daemon):
    def test_release_of_an_unknown_knob(self):
        self.start_daemon(mode="act")
        self.host()
        wait_for("knobs", lambda: (self.named("db") or {}).get("knobs"))
        status, body = request(self.control, "POST", "/v1/release", {"knob": "max_background_job"})
        self.assertEqual(status, 404, body)
        self.assertIn("max_background_jobs", body["error"]["message"])
        self.assertIn("rate_limiter_bytes_per_second", body["error"]["message"])
        result = self.rocktune("release", "max_background_job", "--socket", self.control, check=False)
        self.assertEqual(result.returncode, 1)
        self.assertIn("there is no knob 'max_background_job'; the knobs are ", result.stderr)
        status, body = request(self.control, "POST", "/v1/release", {"knob": "max_background_jobs"})
        self.assertEqual((status, [r["status"] for r in body["results"]]), (200, ["unchanged"]), body)
        self.assertEqual(request(self.control, "POST", "/v1/release", {"target": "nowhere"})[0], 404)


@needs_db_bench
class StoppedHost(Daemon):
    POLL = 0.5

    def test_costs_its_own_samples_only(self):
        self.start_daemon(mode="act")
        stopped = self.host(db="db1", log="host1.log")
        self.host(db="db2", log="host2.log")
        wait_for("both", lambda: self.live("db1") and self.live("db2"))
        stopped.send_signal(signal.SIGSTOP)
        try:
            wait_for("the stop to be seen", lambda: self.named("db1")["state"] == "failing", 10)
            before = [self.named(db)["samples"] for db in ("db1", "db2")]
            time.sleep(8)
            after = [self.named(db)["samples"] for db in ("db1", "db2")]
        finally:
            stopped.send_signal(signal.SIGCONT)
        due, recorded = ([a[key] - b[key] for a, b in zip(after, before)] for key in ("due", "recorded"))
        self.assertGreaterEqual(due[0], 12, "a stopped host's samples are due all the same")
        self.assertEqual(recorded[0], 0)
        self.assertGreaterEqual(due[1], 12)
        self.assertGreaterEqual(recorded[1], 0.5 * due[1])
        wait_for("it to answer again", lambda: self.live("db1"), 10)


@needs_root
@needs_db_bench
class FullDisk(Daemon):
    def setUp(self):
        super().setUp()
        image, self.disk = self.directory / "disk.img", self.directory / "disk"
        self.disk.mkdir()
        with open(image, "wb") as file:
            file.truncate(8 << 20)
        try:
            made = subprocess.run(["mkfs.ext4", "-q", "-m", "0", str(image)], capture_output=True, text=True, timeout=300,
                                  check=False)
        except FileNotFoundError:
            self.skipTest("mkfs.ext4 (package e2fsprogs) is not installed")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.mount("-o", "loop", image, self.disk)
        self.traces = self.disk / "trace"
        self.alerts = self.disk / "alerts.jsonl"

    def free(self):
        disk = os.statvfs(self.disk)
        return disk.f_bavail * disk.f_frsize

    def fill(self, *, but=0):
        with open(self.disk / "ballast", "ab", buffering=0) as file:
            while self.free() > but + (1 << 16):
                file.write(b"x" * (1 << 16))
            for size in () if but else (1 << 16, 1 << 12, 1):
                try:
                    while True:
                        file.write(b"x" * size)
                except OSError:
                    pass

    def test_daemon_starts_without_room_for_its_trace(self):
        self.traces.mkdir()
        self.fill()
        daemon = self.start_daemon()
        self.host()
        wait_for("the full disk to be said", lambda: "cannot record" in self.log(), 20)
        wait_for("polls all the same", lambda: self.samples()["due"] > 5)
        self.assertEqual(list(self.traces.iterdir()), [])
        self.assertEqual(self.stop(daemon), 0)

    def test_trace_leaves_room_for_others(self):
        daemon = self.start_daemon()
        self.host()
        wait_for("samples", lambda: self.samples()["recorded"] > 5)
        self.fill(but=200 << 10)  # a twentieth of the disk is 300 KiB or more
        wait_for("it to be said", lambda: "and a trace leaves" in self.log(), 20)
        wait_for("polls to go on", lambda: self.samples()["due"] > self.samples()["recorded"] + 4)
        self.assertRegex(self.rocktune("status", "--socket", self.control).stdout, "NOT RECORDED .*a trace leaves")
        before = self.free()
        time.sleep(2)
        self.assertGreaterEqual(self.free(), before - (16 << 10))  # but for the alert log
        (self.disk / "ballast").unlink()
        wait_for("it to be recorded again", lambda: "records again" in self.log(), 15)
        self.assertEqual(self.stop(daemon), 0)

    def test_daemon_goes_on_and_records_again(self):
        daemon = self.start_daemon(mode="act")
        self.host()
        wait_for("samples", lambda: self.samples()["recorded"] > 5)
        self.fill()
        wait_for("the full disk to be said", lambda: "cannot record" in self.log(), 20)
        stuck = self.samples()
        wait_for("polls to go on", lambda: self.samples()["due"] >= stuck["due"] + 8)
        wait_for("a lost line", lambda: self.status()["daemon"]["alert_log_failing"], 30)
        self.assertRegex(self.rocktune("status", "--socket", self.control).stdout, "NOT LOGGED .*No space left")
        full = self.samples()
        self.assertLessEqual(full["recorded"] - stuck["recorded"], 2)
        self.assertLessEqual(self.log().count("cannot record"), 2, "said at a limited rate")
        self.assertEqual(self.control_text("/healthz")[0], 200)
        (self.disk / "ballast").unlink()
        wait_for("samples again", lambda: self.samples()["recorded"] > full["recorded"] + 5, 15)
        self.assertRegex(self.log(), r"records again; \d+ steps were not recorded")
        wait_for("the alert log", lambda: self.status()["daemon"]["alert_log_failing"] is None, 15)
        self.assertRegex(self.alerts.read_text(), '"id":"lost".* lost since 2.*No space left')
        self.assertIsNone(daemon.poll())
        self.assertEqual(self.stop(daemon), 0)
        self.assertEqual(self.query("pragma integrity_check")[0][0], "ok")
        self.rocktune("trace", "info", self.trace())
        self.rocktune("replay", self.trace())
        for line in self.alerts.read_text().splitlines():
            try:
                json.loads(line)
            except ValueError:  # cut short by the full disk: at most the line itself
                self.assertNotIn("}{", line)



if __name__ == "__main__":
    unittest.main()
