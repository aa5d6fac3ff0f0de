"""What the integration tests share: a temporary world with a daemon, hosts and clients in it.

Everything lives in one temporary directory, every process is ended by its own handle, every wait has a deadline.
ROCKTUNE_BUILD names the build folder (ctest sets it).
"""

import http.client
import json
import os
import pathlib
import shutil
import signal
import socket
import sqlite3
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("ROCKTUNE_BUILD", ROOT / "build" / "dev"))
BIN = BUILD / "bin"
DB_BENCH = shutil.which("db_bench")
# What every deadline is multiplied by: none of them is a measurement, and a busy machine is no failure.
PATIENCE = float(os.environ.get("ROCKTUNE_PATIENCE", "5"))
UNTIL_KILLED = 300  # s; of a host that its test kills, which it must not outlive
# A shell's background job ignores Ctrl-C, and our programs would go on to do so.
signal.signal(signal.SIGINT, signal.default_int_handler)


class Process(subprocess.Popen):
    def wait(self, timeout=None):
        return super().wait(timeout and timeout * PATIENCE)


class UnixConnection(http.client.HTTPConnection):
    """HTTP over a Unix socket, as curl --unix-socket speaks it."""

    def __init__(self, path, timeout=30):
        super().__init__("localhost", timeout=timeout)
        self.path = str(path)

    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self.path)


def request(path, method, target, body=None):
    """Returns (status, decoded JSON)."""
    connection = UnixConnection(path)
    try:
        connection.request(method, target, json.dumps(body) if body is not None else None,
                           {"Content-Type": "application/json"} if body is not None else {})
        response = connection.getresponse()
        text = response.read()
        return response.status, json.loads(text) if text else None
    finally:
        connection.close()


def wait_for(what, condition, seconds=30.0, every=0.05):
    """Calls condition until it returns something true, and returns that; fails by name after the deadline."""
    seconds *= PATIENCE
    deadline = time.monotonic() + seconds
    while True:
        value = condition()
        if value:
            return value
        if time.monotonic() > deadline:
            raise AssertionError(f"waited {seconds:g} s for: {what}")
        time.sleep(every)


class World(unittest.TestCase):
    """A test with its own directory, daemon and hosts."""

    POLL = 0.5

    def run(self, result=None):
        self.collected = result  # what is known of this test in tearDown()
        return super().run(result)

    def failed(self):
        """Whether this test, or a part of it, has failed so far."""
        if self.collected is None:
            return False
        failures = [*self.collected.failures, *self.collected.errors]
        return any(self in (test, getattr(test, "test_case", None)) for test, _ in failures)

    def setUp(self):
        # Short: a Unix socket's path has at most 107 bytes.
        self.directory = pathlib.Path(tempfile.mkdtemp(prefix="rt-"))
        self.agents = self.directory / "agents"
        self.agents.mkdir(mode=0o700)
        self.control = self.directory / "ctl.sock"
        self.freeze_file = self.directory / "freeze"
        self.alerts = self.directory / "alerts.jsonl"
        self.traces = self.directory / "trace"
        self.processes = []
        self.addCleanup(self.clean_up)

    def tearDown(self):
        self.end_processes()

    def end_processes(self):
        for process in self.processes:
            if process.poll() is None:
                process.kill()
            process.wait()
            for stream in (process.stdout, process.stderr):
                if stream:
                    stream.close()

    def clean_up(self):
        """The last of all, also after a setUp() that skips or fails, which has no tearDown()."""
        self.end_processes()
        keep = os.environ.get("ROCKTUNE_KEEP")
        if keep or self.failed():
            for log in sorted(self.directory.glob("*.log")):
                print(f"--- {log.name} (end)\n" + log.read_text(errors="replace")[-3000:])
        if keep:
            print(f"kept: {self.directory}")
        else:
            shutil.rmtree(self.directory, ignore_errors=True)

    def mount(self, *arguments):
        """For this test, which is skipped where root may not mount, as in most containers. The last argument is the place."""
        try:
            done = subprocess.run(["mount", *map(str, arguments)], capture_output=True, text=True, timeout=300, check=False)
        except FileNotFoundError:
            self.skipTest("mount is not installed")
        if done.returncode != 0:
            self.skipTest("nothing can be mounted here: " + done.stderr.partition("\n")[0])
        self.addCleanup(self.unmount, arguments[-1])

    def unmount(self, place):
        self.end_processes()
        subprocess.run(["umount", "--lazy", str(place)], check=True, timeout=300)

    # -- processes

    def spawn(self, arguments, log, **environment):
        stream = open(self.directory / log, "ab")
        try:
            process = Process([str(a) for a in arguments], stdin=subprocess.DEVNULL, stdout=stream,
                              stderr=subprocess.STDOUT, env={**os.environ, **environment})
        finally:
            stream.close()
        self.processes.append(process)
        return process

    def config(self, mode="act", lease="3s", on_daemon_loss="restore", extra=""):
        path = self.directory / "rocktuned.yaml"
        path.write_text(f"""
daemon:
  mode: {mode}
  poll_interval: {int(self.POLL * 1000)}ms
  agent_dir: {self.agents}
  control_socket: {self.control}
  freeze_file: {self.freeze_file}
trace:
  directory: {self.traces}
alert_log:
  file: {self.alerts}
http:
  listen: "off"
lease:
  duration: {lease}
  on_daemon_loss: {on_daemon_loss}
{extra}""")
        return path

    def start_daemon(self, **kwargs):
        daemon = self.spawn([BIN / "rocktuned", "--config", self.config(**kwargs)], "rocktuned.log")

        def answers():
            self.assertIsNone(daemon.poll(), "rocktuned ended: " + (self.directory / "rocktuned.log").read_text())
            try:
                return request(self.control, "GET", "/v1/status")[0] == 200
            except OSError:
                return False

        wait_for("rocktuned's control socket", answers, 15)
        return daemon

    def db_bench(self, *arguments, db="db", log="host.log", under_agent=True):
        """Debian's own db_bench, under the preloaded agent, from Mild-Pressure-like options."""
        command = [DB_BENCH, f"--db={self.directory / db}", *arguments]
        if under_agent:
            command = [BIN / "rocktune", "run", "--agent-dir", self.agents, "--", *command]
        return self.spawn(command, log)

    def squeezed_writes(self, seconds=UNTIL_KILLED, **kwargs):
        """A host that writes against a far too low rate limit: any tuner has something to do."""
        return self.db_bench("--benchmarks=fillrandom", f"--duration={seconds}", "--num=50000000", "--value_size=400",
                             "--compression_type=none", "--write_buffer_size=1048576", "--target_file_size_base=1048576",
                             "--max_bytes_for_level_base=4194304", "--max_background_jobs=1",
                             "--rate_limiter_bytes_per_sec=4194304", "--benchmark_write_rate_limit=8000000", **kwargs)

    def tuned_host(self):
        """A host of which the running daemon has changed something."""
        host = self.squeezed_writes()
        self.served_by(host)
        wait_for("a knob set by rocktune", lambda: self.ours(host), 30)
        return host

    def rocktune(self, *arguments, check=True, timeout=60):
        result = subprocess.run([str(BIN / "rocktune"), *map(str, arguments)], capture_output=True, text=True,
                                timeout=timeout * PATIENCE, check=False, stdin=subprocess.DEVNULL)
        if check:
            self.assertEqual(result.returncode, 0, result.stderr)
        return result

    # -- what the world looks like

    def log(self):
        return (self.directory / "rocktuned.log").read_text(errors="replace")

    def named(self, db):
        """The status of the target whose database lies in this directory."""
        for target in self.status()["targets"]:
            if target["path"] == str(self.directory / db):
                return target
        return None

    def status(self):
        code, body = request(self.control, "GET", "/v1/status")
        self.assertEqual(code, 200, body)
        return body

    def target(self):
        targets = self.status()["targets"]
        return targets[0] if targets else None

    def agent_socket(self, process=None):
        sockets = list(self.agents.glob("agent.*.sock"))
        if process is not None:
            sockets = [s for s in sockets if s.name == f"agent.{process.pid}.sock"]
        return sockets[0] if sockets else None

    def hello_answered(self, path):
        try:
            return request(path, "GET", "/v1/hello")[0] == 200
        except OSError:
            return False

    def served_by(self, process=None):
        """The socket of the process's agent, once it answers: its file is there a moment before anybody listens."""
        def answering():
            path = self.agent_socket(process)
            return path and self.hello_answered(path) and path

        return wait_for("the agent's socket", answering)

    def sampled_knobs(self, process):
        path = self.agent_socket(process)
        code, body = request(path, "GET", "/v1/dbs")
        if code == 503:  # it is too busy for now, as after it stood still: for those who wait, not yet
            return []
        self.assertEqual(code, 200, body)
        databases = body["databases"]
        if not databases:
            return []
        code, sample = request(path, "GET", f"/v1/dbs/{databases[0]['id']}/sample")
        return sample["knobs"] if code == 200 else []

    def knobs(self, process):
        """The agent's own view of the database's knobs: {name: knob}; a column family's are left out."""
        return {k["name"]: k for k in self.sampled_knobs(process) if not k["column_family"]}

    def ours(self, host):
        return {n: k for n, k in self.knobs(host).items() if k["owner"] == "rocktune"}

    def changed(self, host):
        return {n: k for n, k in self.knobs(host).items() if k["value"] != k["found"]}

    def all_back(self, host):
        """Whether every knob is as it was found, those of column families too."""
        knobs = self.sampled_knobs(host)
        return knobs and all(k["value"] == k["found"] for k in knobs)

    def trace(self):
        files = sorted(self.traces.glob("*.sqlite"))
        self.assertTrue(files, "no trace file")
        return files[-1]

    def query(self, sql, path=None):
        connection = sqlite3.connect(f"file:{path or self.trace()}?mode=ro", uri=True)
        try:
            return connection.execute(sql).fetchall()
        finally:
            connection.close()

    def alert_lines(self, kind=None):
        if not self.alerts.exists():
            return []
        lines = [json.loads(line) for line in self.alerts.read_text().splitlines()]
        return [line for line in lines if kind is None or line["kind"] == kind]

    def stop(self, process, seconds=15):
        process.send_signal(signal.SIGTERM)
        process.wait(seconds)
        return process.returncode


def needs_db_bench(test):
    return unittest.skipUnless(DB_BENCH, "Debian's db_bench (package rocksdb-tools) is not installed")(test)
