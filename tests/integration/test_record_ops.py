"""rocktune record-ops on a real db_bench: begun and ended under load, bounded, and never in the host's way."""

import contextlib
import json
import os
import shutil
import signal
import socket
import subprocess
import threading
import unittest
import zlib

from agent_support import AgentWorld
from support import BIN, UNTIL_KILLED, Process, needs_db_bench, request, wait_for

BUSY = ("--benchmarks=readrandomwriterandom", "--readwritepercent=50", f"--duration={UNTIL_KILLED}", "--num=20000",
        "--value_size=200", "--compression_type=none", "--threads=2", "--write_buffer_size=1048576",
        "--benchmark_write_rate_limit=4000000")


@needs_db_bench
class RecordOps(AgentWorld):
    def setUp(self):
        super().setUp()
        self.recording = self.directory / "recording"

    def busy_host(self, *arguments, database="db", **environment):
        command = [BIN / "rocktune", "run", "--agent-dir", self.agents, "--", shutil.which("db_bench"),
                   f"--db={self.directory / database}", *(arguments or BUSY)]
        host = self.spawn(command, "host.log", **environment)
        self.served_by(host)
        wait_for("the database", lambda: self.databases(host))
        return host

    def record(self, *arguments, check=True):
        return self.rocktune("record-ops", "db", "--agent-dir", self.agents, *arguments, check=check)

    def start_recording(self, *arguments):
        command = [BIN / "rocktune", "record-ops", "db", "--agent-dir", self.agents, "-o", self.recording, *arguments]
        process = Process([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.processes.append(process)
        return process

    def manifest(self):
        return json.loads((self.recording / "manifest.json").read_text())

    def check_manifest(self):
        """It has what is in ops.trace, and in the checkpoint; the manifest."""
        manifest, trace = self.manifest(), (self.recording / "ops.trace").read_bytes()
        self.assertEqual((manifest["bytes"], manifest["crc32"]), (len(trace), zlib.crc32(trace)))
        self.assertEqual(manifest["operations"], sum(manifest[kind] for kind in ("writes", "gets", "multigets", "seeks")))
        files = {path.name: path.stat().st_size for path in (self.recording / "checkpoint").glob("*")}
        self.assertEqual(manifest.get("checkpoint_files", {}), files)
        return manifest

    def status(self):
        return json.loads(self.record("--status", "--json").stdout)

    def test_by_time_under_load(self):
        host = self.busy_host()
        shown = self.record("-o", self.recording, "--seconds", "1").stdout
        self.assertIn("its time was over", shown)
        manifest = self.check_manifest()
        self.assertEqual(manifest["schema"], "rocktune-op-recording/1")
        self.assertEqual((manifest["state"], manifest["why_ended"]), ("ended", "time"))
        self.assertTrue(1 <= manifest["seconds"] < 20, "not the 60 s that it takes where nobody asks")
        self.assertGreater(manifest["writes"], 100)
        self.assertGreater(manifest["gets"], 100)
        self.assertGreater(manifest["writer_ns_per_operation"], 0)
        self.assertEqual((self.recording / "ops.trace").stat().st_mode & 0o777, 0o600)
        self.assertTrue((self.recording / manifest["options_file"]).is_file())
        self.assertTrue((self.recording / "checkpoint" / "CURRENT").is_file())
        self.assertIsNone(host.poll(), "the host goes on")
        log = self.directory / "db" / "LOG"
        wait_for("its LOG to say so", lambda: "operations are recorded to" in log.read_text(errors="replace"))

    def test_by_size_and_again(self):
        self.busy_host()
        self.record("-o", self.recording, "--max-size", "256KiB", "--sample", "4", "--no-checkpoint")
        manifest = self.check_manifest()
        self.assertEqual(manifest["why_ended"], "size")
        self.assertLessEqual(manifest["bytes"], 256 << 10)
        self.assertGreater(manifest["reads_left_out"], manifest["gets"])
        again = self.record("-o", self.recording, check=False)
        self.assertEqual(again.returncode, 1)
        self.assertIn("has a recording already", again.stderr)

    def test_ctrl_c_and_stop(self):
        self.busy_host()
        process = self.start_recording("--no-checkpoint")
        wait_for("something recorded", lambda: self.status()["writes"] > 0)
        busy = self.record("-o", self.directory / "other", check=False)
        self.assertEqual(busy.returncode, 1)
        self.assertIn("being recorded", busy.stderr)
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 130, output + errors)
        self.assertEqual(self.manifest()["why_ended"], "request")
        self.assertFalse(self.manifest()["checkpoint"])
        self.recording = self.directory / "second"
        process = self.start_recording("--no-checkpoint")
        wait_for("something recorded", lambda: self.status()["state"] == "recording" and self.status()["writes"] > 0)
        self.record("--stop")
        self.assertEqual(process.wait(20), 0)
        self.assertEqual(self.manifest()["why_ended"], "request")
        # What is complete stays as it is: its checksum tells of damage that comes later.
        complete = self.manifest()
        with open(self.recording / "ops.trace", "ab") as trace:
            trace.write(b"damage")
        self.record("--stop", check=False)
        self.assertEqual(self.manifest(), complete)

    def test_a_recorder_that_is_killed_leaves_a_trace_that_ends(self):
        self.busy_host()
        process = self.start_recording("--seconds", "10")
        wait_for("the manifest", lambda: (self.recording / "manifest.json").exists())
        process.kill()
        self.assertEqual(self.manifest()["state"], "recording")
        self.assertNotIn("crc32", self.manifest())
        wait_for("its end", lambda: self.status()["state"] == "ended", 60)
        self.record("--stop")  # has ended: completes the manifest
        self.assertEqual(self.check_manifest()["why_ended"], "time")

    def test_a_database_that_is_killed_leaves_what_was_written(self):
        host = self.busy_host()
        process = self.start_recording("--seconds", "60")
        wait_for("something recorded", lambda: self.status()["writes"] > 0)
        host.kill()
        output, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertGreater(self.check_manifest()["writes"], 0)

    def test_the_database_closes_meanwhile(self):
        host = self.busy_host(*BUSY, "--duration=3")
        process = self.start_recording("--seconds", "60")
        output, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertIn("the database was closed", output)
        self.assertEqual(host.wait(20), 0, (self.directory / "host.log").read_text())
        self.assertEqual(self.check_manifest()["why_ended"], "closing")
        self.assertGreater(self.manifest()["writes"], 0)

    def hung_up_on(self, host, times):
        """A directory with a socket that passes on what the agent is asked, but hangs up on the first looks at a recording."""
        directory = self.directory / "between"
        directory.mkdir()
        path = self.agent_socket(host)
        server = socket.socket(socket.AF_UNIX)
        self.addCleanup(server.close)
        server.bind(str(directory / f"agent.{os.getpid()}.sock"))  # who listens, as the command wants it
        server.listen()
        _, hello = request(path, "GET", "/v1/hello")
        hello = json.dumps({**hello, "pid": os.getpid()}).encode()

        def pass_on():
            left = times
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client, socket.socket(socket.AF_UNIX) as agent:
                    asked = client.recv(65536)
                    if b"/v1/hello" in asked:
                        client.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(hello), hello))
                        continue
                    if b'"status"' in asked and left > 0:
                        left -= 1
                        continue
                    agent.connect(str(path))
                    agent.sendall(asked)
                    while answer := agent.recv(65536):
                        client.sendall(answer)

        threading.Thread(target=pass_on, daemon=True).start()
        return directory

    def test_an_agent_that_hangs_up_is_asked_again(self):
        host = self.busy_host()
        self.rocktune("record-ops", "db", "--agent-dir", self.hung_up_on(host, 4), "-o", self.recording, "--seconds", "1",
                      "--no-checkpoint")
        self.assertEqual(self.check_manifest()["why_ended"], "time")

    def test_a_read_only_agent_records_nothing(self):
        self.busy_host(*BUSY, ROCKTUNE_AGENT_MODE="ro")
        refused = self.record("-o", self.recording, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("ROCKTUNE_AGENT_MODE=ro", refused.stderr)

    def test_usage(self):
        self.busy_host()
        self.assertEqual(self.record(check=False).returncode, 2)
        self.assertEqual(self.record("--seconds", "0", check=False).returncode, 2)
        for size in ("100B", "0", "-1", "2PiB", "many"):
            refused = self.record("-o", self.recording, "--max-size", size, check=False)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn("--max-size", refused.stderr)
        self.assertFalse(self.recording.exists())
        (self.recording / "somebody's").mkdir(parents=True)
        refused = self.record("-o", self.recording, check=False)
        self.assertEqual(refused.returncode, 1)
        self.assertIn("is not empty: choose another directory", refused.stderr)
        self.assertEqual([path.name for path in self.recording.iterdir()], ["somebody's"])
        nobody = self.rocktune("record-ops", "other", "--agent-dir", self.agents, "-o", self.recording, check=False)
        self.assertEqual(nobody.returncode, 1)
        self.assertIn("no open database is called other", nobody.stderr)
        self.assertIn("nothing is recorded", self.record("--status").stdout)
        self.assertEqual(self.record("--stop", check=False).returncode, 1)

    @unittest.skipUnless(os.geteuid() == 0, "mounting a small file system needs root")
    def test_a_disk_that_fills_up(self):
        small = self.directory / "small"
        small.mkdir()
        self.mount("-t", "tmpfs", "-o", "size=24m,mode=0700", "tmpfs", small)
        host = self.busy_host(*BUSY, "--benchmark_write_rate_limit=500000")
        self.recording = small / "recording"
        linked = self.record("-o", self.recording, "--max-size", "8MiB", check=False)
        self.assertIn("another file system", linked.stderr)
        large = self.record("-o", self.recording, "--max-size", "23MiB", "--no-checkpoint", check=False)
        self.assertIn("bytes free", large.stderr)
        process = self.start_recording("--max-size", "20MiB", "--no-checkpoint", "--sample", "1000")
        wait_for("something recorded", lambda: self.status()["bytes"] > 0)
        room = shutil.disk_usage(small).free
        # What is recorded meanwhile may leave less room than that.
        with open(small / "others", "wb", buffering=0) as others, contextlib.suppress(OSError):
            others.write(b"x" * (room - (1 << 20)))
        output, errors = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1, output + errors)
        self.assertIn("the disk is full", output)
        self.assertEqual(self.manifest()["why_ended"], "disk_full")
        self.assertEqual(self.manifest()["bytes"], (self.recording / "ops.trace").stat().st_size)
        self.assertIsNone(host.poll(), "the host goes on")
        self.assertEqual(request(self.agent_socket(host), "GET", "/v1/hello")[0], 200)


if __name__ == "__main__":
    unittest.main()
