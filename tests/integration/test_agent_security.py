"""What the agent keeps to itself: who may speak with it, what it may change, and where it writes."""

import os
import re
import shutil
import signal
import stat
import subprocess
import unittest

from agent_support import AgentWorld
from support import Process, needs_db_bench, request, wait_for


def can_trace():
    return shutil.which("strace") and subprocess.run(["strace", "-f", "-qq", "-o", "/dev/null", "true"], capture_output=True,
                                                     check=False).returncode == 0


@needs_db_bench
class AgentSecurity(AgentWorld):
    def test_read_only_refuses_changes(self):
        host, path = self.served(ROCKTUNE_AGENT_MODE="ro")
        self.assertEqual(request(path, "GET", "/v1/hello")[1]["mode"], "ro")
        database = self.databases(host)[0]
        self.assertFalse(database["tunable"])
        for action, body in {"lease": {"holder": "a", "seconds": 5}, "changes": {"holder": "a", "changes": []},
                             "restore": {}, "release": {}, "hold": {"knob": "max_background_jobs"},
                             "op_trace": {"action": "status"}}.items():
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

    def trees(self, *directories):
        """{path: (kind and mode, size, time)} of all that lies there."""
        return {str(path): (status.st_mode, status.st_size, status.st_mtime_ns) for directory in directories
                for path in [directory, *sorted(directory.rglob("*"))] for status in [path.lstat()]}

    def test_nothing_is_written_elsewhere(self):
        places = {name: self.directory / name for name in ("home", "tmp", "cwd", "run", "config", "cache")}
        for place in places.values():
            place.mkdir()
            (place / "before").write_text("here")
        (self.directory / "db-parent").mkdir()
        before = self.trees(*places.values())
        host, _ = self.served(before=f'cd "{places["cwd"]}"', database="db-parent/db", HOME=str(places["home"]), TMPDIR=str(places["tmp"]),
                         XDG_RUNTIME_DIR=str(places["run"]), XDG_CONFIG_HOME=str(places["config"]),
                         XDG_CACHE_HOME=str(places["cache"]))
        self.use_everything(host)
        self.assertEqual([p.name for p in self.agents.iterdir()], [f"agent.{host.pid}.sock"])
        self.assertEqual([p.name for p in (self.directory / "db-parent").iterdir()], ["db"])
        host.send_signal(signal.SIGKILL)  # db_bench has no way to be asked to end
        host.wait()
        self.assertEqual(self.trees(*places.values()), before)

    def use_everything(self, host):
        path = self.agent_socket(host)
        base = f"/v1/dbs/{self.databases(host)[0]['id']}"
        self.assertEqual(request(path, "POST", base + "/lease", {"holder": "a", "seconds": 5})[0], 200)
        change = {"id": "1", "knob": "max_background_jobs", "value": 4}
        self.assertEqual(request(path, "POST", base + "/changes", {"holder": "a", "changes": [change]})[0], 200)
        for action in request(path, "GET", "/v1/hello")[1]["capabilities"]:
            code, answer = request(path, "GET", f"{base}/{action}")
            self.assertIn(code, (200, 405), answer)
        self.assertEqual(request(path, "POST", base + "/restore", {})[0], 200)

    @unittest.skipUnless(can_trace(), "strace is not installed, or may not trace (a container)")
    def test_no_file_is_made_but_the_socket(self):
        trace = self.directory / "files.txt"
        traced = ["strace", "-f", "-qq", "-o", trace, "-e", "trace=openat,open,creat,bind,mkdir,mkdirat,rename,renameat,renameat2,"
                  "unlink,unlinkat,link,linkat,symlink,symlinkat,truncate,chmod,fchmodat"]
        host = self.host(wrapper=traced)
        path = self.served_by()
        database = wait_for("the database that stays", lambda: self.lasting_databases(path))[0]
        self.assertEqual(request(path, "GET", f"/v1/dbs/{database['id']}/sample")[0], 200)
        os.kill(int(path.name.split(".")[1]), signal.SIGKILL)
        host.wait(30)
        database = str(self.directory / "db")
        elsewhere = []
        for line in trace.read_text(errors="replace").splitlines():
            opens = re.search(r" (?:openat\(\w+, |open\(|creat\()", line)
            if " = -1 " in line or (opens and not re.search(r"O_(WRONLY|RDWR|CREAT)", line)):
                continue
            names = re.findall(r'"([^"]*)"', line)
            if any(not name.startswith((database, str(self.agents), "/dev/null", "/dev/tty", "/proc/self/")) for name in names):
                elsewhere.append(line)
        self.assertEqual(elsewhere, [])

    @unittest.skipUnless(os.geteuid() == 0 and shutil.which("setpriv"), "needs root, to become another user")
    def test_a_place_that_another_user_has_taken(self):
        """In a directory for everybody somebody else may be first at the path: the agent does not serve, and touches nothing."""
        self.directory.chmod(0o755)
        self.agents.chmod(0o1777)
        squat = ("import os, socket, sys; s = socket.socket(socket.AF_UNIX); s.bind(sys.argv[1]); s.listen(); "
                 "os.chmod(sys.argv[1], 0o666); print('there', flush=True); sys.stdin.read()")
        os.mkfifo(self.directory / "go")
        host = self.host(before=f'echo $$ > "{self.directory}/pid"; read go < "{self.directory}/go"')
        pid_file = self.directory / "pid"
        wait_for("the host's pid", lambda: pid_file.exists() and pid_file.read_text().strip())
        name = self.agents / f"agent.{host.pid}.sock"
        squatter = Process(["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "python3", "-c", squat, str(name)],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.processes.append(squatter)
        self.assertEqual(squatter.stdout.readline(), b"there\n")
        (self.directory / "go").write_text("go\n")
        log = self.directory / "db" / "LOG"
        wait_for("the reason in the database's LOG",
                 lambda: log.exists() and "rocktune: not serving" in log.read_text(errors="replace"))
        self.assertIsNone(host.poll(), "the host goes on")
        self.assertEqual(name.stat().st_uid, 65534)
        squatter.stdin.close()
        squatter.wait(10)


if __name__ == "__main__":
    unittest.main()
