"""Processes of other users in a directory that everybody may write to, as /run/rocktune: what they say is not believed."""

import os
import subprocess
import sys
import textwrap
import time
import unittest

from support import World, wait_for

needs_root = unittest.skipUnless(os.geteuid() == 0, "needs root")


class Poser(World):
    POLL = 0.2

    NOBODY = 65534
    AGENT = """
        import http.server, json, os, socketserver, sys
        directory, pid, path, user = sys.argv[1], int(sys.argv[2]) or os.getpid(), sys.argv[3], int(sys.argv[4])
        if user:
            os.setuid(user)
        hello = {"version": 1, "agent_version": "0", "rocksdb_version": "7.8.3", "pid": pid, "command": "poser",
                 "instance": "poser", "mode": "rw", "capabilities": ["sample", "options"]}
        database = {"id": "1", "path": path, "name": "x", "opened_wall_ns": 0, "access": "read_write", "tunable": True,
                    "reason": "", "limiter": "host", "statistics": "host", "column_families": ["default"]}
        asked = 0
        def databases():  # of a path with "%d" other ones each time
            global asked
            asked += 1
            if "%d" not in path:
                return [database]
            return [{**database, "id": str(one), "path": path % one} for one in range(200 * asked, 200 * asked + 200)]
        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self):
                body = json.dumps(hello if self.path == "/v1/hello" else {"databases": databases() if self.path == "/v1/dbs" else []}).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)
            def address_string(self): return "-"
        class Server(socketserver.ThreadingMixIn, socketserver.UnixStreamServer):
            daemon_threads = True
        Server(f"{directory}/agent.{pid}.sock", Handler).serve_forever()
    """

    def pose(self, pid, path, user=0):
        """pid 0: its own."""
        program = textwrap.dedent(self.AGENT)
        with open(self.directory / "poser.log", "ab") as log:
            process = subprocess.Popen([sys.executable, "-c", program, *map(str, (self.agents, pid, path, user))],
                                       stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd="/")
        self.processes.append(process)
        return process

    @needs_root
    def test_another_users_database_is_not_believed(self):
        self.directory.chmod(0o755)
        self.agents.chmod(0o1777)
        database = self.directory / "db"
        database.mkdir()
        (database / "CURRENT").write_text("MANIFEST-000001\n")
        self.pose(0, database, user=self.NOBODY)
        self.start_daemon(mode="act")
        wait_for("the refusal", lambda: "the database belongs to uid 0, its agent runs as uid 65534" in self.log(), 10)
        self.assertEqual(self.status()["targets"], [])
        self.pose(0, self.directory / "own", user=self.NOBODY)
        wait_for("a database of its own", lambda: self.named("own"), 10)
        self.assertEqual(len(self.status()["targets"]), 1)
        self.assertEqual(self.log().count("the database belongs to"), 1, "said once")

    @needs_root
    def test_who_opens_databases_all_the_time_fills_no_log(self):
        self.directory.chmod(0o755)
        self.agents.chmod(0o1777)
        self.pose(0, f"{self.directory}/many%d", user=self.NOBODY)
        self.start_daemon(mode="observe")
        wait_for("the limit", lambda: "uid 65534 opens databases again and again" in self.log(), 60)
        time.sleep(3)
        opened = [line for line in self.alert_lines("source") if line["message"].startswith("opened by")]
        self.assertEqual(len(opened), 1024)

    def test_another_process_is_not_believed(self):
        self.pose(os.getpid(), self.directory / "db")  # this test's pid, not its own
        self.start_daemon(mode="act")
        refusal = f"not trusted: the agent says that it is pid {os.getpid()}"
        wait_for("the refusal", lambda: refusal in self.log(), 10)
        self.assertEqual(self.status()["targets"], [])
        knobs = self.rocktune("knobs", "--agent-dir", self.agents, check=False)
        self.assertEqual(knobs.returncode, 1)
        self.assertIn(refusal, knobs.stderr)

    def test_a_path_that_is_none_is_not_believed(self):
        for path in ("db", f"{self.directory}/db (read_only)"):  # as a configuration may call one; as one that is only read is called
            self.pose(0, path)
        self.start_daemon(mode="act")
        wait_for("both refusals", lambda: self.log().count("an agent tells the whole path of a database") == 2, 10)
        self.assertEqual(self.status()["targets"], [])

    def test_its_own_is(self):
        self.pose(0, self.directory / "db")
        self.start_daemon(mode="act")
        wait_for("the target", lambda: self.named("db"), 10)

    @needs_root
    def test_names_that_another_user_took_are_taken_back(self):
        for taken in (self.control, self.freeze_file):
            taken.parent.chmod(0o1777)  # as /run/rocktune: only there names can be taken
            taken.mkdir()
            (taken / "theirs").touch()
            os.chown(taken, self.NOBODY, self.NOBODY)
        self.start_daemon(mode="act")
        self.rocktune("freeze", "--socket", self.control)
        self.assertEqual(self.status()["daemon"]["frozen"]["file"], str(self.freeze_file))
        for taken in (self.control, self.freeze_file):
            self.assertEqual(len(list(self.directory.rglob(f"{taken.name}.aside.*/theirs"))), 1)

    @needs_root
    def test_another_users_control_socket_is_told_nothing(self):
        self.directory.chmod(0o755)
        self.control.parent.chmod(0o1777)
        told = self.control.parent / "told"
        program = """
            import os, socket, sys
            os.setuid(int(sys.argv[2]))
            listener = socket.socket(socket.AF_UNIX)
            listener.bind(sys.argv[1])
            os.chmod(sys.argv[1], 0o777)
            listener.listen()
            print("there", flush=True)
            while True:
                client, _ = listener.accept()
                with open(sys.argv[3], "ab") as told:
                    told.write(client.recv(65536))
                try:
                    client.sendall(b"HTTP/1.1 200 OK\\r\\nContent-Length: 14\\r\\n\\r\\n" + b'{"results":[]}')
                except OSError:
                    pass  # it has hung up
                client.close()
        """
        listener = subprocess.Popen([sys.executable, "-c", textwrap.dedent(program), str(self.control), str(self.NOBODY), str(told)],
                                    stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, cwd="/")
        self.processes.append(listener)
        self.assertEqual(listener.stdout.readline(), b"there\n")  # the socket's file is there before anybody listens
        for command in (["rollback", "--all"], ["status"]):
            result = self.rocktune(*command, "--socket", self.control, check=False)
            self.assertEqual(result.returncode, 1, result.stdout)
            self.assertIn(f"not trusted, and told nothing: uid {self.NOBODY} listens there", result.stderr)
        time.sleep(0.2)
        self.assertEqual(told.read_bytes() if told.exists() else b"", b"")

    def test_links_are_not_followed(self):
        elsewhere = self.directory / "elsewhere"
        elsewhere.mkdir()
        agents, self.agents = self.agents, elsewhere
        process = self.pose(0, self.directory / "db")
        wait_for("its socket", lambda: self.agent_socket(process), 10)
        self.agents = agents
        (agents / f"agent.{process.pid}.sock").symlink_to(elsewhere / f"agent.{process.pid}.sock")
        self.start_daemon(mode="act")
        time.sleep(1)
        self.assertEqual(self.status()["targets"], [])


if __name__ == "__main__":
    unittest.main()
