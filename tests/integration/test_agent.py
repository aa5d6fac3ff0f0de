"""The preloaded agent against clients that are slow, many, hostile or gone, and hosts in awkward places."""

import contextlib
import json
import os
import pathlib
import re
import resource
import shutil
import signal
import socket
import stat
import subprocess
import threading
import time
import unittest

from support import BIN, DB_BENCH, ROOT, UnixConnection, World, needs_db_bench, request, wait_for

IDLE = ("--benchmarks=fillrandom", "--duration=60", "--num=1000000", "--value_size=100",
        "--compression_type=none", "--benchmark_write_rate_limit=200000")


@needs_db_bench
class Agent(World):
    def host(self, before="", log="host.log", **environment):
        """db_bench with little to do, and its pid's socket. `before` is run by the shell that becomes the host."""
        command = [BIN / "rocktune", "run", "--agent-dir", self.agents, "--", DB_BENCH,
                   f"--db={self.directory / 'db'}", *IDLE]
        script = before + '\nexec "$@"'
        return self.spawn(["sh", "-c", script, "sh", *command], log, **environment)

    def served(self, **kwargs):
        host = self.host(**kwargs)
        wait_for("the agent's socket", lambda: self.agent_socket(host))
        wait_for("a database", lambda: self.databases(host))
        return host, self.agent_socket(host)

    def databases(self, host):
        return request(self.agent_socket(host), "GET", "/v1/dbs")[1]["databases"]

    def raw(self, path):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.settimeout(15)
        self.addCleanup(client.close)

        def connected():
            try:
                client.connect(str(path))
                return True
            except BlockingIOError:  # the agent has not yet accepted the ones before
                return False

        wait_for("a place in the queue", connected, 10, every=0.005)
        return client

    def well(self, host, path):
        self.assertIsNone(host.poll(), "the host runs")
        began = time.monotonic()
        self.assertEqual(request(path, "GET", "/v1/hello")[0], 200)
        return time.monotonic() - began

    def test_slow_and_half_requests(self):
        host, path = self.served()
        lived = {}

        def half(client):
            client.sendall(b"GET /v1/hello HT")
            began = time.monotonic()
            self.assertEqual(client.recv(100), b"")
            lived["half"] = time.monotonic() - began

        def dripping(client):
            began = time.monotonic()
            try:
                while time.monotonic() - began < 12:
                    client.sendall(b"G" if time.monotonic() == began else b"x")
                    time.sleep(0.2)
            except OSError:
                pass
            lived["dripping"] = time.monotonic() - began

        threads = [threading.Thread(target=way, args=(self.raw(path),)) for way in (half, dripping)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            self.assertLess(self.well(host, path), 1, "others are answered meanwhile")
            time.sleep(0.1)
        for way in ("half", "dripping"):
            self.assertTrue(4 < lived[way] < 8, f"a {way} request was dropped after {lived[way]:.1f} s, not 5 s")

    def test_a_client_that_hangs_up_never_ends_the_host(self):
        host, path = self.served()
        database = self.databases(host)[0]["id"]
        for _ in range(200):
            client = self.raw(path)
            with contextlib.suppress(BrokenPipeError):  # turned away, where the ones before are not yet gone
                client.sendall(3 * f"GET /v1/dbs/{database}/options HTTP/1.1\r\nHost: a\r\n\r\n".encode())
            client.close()
        for _ in range(50):
            client = self.raw(path)
            with contextlib.suppress(BrokenPipeError):
                client.sendall(f"POST /v1/dbs/{database}/restore HTTP/1.1\r\nHost: a\r\n"
                               "Content-Length: 2\r\n\r\n{}".encode())
            client.close()
        wait_for("the places of the clients that went", lambda: self.hello_answered(path), 2)
        self.well(host, path)

    def test_the_ninth_connection_is_turned_away(self):
        host, path = self.served()
        clients = [UnixConnection(path) for _ in range(8)]
        for client in clients:
            self.addCleanup(client.close)
            client.request("GET", "/v1/hello")
            self.assertEqual(client.getresponse().read()[:1], b"{")
        ninth = self.raw(path)
        self.assertTrue(ninth.recv(100).startswith(b"HTTP/1.1 503 "))
        self.assertEqual(ninth.recv(100), b"")
        clients.pop().close()
        wait_for("room for another one", lambda: self.hello_answered(path), 5)
        self.assertIsNone(host.poll())

    def hello_answered(self, path):
        try:
            return request(path, "GET", "/v1/hello")[0] == 200
        except OSError:
            return False

    def test_requests_that_are_too_large(self):
        host, path = self.served()
        database = self.databases(host)[0]["id"]
        for kilobytes in (65, 1000):
            lease = {"holder": "x" * (kilobytes << 10), "seconds": 5}
            code, body = request(path, "POST", f"/v1/dbs/{database}/lease", lease)
            self.assertEqual((code, body["error"]["code"]), (413, "too_large"))
        client = self.raw(path)
        client.sendall(b"GET /v1/hello HTTP/1.1\r\nHost: a\r\nX: " + b"x" * (9 << 10) + b"\r\n\r\n")
        self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 431 "))
        client = self.raw(path)
        client.sendall(b"\x16\x03\x01\x02\x00 this is TLS\r\n\r\n")
        self.assertTrue(client.recv(100).startswith(b"HTTP/1.1 400 "))
        self.well(host, path)

    def test_read_only_refuses_changes(self):
        host, path = self.served(ROCKTUNE_AGENT_MODE="ro")
        self.assertEqual(request(path, "GET", "/v1/hello")[1]["mode"], "ro")
        database = self.databases(host)[0]
        self.assertFalse(database["tunable"])
        for action, body in {"lease": {"holder": "a", "seconds": 5}, "changes": {"holder": "a", "changes": []},
                             "restore": {}, "release": {}}.items():
            code, answer = request(path, "POST", f"/v1/dbs/{database['id']}/{action}", body)
            self.assertEqual((code, answer["error"]["code"]), (403, "read_only"), action)
        self.assertEqual(request(path, "GET", f"/v1/dbs/{database['id']}/sample")[0], 200)

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root, to become another user")
    def test_another_user_is_not_served(self):
        host, path = self.served()
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        self.directory.chmod(0o755)
        self.agents.chmod(0o755)
        ask = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "curl", "-sS", "-m", "5", "--unix-socket",
               str(path), "http://agent/v1/hello"]
        refused = subprocess.run(ask, capture_output=True, text=True, check=False)
        self.assertNotEqual(refused.returncode, 0)
        self.assertEqual(refused.stdout, "")
        path.chmod(0o666)  # somebody opens the door: the agent still asks who it is
        unheard = subprocess.run(ask, capture_output=True, text=True, check=False)
        self.assertNotEqual(unheard.returncode, 0)
        self.assertEqual(unheard.stdout, "")
        self.well(host, path)

    def test_what_lies_at_the_path_is_left_alone(self):
        precious = self.directory / "precious"
        precious.write_text("data")
        for put in (f'ln -s "{precious}" ', "printf foreign > "):
            host = self.host(before=f'{put} "{self.agents}/agent.$$.sock"')
            name = self.agents / f"agent.{host.pid}.sock"
            log = self.directory / "db" / "LOG"
            wait_for("the reason in the database's LOG",
                     lambda: log.exists() and "rocktune: not serving" in log.read_text(errors="replace"))
            self.assertIsNone(host.poll(), "the host goes on")
            host.send_signal(signal.SIGKILL)
            host.wait()
            self.assertEqual(name.is_symlink(), put.startswith("ln"))
            self.assertEqual(name.read_text(), "data" if name.is_symlink() else "foreign")
            shutil.rmtree(self.directory / "db")

    def test_a_killed_hosts_socket_is_cleaned_by_the_next(self):
        first, stale = self.served()
        first.kill()
        first.wait()
        self.assertTrue(stale.exists())
        (self.agents / "agent.1.sock.note").write_text("not a socket of ours")
        _, path = self.served(log="second.log")
        self.assertNotEqual(path, stale)
        self.assertFalse(stale.exists())
        self.assertTrue((self.agents / "agent.1.sock.note").exists())

    def test_a_host_without_descriptors_to_spare(self):
        host, path = self.served()
        before = resource.prlimit(host.pid, resource.RLIMIT_NOFILE)
        used = max(int(name) for name in os.listdir(f"/proc/{host.pid}/fd")) + 1
        resource.prlimit(host.pid, resource.RLIMIT_NOFILE, (used, before[1]))
        self.addCleanup(lambda: host.poll() is None and resource.prlimit(host.pid, resource.RLIMIT_NOFILE, before))
        clients = [UnixConnection(path, timeout=10) for _ in range(8)]
        for client in clients:
            self.addCleanup(client.close)
            client.request("GET", "/v1/hello")
        time.sleep(0.3)
        spent = self.processor_seconds(host)
        time.sleep(1)
        self.assertLess(self.processor_seconds(host) - spent, 0.7, "it does not spin meanwhile")
        self.assertIsNone(host.poll())
        resource.prlimit(host.pid, resource.RLIMIT_NOFILE, before)
        for client in clients:
            self.assertEqual(client.getresponse().status, 200)

    def processor_seconds(self, host):
        fields = pathlib.Path(f"/proc/{host.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @unittest.skipUnless(shutil.which("curl"), "curl is not installed")
    def test_the_examples_of_the_documentation(self):
        host, path = self.served()
        database = self.databases(host)[0]["id"]
        text = (ROOT / "docs" / "wire.md").read_text()
        blocks = re.findall(r"^```(sh)?\n(.*?)^```$", text, re.M | re.S)
        functions = next(block for language, block in blocks if language == "sh")
        self.assertIn("S=/run/rocktune/agent.4711.sock", functions)
        functions = functions.replace("/run/rocktune/agent.4711.sock", str(path))
        examples = [re.match(r"((?:get|post) .*?)\n(?=\{)(.*)|((?:get|post) .*)", block, re.S)
                    for language, block in blocks if not language]
        examples = [(found[1] or found[3], found[2]) for found in examples if found]
        self.assertGreaterEqual(len(examples), 8)
        self.assertEqual(request(path, "POST", f"/v1/dbs/{database}/lease",
                                 {"holder": "rocktuned", "seconds": 10})[0], 200)  # the sample shows a lease
        for command, shown in examples:
            command = command.replace("/v1/dbs/2/", f"/v1/dbs/{database}/")
            result = subprocess.run(["sh", "-c", functions + command], capture_output=True, text=True, check=False)
            with self.subTest(command):
                self.assertEqual(result.returncode, 0, result.stderr)
                answer = json.loads(result.stdout)
                self.assertNotIn("error", answer)
                if shown:
                    documented = re.findall(r'"([a-z_]+)":', shown)
                    self.assertEqual([key for key in documented if f'"{key}":' not in result.stdout], [])
                if shown and "..." not in shown:
                    self.assertEqual(self.shape(answer), self.shape(json.loads(shown)))
                for change, documented in zip(answer.get("results", []), re.findall(r'"status":"(\w+)"', shown or "")):
                    self.assertEqual(change["status"], documented)

    def shape(self, value):
        if isinstance(value, dict):
            return {key: self.shape(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self.shape(item) for item in value]
        return type(value) if not isinstance(value, (int, float)) or isinstance(value, bool) else "number"


if __name__ == "__main__":
    unittest.main()
