"""Bad input: one clear message and the right exit code; a bad agent costs its own samples and nothing else."""

import json
import os
import socket
import subprocess
import threading
import unittest

from support import BIN, World, needs_db_bench, wait_for


class BadConfig(World):
    def check(self, text):
        path = self.directory / "bad.yaml"
        path.write_text(text)
        return subprocess.run([str(BIN / "rocktuned"), "--check-config", str(path)], capture_output=True, text=True,
                              timeout=300, check=False)

    def test_five_mistakes_all_at_once(self):
        result = self.check(
            "daemon:\n"
            "  mode: advise\n"
            "  pol_interval: 500ms\n"          # 3: unknown key
            "  mode: act\n"                     # 4: duplicate key
            "  poll_interval: 500mb\n"          # 5: wrong unit
            "trace:\n"
            "  max_size: -5GiB\n"               # 7: negative size
            "defaults:\n"
            "  policy: hedroom\n")              # 9: unknown policy
        self.assertEqual(result.returncode, 2, result.stderr)
        for line, word in ((3, "pol_interval"), (4, "mode"), (5, "poll_interval"), (7, "max_size"), (9, "policy")):
            self.assertRegex(result.stderr, rf"bad\.yaml:{line}:\d+: .*{word}", result.stderr)
        self.assertEqual(len([l for l in result.stderr.splitlines() if "bad.yaml:" in l]), 5, result.stderr)

    def test_a_message_plays_with_no_terminal(self):
        result = self.check('daemon:\n  mode: "\\e[31mred\\nforged"\n  \x1b[2Jmode: act\n')
        self.assertEqual(result.returncode, 2)
        self.assertIn("'?[31mred?forged' is not", result.stderr)
        self.assertIn("daemon.?[2Jmode: unknown key", result.stderr)
        self.assertNotRegex(result.stderr, "[\x00-\x09\x0b-\x1f\x7f]")

    def test_good_config_passes(self):
        self.assertEqual(self.check("daemon:\n  mode: observe\n").returncode, 0)

    def test_shipped_config_passes(self):
        from support import ROOT
        result = subprocess.run([str(BIN / "rocktuned"), "--check-config", str(ROOT / "etc" / "rocktuned.yaml")],
                                capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, 0, result.stderr)

    def test_no_yaml_and_no_file(self):
        self.assertEqual(self.check("daemon: [unclosed\n").returncode, 2)
        result = subprocess.run([str(BIN / "rocktuned"), "--check-config", str(self.directory / "nowhere.yaml")],
                                capture_output=True, text=True, timeout=300, check=False)
        self.assertEqual(result.returncode, 2)
        self.assertIn("nowhere.yaml", result.stderr)


class BadTrace(World):
    def assert_refused(self, path):
        for command in (("trace", "info", path), ("replay", path), ("score", path), ("simulate", path),
                        ("report", path, "-o", self.directory / "page.html")):
            result = self.rocktune(*command, check=False)
            self.assertEqual(result.returncode, 1, f"{command}: {result.stdout}{result.stderr}")
            self.assertEqual(len(result.stderr.strip().splitlines()), 1, result.stderr)
            self.assertIn(str(path), result.stderr)

    def test_foreign_empty_and_missing(self):
        foreign = self.directory / "foreign.sqlite"
        foreign.write_bytes(b"this is no database at all, but long enough to have a header of a hundred bytes " * 40)
        self.assert_refused(foreign)
        empty = self.directory / "empty.sqlite"
        empty.write_bytes(b"")
        self.assert_refused(empty)
        self.assert_refused(self.directory / "missing.sqlite")
        self.assert_refused(self.directory)
        pipe = self.directory / "pipe"
        os.mkfifo(pipe)  # nobody writes: whoever opens it waits for ever
        self.assert_refused(pipe)
        import sqlite3
        other = self.directory / "other.sqlite"
        connection = sqlite3.connect(other)
        connection.execute("create table t(x)")
        connection.commit()
        connection.close()
        self.assert_refused(other)

    @needs_db_bench
    def test_truncated(self):
        daemon = self.start_daemon(mode="advise")
        self.assertEqual(self.squeezed_writes(5).wait(60), 0)
        self.assertEqual(self.stop(daemon), 0)
        whole = self.trace()
        self.rocktune("trace", "info", whole)
        data = whole.read_bytes()
        for share in (0.3, 0.7):
            cut = self.directory / f"cut{share}.sqlite"
            cut.write_bytes(data[:int(len(data) * share)])
            self.assert_refused(cut)


@needs_db_bench
class BadAgents(World):
    """Sockets that answer garbage, nothing, or half a message, beside one that works."""

    def serve(self, pid, answer):
        server = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        server.bind(str(self.agents / f"agent.{pid}.sock"))
        server.listen(8)
        held = []

        def loop():
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                held.append(client)
                try:
                    if answer is not None:
                        client.recv(4096)
                        sent = answer(len(held)) if callable(answer) else answer
                        client.sendall(sent)
                        if not sent.startswith(b"HTTP/1.1 200 OK\r\nContent-Length: 5000"):
                            client.close()
                except OSError:
                    pass

        threading.Thread(target=loop, daemon=True).start()
        self.addCleanup(lambda: [s.close() for s in [server, *held]])

    def refusal(self, message):
        body = json.dumps({"error": {"code": "invalid", "message": message}}).encode()
        return b"HTTP/1.1 500 Internal Server Error\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)

    def test_others_keep_their_samples(self):
        self.serve(900001, b"\x00\xff garbage \r\n\r\n" * 50)
        self.serve(900002, None)
        self.serve(900003, b"HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n{\"version\":1,")
        malformed = []
        self.serve(900004, lambda times: malformed.append(times) or b"HTTP/1.1 200 OK\r\nContent-Length: 15\r\n\r\n{\"version\":\"x\"}")
        self.serve(900005, b"HTTP/1.1 200 OK\r\nContent-Length: 99999999999\r\n\r\n")
        asked = []
        self.serve(900006, lambda times: asked.append(times) or self.refusal(f"nonsense {times}"))
        daemon = self.start_daemon(mode="act")
        host = self.squeezed_writes(12)
        self.assertEqual(host.wait(60), 0)
        wait_for("the host's end", lambda: self.target()["state"] == "waiting", 10)
        samples = self.target()["samples"]
        self.assertGreaterEqual(samples["due"], 15)
        self.assertGreaterEqual(samples["recorded"], 0.5 * samples["due"], samples)
        self.assertEqual(len(self.status()["targets"]), 1)
        self.assertGreater(len(asked), 10)
        self.assertLess(len(malformed), len(asked) / 2, "left alone for ever longer")
        self.assertEqual(self.log().count("left alone for a second, then twice as long"), 3, "of those whose answers are none")
        self.assertEqual(self.log().count("nonsense "), 1, "one line a minute of what is new each time")
        self.assertIsNone(daemon.poll())
        self.assertEqual(self.stop(daemon), 0)


if __name__ == "__main__":
    unittest.main()
