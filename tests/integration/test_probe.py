"""rocktune probe-device, with a program that answers as fio does, and once with fio itself."""

import json
import os
import pathlib
import shutil
import signal
import subprocess
import textwrap
import unittest

from support import BIN, World, wait_for

# A device that does 1 GB/s or 50,000 requests of 4 KiB each way, whatever the mix; every call is noted.
FAKE_FIO = textwrap.dedent("""\
    #!/usr/bin/env python3
    import json, os, sys, time
    given = dict(word[2:].split("=", 1) for word in sys.argv[1:] if "=" in word)
    here = os.path.dirname(os.path.abspath(__file__))
    with open(here + "/calls.jsonl", "a") as calls:
        calls.write(json.dumps(given | {"pid": os.getpid(), "link": os.readlink(given["filename"])}) + "\\n")
    behaviour = open(here + "/behaviour").read()
    if behaviour == "hang":
        time.sleep(600)
    if behaviour == "fail":
        sys.exit("fio: pid=1, err=28/file:filesetup.c, func=write, error=No space left on device")
    size = int(given["bs"])
    per_second = 1 / (size / 1e9 + 1 / 50000 - 4096 / 1e9)
    share = {"read": 1, "randread": 1, "write": 0, "randwrite": 0}.get(given["rw"], int(given.get("rwmixread", 50)) / 100)
    if given["rw"] == "write" and "time_based" not in [word.lstrip("-") for word in sys.argv]:
        with open(given["filename"], "r+b") as scratch:
            scratch.write(b"x" * (1 << 20))
    def direction(rate):
        io = int(given["size"]) if rate else 0
        return {"io_bytes": io, "bw_bytes": rate * size, "iops": rate, "iops_mean": rate, "iops_stddev": rate / 50,
                "lat_ns": {"mean": 90000.0 if rate else 0.0}}
    print("note: said before the JSON")
    print(json.dumps({"fio version": "fio-fake", "jobs": [{"error": 0, "read": direction(per_second * share),
                                                          "write": direction(per_second * (1 - share))}]}))
    """)


class Probe(World):
    def setUp(self):
        super().setUp()
        self.place = self.directory / "place"
        self.place.mkdir()
        self.tools = self.directory / "tools"
        self.tools.mkdir()
        self.fio = self.tools / "fio"
        self.fio.write_text(FAKE_FIO)
        self.fio.chmod(0o755)
        self.behave("well")

    def behave(self, how):
        (self.tools / "behaviour").write_text(how)

    def calls(self):
        try:
            return [json.loads(line) for line in (self.tools / "calls.jsonl").read_text().splitlines()]
        except FileNotFoundError:
            return []

    def probe(self, *options, place=None, fio=None, size="64MiB"):
        command = [BIN / "rocktune", "probe-device", place or self.place, "--size", size, "--fio", fio or self.fio, *options]
        return subprocess.run([str(word) for word in command], capture_output=True, text=True, timeout=600, check=False)

    def test_a_profile_that_the_daemon_takes(self):
        neighbour = self.place / "000012.sst"
        neighbour.write_bytes(b"data")
        profile = self.directory / "device.yaml"
        result = self.probe("-o", profile, "--json", place=neighbour)
        self.assertEqual(result.returncode, 0, result.stderr)
        found = json.loads(result.stdout)
        self.assertAlmostEqual(found["read_bytes_per_second"] / 1e9, 1, places=3)
        self.assertAlmostEqual(found["write_iops"], 50000, delta=1)
        self.assertAlmostEqual(found["mixing_loss"], 0, places=6)  # the sum of both is limited
        self.assertEqual(found["read_latency_us"], 90)
        self.assertEqual(found["measured"]["file_bytes"], 64 << 20)
        self.assertIn("[12/12] 25% reads, 4 KiB anywhere, 32 in flight: reads ", result.stderr)
        self.assertEqual(os.listdir(self.place), ["000012.sst"])
        self.assertEqual(neighbour.read_bytes(), b"data")
        calls = self.calls()
        self.assertEqual(len(calls), 12)
        for call in calls:
            self.assertEqual(call["filename"], "/proc/self/fd/3")
            self.assertTrue(call["link"].startswith(str(self.place / ".rocktune-probe-device.")), call["link"])
            self.assertTrue(call["link"].endswith(" (deleted)"), call["link"])

        config = self.directory / "rocktuned.yaml"
        config.write_text(f"defaults: {{device_profile: {profile}}}\n")
        checked = subprocess.run([BIN / "rocktuned", "--check-config", config], capture_output=True, text=True,
                                 timeout=300, check=False)
        self.assertEqual(checked.returncode, 0, checked.stderr)
        profile.write_text(profile.read_text().replace("read_iops: 50000", "read_iops: many"))
        broken = subprocess.run([BIN / "rocktuned", "--check-config", config], capture_output=True, text=True,
                                timeout=300, check=False)
        self.assertEqual(broken.returncode, 2, broken.stderr)
        self.assertRegex(broken.stderr, r"device\.yaml:\d+:\d+: read_iops: 'many'")

    def test_an_existing_profile_stays(self):
        profile = self.directory / "device.yaml"
        profile.write_text("mine\n")
        result = self.probe("-o", profile)
        self.assertEqual(result.returncode, 1)
        self.assertIn("--force", result.stderr)
        self.assertEqual(profile.read_text(), "mine\n")
        self.assertEqual(self.calls(), [])
        self.assertEqual(self.probe("-o", profile, "--force").returncode, 0)
        self.assertIn("read_iops: 50000", profile.read_text())

    def test_what_cannot_be_done_says_why(self):
        for words, code, options in (
                ("apt-get install fio", 1, {"fio": "/nowhere/fio"}),
                ("never written to", 2, {"place": "/dev/null"}),
                ("none", 1, {"place": self.directory / "none"}),
                ("--size", 2, {"size": "1PiB"}),
                ("have to be", 2, {"size": "1TiB"})):
            with self.subTest(words=words):
                result = self.probe(**options)
                self.assertEqual(result.returncode, code, result.stderr)
                self.assertIn(words, result.stderr)
                self.assertEqual(result.stdout, "")
        result = self.probe("-o", "/nowhere/device.yaml")
        self.assertEqual(result.returncode, 1)
        self.assertIn("/nowhere/device.yaml", result.stderr)
        self.assertEqual(self.calls(), [])
        self.behave("fail")
        result = self.probe("-o", self.directory / "device.yaml")
        self.assertEqual(result.returncode, 1)
        self.assertIn("No space left on device", result.stderr)
        self.assertEqual([name for name in os.listdir(self.directory) if name.startswith("device")], [])

    def test_ctrl_c_ends_fio_and_leaves_nothing(self):
        self.behave("hang")
        for number in (signal.SIGINT, signal.SIGTERM):
            before = len(self.calls())
            process = subprocess.Popen([str(word) for word in (BIN / "rocktune", "probe-device", self.place, "--size", "64MiB",
                                                               "--fio", self.fio, "-o", self.directory / "device.yaml")],
                                       stderr=subprocess.PIPE, text=True)
            try:
                call = wait_for("fio to begin", lambda: self.calls()[before:])[0]
                process.send_signal(number)
                _, said = process.communicate(timeout=300)
            finally:
                process.kill()
                process.wait()
            self.assertEqual(process.returncode, 130, said)
            self.assertIn("stopped", said)
            self.assertFalse(pathlib.Path(f"/proc/{call['pid']}").exists())
            self.assertEqual(os.listdir(self.place), [])
            self.assertEqual([name for name in os.listdir(self.directory) if name.startswith("device")], [])

    def test_nothing_is_left_when_it_is_killed(self):
        self.behave("hang")
        process = subprocess.Popen([str(word) for word in (BIN / "rocktune", "probe-device", self.place, "--size", "64MiB",
                                                           "--fio", self.fio)], stderr=subprocess.DEVNULL)
        call = wait_for("fio to begin", self.calls)[0]
        process.kill()
        process.wait()
        wait_for("fio to end", lambda: not pathlib.Path(f"/proc/{call['pid']}").exists())
        self.assertEqual(os.listdir(self.place), [])

    @unittest.skipUnless(shutil.which("fio"), "fio is not installed: apt-get install fio")
    def test_fio_itself(self):
        result = self.probe("--json", "--seconds", "6", fio="fio")
        if result.returncode != 0:
            # A disk that seeks is no failure of the command.
            self.assertIn("a disk that seeks", result.stderr)
            return
        found = json.loads(result.stdout)
        self.assertGreater(found["read_bytes_per_second"], 1e5)
        self.assertGreater(found["write_iops"], 1)
        self.assertGreater(found["read_latency_us"], 0.1)
        self.assertEqual(len(found["measured"]["steps"]), 11)
        self.assertTrue(found["measured"]["by"].startswith("fio-"))
        self.assertEqual(os.listdir(self.place), [])


if __name__ == "__main__":
    unittest.main()
