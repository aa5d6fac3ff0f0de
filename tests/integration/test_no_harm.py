"""rocktune-bench no-harm as a user starts it: two scenarios of two seconds, gone on with, refused. What it finds is not looked at:
on a busy machine two seconds say nothing."""

import json
import signal
import unittest

from bench_support import BenchWorld
from support import wait_for


class NoHarm(BenchWorld):
    def setUp(self):
        super().setUp()
        self.output = self.directory / "out"

    def no_harm(self, *arguments):
        (self.directory / "bench.log").unlink(missing_ok=True)
        return self.bench("no-harm", "--seconds", 2, "--confirm", 1, "-o", self.output, *arguments)

    def report(self):
        return json.loads((self.output / "no-harm.json").read_text())

    def runs(self):
        return {path.relative_to(self.output): path.stat().st_mtime_ns for path in self.output.glob("scenario-*/runs/*.json")}

    def test_two_scenarios_and_one_more(self):
        code = self.no_harm("--scenarios", 2).wait(300)
        self.assertIn(code, (0, 1), self.log())
        self.check(code, 2)
        before = self.runs()
        yaml = (self.output / "scenario-001.yaml").read_text()
        self.assertIn("seed 1, number 1", yaml)

        # What is there is judged again without a run; one more scenario is one more.
        (self.output / "no-harm.md").unlink()
        self.assertEqual(self.no_harm("--scenarios", 2).wait(60), code, self.log())
        self.assertNotIn("run 1 of", self.log())
        self.assertEqual(self.runs(), before)
        code = self.no_harm("--scenarios", 3).wait(300)
        self.assertIn(code, (0, 1), self.log())
        self.check(code, 3)
        self.assertEqual({path: time for path, time in self.runs().items() if path in before}, before)

        # A scenario's directory is a comparison's.
        seed = self.report()["scenarios"][0]["order_seed"]
        process = self.bench("compare", "-s", self.output / "scenario-001.yaml", "-p", "static,headroom", "-n", 1, "--seed", seed,
                             "-o", self.output / "scenario-001")
        self.assertEqual(process.wait(60), 0, self.log())
        self.assertTrue((self.output / "scenario-001" / "compare.html").exists())

        for arguments, message in ((("--seed", 2), "another --seed"), (("--policy", "silk"), "another --policy")):
            self.assertEqual(self.no_harm("--scenarios", 2, *arguments).wait(60), 1)
            self.assertIn(message, self.log())

    def check(self, code, scenarios):
        report = self.report()
        self.assertEqual(report["schema"], "rocktune-no-harm/1")
        self.assertEqual(code, 1 if report["harm"] else 0)
        self.assertEqual([one["name"] for one in report["scenarios"]], [f"scenario-{n:03}" for n in range(1, scenarios + 1)])
        for one in report["scenarios"]:
            self.assertIn(one["verdict"], ("no harm", "cleared", "too noisy to call", "harm"))
            self.assertEqual(len(one["pairs"]), 1 if one["verdict"] == "no harm" else 2)
            names = sorted(path.name for path in (self.output / one["name"] / "runs").iterdir())
            pairs = range(1, len(one["pairs"]) + 1)
            self.assertEqual(names, [f"{policy}-{n:03}.json" for policy in ("headroom", "static") for n in pairs])
            self.assertEqual(list((self.output / one["name"]).glob("loaded-*")), [], "it is judged")
            self.assertIn(one["name"], (self.output / "no-harm.md").read_text())
        self.assertEqual(report["overall"]["scenarios"], scenarios)
        self.assertEqual(list(self.temporary.iterdir()), [])

    def test_stopped(self):
        process = self.no_harm("--scenarios", 5)
        wait_for("a finished run", self.runs, 120, every=0.01)
        process.send_signal(signal.SIGINT)
        self.assertEqual(process.wait(90), 130, self.log())
        self.assertEqual(list(self.output.glob("scenario-*/trials/*/db*")), [])
        self.assertLess(len(self.report()["scenarios"]), 5)

    def test_usage(self):
        for policy, message in (("none-such", "--policy: 'none-such' is not known"), ("static", "not static"),
                                ("headroom,silk", "give one")):
            self.assertEqual(self.no_harm("--policy", policy).wait(10), 2)
            self.assertIn(message, self.log())
        self.assertEqual(self.no_harm("--scenarios", 0).wait(10), 2)
        self.assertFalse(self.output.exists())


if __name__ == "__main__":
    unittest.main()
