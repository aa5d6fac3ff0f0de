"""A program that nobody here built, Debian's db_bench, seen and tuned beside a running daemon."""

import os
import unittest
from unittest.mock import patch

from support import BUILD, DB_BENCH, UNTIL_KILLED, World, needs_db_bench, wait_for


@needs_db_bench
class DbBench(World):
    def test_found_recorded_tuned_and_unharmed(self):
        self.start_daemon(mode="act")
        host = self.squeezed_writes(12)
        self.assertEqual(host.wait(60), 0, (self.directory / "host.log").read_text())
        self.assertIn("fillrandom", (self.directory / "host.log").read_text())
        # The end of the host is noticed, and waited out.
        wait_for("the daemon to see the host gone", lambda: self.target()["state"] == "waiting", 10)
        status = self.target()

        samples = status["samples"]
        self.assertGreaterEqual(samples["due"], 15)
        self.assertGreaterEqual(samples["recorded"], 0.5 * samples["due"], samples)
        rows = self.query("select count(*) from samples where user_bytes_written is not null")[0][0]
        self.assertGreaterEqual(rows, 0.5 * samples["due"])

        applied = self.query(
            'select d.knob, d."to", d.verdict_value, a.status, a.before, a.after from actuations a'
            " join decisions d on d.id = a.decision_id and d.target = a.target where a.status = 'applied'")
        self.assertTrue(applied, self.query("select * from decisions"))
        for knob, _, value, _, before, after in applied:
            self.assertEqual(after, value, f"{knob}: read back {after}")
            self.assertNotEqual(before, after, knob)
        self.assertIn("rate_limiter_bytes_per_second", {row[0] for row in applied})

    def test_ends_as_it_does_alone(self):
        common = ("--benchmarks=fillseq,readrandom,overwrite,seekrandom", "--num=20000", "--compression_type=none")
        alone = self.db_bench(*common, db="alone", log="alone.log", under_agent=False)
        self.assertEqual(alone.wait(120), 0)
        under = self.db_bench(*common, db="under", log="under.log")
        self.assertEqual(under.wait(120), 0)

        def shape(log):
            lines = (self.directory / log).read_text().splitlines()
            return [line.split(":")[0].strip() for line in lines if "micros/op" in line]

        self.assertEqual(shape("under.log"), shape("alone.log"))
        self.assertEqual(len(shape("under.log")), 4)
        self.assertEqual(list(self.agents.iterdir()), [], "the socket is removed at exit")

    def test_exit_code_and_output_are_the_commands_own(self):
        result = self.rocktune("run", "--agent-dir", self.agents, "--", "sh", "-c", "echo out; exit 7", check=False)
        self.assertEqual((result.returncode, result.stdout), (7, "out\n"))
        result = self.rocktune("run", "--agent-dir", self.agents, "--", "no-such-program-here", check=False)
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no-such-program-here", result.stderr)

    def test_settings_that_are_not_understood_are_refused(self):
        program = self.directory / "started"
        for name, value, said in (("ROCKTUNE_AGENT_MODE", "rp", "'rp' is not rw, ro or off"),
                                  ("ROCKTUNE_AGENT_OPEN", "event", "'event' is not statistics, limiter, events or none")):
            with self.subTest(name), patch.dict(os.environ, {name: value}):
                refused = self.rocktune("run", "--agent-dir", self.agents, "--", "touch", program, check=False)
                self.assertEqual((refused.returncode, refused.stderr), (2, f"rocktune: run: {name}={said}\n"))
                self.assertFalse(program.exists())
        with patch.dict(os.environ, {"ROCKTUNE_AGENT_MODE": "rp"}):  # which is not what counts then
            self.rocktune("run", "--mode", "ro", "--agent-dir", self.agents, "--", "touch", program)
        self.assertTrue(program.exists())

    def test_settings_that_are_not_understood_are_said_once_in_each_place(self):
        database, output = self.directory / "db", self.directory / "host.log"
        host = self.spawn([DB_BENCH, f"--db={database}", "--benchmarks=fillseq,fillseq,overwrite", f"--duration={UNTIL_KILLED}",
                           "--num=1000", "--benchmark_write_rate_limit=200000"], output.name, ROCKTUNE_AGENT_MODE="rp",
                          ROCKTUNE_AGENT_DIR=str(self.agents), LD_PRELOAD=str(BUILD / "lib" / "librocktune_preload.so"))
        # Each fillseq destroys its database and opens it again.
        wait_for("several openings", lambda: output.read_text().count("micros/op") == 2)
        said = "ROCKTUNE_AGENT_MODE='rp' is not rw, ro or off"
        self.assertEqual((self.agents / f"agent.{host.pid}.why").read_text(), f"{database}: {said}\n")
        wait_for("its LOG to say so", lambda: f"rocktune: off: {said}" in (database / "LOG").read_text(errors="replace"))


if __name__ == "__main__":
    unittest.main()
