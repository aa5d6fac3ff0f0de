"""A program that nobody here built, Debian's db_bench, seen and tuned beside a running daemon."""

import unittest

from support import World, needs_db_bench, wait_for


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


if __name__ == "__main__":
    unittest.main()
