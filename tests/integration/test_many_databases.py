"""Databases of one process that take longer to sample, together, than a poll may: each has its turn."""

import os
import subprocess
import sys
import textwrap
import unittest

from support import World, wait_for

DATABASES = 6
AGENT = """
    import http.server, json, os, socketserver, sys, threading, time
    directory, count, seconds, hangs = sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
    padding, user = "x" * int(sys.argv[5]), int(sys.argv[6])
    if user:
        os.setuid(user)
    pid = os.getpid()
    hello = {"version": 1, "agent_version": "0", "rocksdb_version": "7.8.3", "pid": pid, "command": "many",
             "instance": "many", "mode": "rw", "capabilities": ["sample"]}
    databases = [{"id": str(n), "path": f"{directory}/db{n}", "access": "read_write", "tunable": True, "reason": "",
                  "limiter": "host", "statistics": "host"} for n in range(1, count + 1)]
    one_at_a_time = threading.Lock()
    sequence = 0
    def sample(path):
        global sequence
        if f"/{hangs}/" in path:
            time.sleep(3)
        with one_at_a_time:
            time.sleep(seconds)
            sequence += 1
            return {"sequence": sequence, "tick_ns": time.monotonic_ns(), "wall_ns": time.time_ns(), "padding": padding}
    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        def do_GET(self):
            answer = hello if self.path == "/v1/hello" else sample(self.path) if "/sample" in self.path else {"databases": databases}
            body = json.dumps(answer).encode()
            self.send_response(200)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)
        def address_string(self): return "-"
    class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
        daemon_threads = True
    Server(f"{directory}/agent.{pid}.sock", Handler).serve_forever()
"""


class ManyDatabases(World):
    POLL = 0.5

    def samples(self):
        return [target["samples"]["recorded"] for target in self.status()["targets"]]

    def start_agent(self, seconds, hangs="none", databases=DATABASES, padding=0, user=0):
        with open(self.directory / "many.log", "ab") as log:
            self.processes.append(subprocess.Popen(
                [sys.executable, "-c", textwrap.dedent(AGENT), self.agents,
                 *map(str, (databases, seconds, hangs, padding, user))],
                stdin=subprocess.DEVNULL, stdout=log, stderr=log))
        self.start_daemon(mode="advise")
        wait_for("all of them", lambda: len(self.samples()) == databases, 10)

    def test_each_has_its_turn(self):
        self.start_agent(0.07)  # three of them fit into half of an interval
        wait_for("samples of each", lambda: min(self.samples()) >= 3, 30)
        self.assertIn("no time was left for it", self.alerts.read_text())

    def test_one_that_hangs_costs_the_others_little(self):
        self.start_agent(0.001, hangs="3")
        wait_for("polls", lambda: max(self.samples()) >= 30, 60)
        fewest = sorted(self.samples())[:2]
        self.assertEqual(fewest[0], 0)
        self.assertGreaterEqual(fewest[1], 24)

    @unittest.skipUnless(os.geteuid() == 0, "needs root")
    def test_what_another_user_may_answer_in_a_poll_is_bounded(self):
        self.directory.chmod(0o755)
        self.agents.chmod(0o1777)
        self.start_agent(0, databases=4, padding=3 << 20, user=65534)
        wait_for("samples of each", lambda: min(self.samples()) >= 3, 30)
        self.assertIn("the agents of uid 65534 answer with more than 8 MiB in a poll", self.alerts.read_text())
        due = [target["samples"]["due"] for target in self.status()["targets"]]
        self.assertLess(sum(self.samples()), 0.8 * sum(due), "12 MiB are asked for in a poll, 8 taken")


if __name__ == "__main__":
    unittest.main()
