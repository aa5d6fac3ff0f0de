"""rocktune train on runs that a daemon really recorded, and what rocktuned does with what it learns."""

import json
import shutil
import signal
import sqlite3
import unittest

from support import BIN, World, needs_db_bench, wait_for

DAY_NS = 86_400 * 10**9


@needs_db_bench
class Train(World):
    def config(self, prior="builtin", **kwargs):
        model = f"model:\n  prior: {prior}\n  save_interval: 2s\n"
        return super().config(extra=model, **kwargs)

    def record(self):
        daemon = self.start_daemon(mode="observe")
        self.assertEqual(self.squeezed_writes(25).wait(60), 0)
        self.assertEqual(self.stop(daemon), 0)
        return self.trace()

    def later(self, trace, days):
        copy = self.directory / f"later{days}.sqlite"
        connection = sqlite3.connect(trace)
        connection.execute("vacuum into ?", (str(copy),))  # without checksums of pages: it may be changed
        connection.close()
        connection = sqlite3.connect(copy)
        connection.execute("update samples set wall_ns = wall_ns + ?", (days * DAY_NS,))
        connection.commit()
        connection.close()
        return copy

    def state(self):
        """The one file of saved state, once there is one."""
        files = list((self.traces / "learnt").glob("*.yaml"))
        return files[0] if files else None

    def learnt_seconds(self):
        text = self.state().read_text()
        return int(text.split("compaction_backlog:\n    seconds: ")[1].split("\n")[0])

    def prior_of(self, trace):
        """What the engine of the trace's only target began with."""
        ((engine,),) = self.query("select engine from targets", trace)
        return json.loads(engine).get("prior")

    def messages(self, words):
        return [line["message"] for line in self.alert_lines("daemon") if words in line["message"]]

    def test_a_model_is_trained_and_scored_and_used(self):
        trace = self.record()
        traces = [self.later(trace, 1), trace]
        model = self.directory / "model.yaml"
        self.rocktune("train", *traces, "-o", model, "--epochs", "2")
        first = model.read_bytes()
        result = self.rocktune("train", *reversed(traces), "-o", model, "--epochs", "2", "--json")
        self.assertEqual(model.read_bytes(), first, "the same bytes, in whatever order")
        trained = json.loads(result.stdout)
        self.assertEqual([one["trace"] for one in trained["trained_on"]], [trace.stem, "later1"])
        self.assertEqual(trained["score"]["runs"][0]["trained_on"], [trace.stem])
        self.assertIn(f'trace: "{trace.stem}"', first.decode())

        with_model = self.rocktune("score", *traces, "--model", model, "--json").stdout
        without = self.rocktune("score", *traces, "--model", "none", "--json").stdout
        self.assertNotEqual(with_model, without)

        shutil.rmtree(self.traces)
        daemon = self.start_daemon(mode="observe", prior=model)
        self.assertEqual(self.squeezed_writes(6).wait(60), 0)
        self.assertEqual(self.stop(daemon), 0)
        prior = self.prior_of(self.trace())
        self.assertGreater(prior["indicators"][1]["seconds"], 20, "it began with the model")
        replay = self.rocktune("replay", self.trace(), "--json").stdout
        self.assertNotIn('"steps_that_differ":1', replay)

    def test_mistakes_are_named(self):
        trace = self.record()
        precious = self.directory / "notes.txt"
        precious.write_text("do not lose me\n")
        kept = self.rocktune("train", trace, "-o", precious, check=False)
        self.assertEqual(kept.returncode, 1)
        self.assertIn("no model file", kept.stderr)
        self.assertEqual(precious.read_text(), "do not lose me\n")
        refused = self.rocktune("train", trace, "-o", "-", check=False)
        self.assertEqual(refused.returncode, 2, refused.stderr)
        nobody = self.rocktune("train", trace, "-o", self.directory / "m", "--hold-out", "nobody", check=False)
        self.assertEqual(nobody.returncode, 2)
        self.assertFalse((self.directory / "m").exists())
        score = self.rocktune("score", trace, "--model", precious, check=False)
        self.assertEqual(score.returncode, 1)
        self.assertIn(f"{precious}:1:1: ", score.stderr)
        # rocktuned says the same, with the place in its own configuration.
        config = self.config(prior=precious)
        line = 1 + config.read_text().splitlines().index(f"  prior: {precious}")
        check = self.spawn([BIN / "rocktuned", "--check-config", config], "check.log")
        self.assertNotEqual(check.wait(20), 0)
        said = (self.directory / "check.log").read_text()
        self.assertIn(f"{config}:{line}:", said)
        self.assertIn(f"{precious}:1:1: ", said)

    def test_state_outlives_a_kill(self):
        daemon = self.start_daemon(mode="observe")
        host = self.squeezed_writes()
        wait_for("a first saved state", self.state, 30)
        daemon.send_signal(signal.SIGKILL)
        daemon.wait(10)
        known = self.learnt_seconds()
        first = self.trace()

        daemon = self.start_daemon(mode="observe")
        wait_for("another trace", lambda: self.trace() != first, 20)
        wait_for("more was learnt than before", lambda: self.learnt_seconds() > known, 30)
        self.assertEqual(self.stop(daemon), 0)
        self.assertEqual(self.prior_of(self.trace())["indicators"][1]["seconds"], known)
        self.assertEqual(self.messages("discarded"), [])

        state = self.state()
        state.write_text("garbage\n")
        second = self.trace()
        daemon = self.start_daemon(mode="observe")
        wait_for("the garbage to be discarded", lambda: self.messages("discarded"), 20)
        wait_for("a sound state in its place", lambda: "indicators:" in state.read_text(), 30)
        self.assertEqual(self.stop(daemon), 0)
        self.assertIn(f"{state}:", self.messages("discarded")[0])
        self.assertNotEqual(self.trace(), second)
        host.kill()
        host.wait(20)


if __name__ == "__main__":
    unittest.main()
