"""What keeps an operator in charge: pins, the freeze file, explain, and rollbacks of single changes."""

import json
import signal
import time
import unittest

from hosts import Host
from support import BIN, BUILD, PATIENCE, World, needs_db_bench, request, wait_for

LIMITER, JOBS, CACHE = "rate_limiter_bytes_per_second", "max_background_jobs", "block_cache_capacity_bytes"


@needs_db_bench
class Control(World):
    POLL = 0.2

    def values(self, host):
        return {n: k["value"] for n, k in self.knobs(host).items()}

    def host(self):
        process = self.squeezed_writes()
        self.served_by(process)
        wait_for("samples", lambda: self.target() and self.target()["samples"]["recorded"] > 3)
        return process

    def applied(self, knob=None):
        """Ids of decisions that were carried out, in their order."""
        knobs = {line["id"]: line["knob"] for line in self.alert_lines("decision")}
        return [line["id"] for line in self.alert_lines("actuation")
                if line["status"] == "applied" and knob in (None, knobs.get(line["id"]))]

    def test_pin(self):
        self.start_daemon(extra="targets:\n  - path: /*\n    pin: {max_background_jobs: 3,"
                                " rate_limiter_bytes_per_second: 6MiB/s}\n")
        host = self.host()
        wait_for("the pins", lambda: (self.values(host)[JOBS], self.values(host)[LIMITER]) == (3, 6 << 20), 20)
        self.assertIn("(pinned 3)", self.rocktune("status", "--socket", self.control).stdout)
        # The limiter starves this database: headroom wants more of both, and gets neither.
        wait_for("a refusal", lambda: any(d["verdict"]["rule"] == "pin" for d in self.alert_lines("decision")), 30)
        self.assertEqual((self.values(host)[JOBS], self.values(host)[LIMITER]), (3, 6 << 20))
        self.assertEqual({d["rule"] for d in self.alert_lines("decision")
                          if d["verdict"]["kind"] in ("allowed", "clamped") and d["knob"] in (JOBS, LIMITER)}, {"pin.config"})

    def test_a_misspelt_target(self):
        wrong, right = self.directory / "bd", self.directory / "db"
        targets = "targets:\n  - {{path: {}, mode: observe}}\n"
        daemon = self.start_daemon(mode="advise", extra=targets.format(wrong))
        self.host()

        def told():
            return [line["message"] for line in self.alert_lines("daemon") if line["id"] == "unmatched"]

        self.assertEqual(self.status()["daemon"]["unmatched_targets"], [{"index": 0, "path": str(wrong)}])
        wait_for("the warning", told, 20)
        self.assertIn(f"{right}: no entry of targets names it", told()[0])
        self.config(mode="advise", extra=targets.format(right))
        daemon.send_signal(signal.SIGHUP)
        wait_for("the reload", lambda: self.target()["mode"] == "observe", 10)
        self.assertEqual(self.status()["daemon"]["unmatched_targets"], [])
        self.config(mode="advise", extra=targets.format(wrong))
        daemon.send_signal(signal.SIGHUP)
        wait_for("another warning", lambda: len(told()) == 2, 20)

    def test_freeze_file(self):
        self.freeze_file.touch()
        daemon = self.start_daemon()
        host = self.host()
        found = self.values(host)
        self.assertIn("FROZEN", self.rocktune("status", "--socket", self.control).stdout)
        self.assertEqual(self.status()["daemon"]["frozen"], {"file": str(self.freeze_file), "until": None})
        time.sleep(6)
        self.assertEqual(self.values(host), found)
        self.assertEqual(self.stop(daemon), 0)
        self.start_daemon()  # a restart thaws nothing
        wait_for("samples", lambda: self.target() and self.target()["samples"]["recorded"] > 10)
        self.assertEqual(self.values(host), found)
        self.rocktune("unfreeze", "--socket", self.control)
        self.assertFalse(self.freeze_file.exists())
        wait_for("a change", lambda: self.ours(host), 30)
        notes = [line["message"] for line in self.alert_lines("daemon") if line["id"] == "freeze"]
        self.assertEqual(len(notes), 3, notes)
        self.assertIn("nothing is changed while", notes[0])
        self.assertIn("changes are made again", notes[2])

    def test_freeze_file_without_its_directory(self):
        self.freeze_file = self.directory / "none" / "freeze"
        self.start_daemon()
        log = self.directory / "rocktuned.log"
        self.assertIn(f"there is no directory {self.freeze_file.parent} for daemon.freeze_file", log.read_text())
        self.rocktune("freeze", "--socket", self.control)
        self.assertTrue(self.freeze_file.exists())
        self.assertIn(f"made the directory {self.freeze_file.parent} for the freeze file", log.read_text())

    def test_freeze_for_a_time(self):
        self.start_daemon()
        host = self.host()
        # Long enough that a busy machine is done looking at what was frozen.
        said = self.rocktune("freeze", "--for", f"{4 * PATIENCE:.0f}s", "--socket", self.control).stdout
        self.assertIn("nothing is changed until 2", said)
        # Somebody else's is not made shorter.
        self.assertEqual(self.rocktune("freeze", "--for", "1s", "--socket", self.control).stdout, said)
        frozen = self.values(host)
        status, body = request(self.control, "GET", "/v1/status")
        self.assertEqual((status, body["daemon"]["frozen"]["file"]), (200, str(self.freeze_file)))
        time.sleep(2)
        self.assertEqual(self.values(host), frozen)
        wait_for("the end", lambda: not self.freeze_file.exists(), 30)
        self.assertIsNone(self.status()["daemon"]["frozen"])
        wait_for("a change", lambda: self.values(host) != frozen, 30)

    def test_explain_and_rollback(self):
        self.start_daemon()
        host = self.host()
        first = wait_for("a change of the limiter", lambda: self.applied(LIMITER), 30)[0]
        listed = self.rocktune("explain", "--log", self.alerts).stdout
        self.assertIn(first, listed)
        story = self.rocktune("explain", first, "--log", self.alerts).stdout
        for part in ("why       limiter.", "evidence  ", "expected  ", "guard     ", "done      applied "):
            self.assertIn(part, story)
        told = json.loads(self.rocktune("explain", first, "--log", self.alerts, "--json").stdout)
        self.assertEqual(told["actuation"]["before"], told["decision"]["from"])
        self.assertEqual(self.rocktune("explain", "0-0", "--log", self.alerts, check=False).returncode, 1)

        self.rocktune("rollback", first, "--log", self.alerts, "--socket", self.control)
        self.assertEqual(self.knobs(host)[LIMITER]["value"], told["actuation"]["before"])
        self.assertEqual(self.knobs(host)[LIMITER]["owner"], "manual")
        self.assertNotEqual(self.knobs(host)[JOBS]["owner"], "manual", "only what was named")
        time.sleep(2)
        self.assertEqual(self.knobs(host)[LIMITER]["value"], told["actuation"]["before"], "the operator wins")
        # An order may follow another one, rocktune may not.
        self.rocktune("rollback", LIMITER, "--socket", self.control)
        limiter = self.knobs(host)[LIMITER]
        self.assertEqual((limiter["value"], limiter["owner"]), (limiter["found"], "manual"))

        def back():
            # Refused while writes are stopped.
            self.rocktune("rollback", JOBS, "--socket", self.control, check=False)
            jobs = self.knobs(host)[JOBS]
            return (jobs["value"], jobs["owner"]) == (jobs["found"], "manual")

        wait_for("the jobs to be back", back, 60)
        misspelt = self.rocktune("rollback", "max_background_job", "--socket", self.control, check=False)
        self.assertEqual(misspelt.returncode, 1)
        self.assertIn("the knobs are", misspelt.stderr)
        half = self.rocktune("rollback", "max_subcompactions", "max_background_job", "--socket", self.control, check=False)
        self.assertEqual(half.returncode, 1)
        self.assertIn("the knobs are", half.stderr)
        self.assertNotEqual(self.knobs(host)["max_subcompactions"]["owner"], "manual", "a misspelt name changes nothing")
        of_id = self.rocktune("rollback", first, "--column-family", "default", "--log", self.alerts, "--socket", self.control, check=False)
        self.assertEqual(of_id.returncode, 2)
        self.rocktune("release", LIMITER, "--socket", self.control)
        wait_for("tuning to go on", lambda: self.knobs(host)[LIMITER]["owner"] == "rocktune", 30)
        self.assertEqual(self.knobs(host)[JOBS]["owner"], "manual")

    def test_a_decision_of_another_opening_does_not_lead_away_from_what_was_found(self):
        self.freeze_file.touch()
        self.start_daemon()
        host = self.host()
        found = self.values(host)[LIMITER]
        order = {"knob": LIMITER, "value": 2 * found, "decision": "261128-085511.628-1", "left_at": [3 * found]}
        for check in (True, False):
            status, body = request(self.control, "POST", "/v1/rollback", {**order, "check": check})
            self.assertEqual((status, body["error"]["code"]), (409, "conflict"))
            self.assertIn("would lead away from", body["error"]["message"])
        for path in ("/v1/rollback", "/v1/release"):  # a name that is lost means no other
            for lost in ({"knob": ""}, {"target": ""}, {"knob": None}, {"target": None}, {"column_family": "default"}):
                self.assertEqual(request(self.control, "POST", path, lost)[0], 400, lost)
        self.assertEqual(self.knobs(host)[LIMITER]["owner"], "found")
        # Where the decision left it the value before it is what was asked for.
        status, body = request(self.control, "POST", "/v1/rollback", {**order, "left_at": [found]})
        self.assertEqual(status, 200, body)
        wait_for("the value", lambda: self.values(host)[LIMITER] == 2 * found, 30)

    def test_a_read_only_agent_keeps_no_order_for_everything_from_being_done(self):
        self.start_daemon(mode="advise")
        for number, mode in enumerate(("rw", "ro")):
            host = Host([BIN / "host_plain", "plain", self.directory / mode], self.directory / "host.log",
                        LD_PRELOAD=str(BUILD / "lib" / "librocktune_preload.so"), ROCKTUNE_AGENT_DIR=str(self.agents),
                        ROCKTUNE_AGENT_MODE=mode)
            self.processes.append(host.process)
            self.assertEqual(host.answer(), "open")
            wait_for("it", lambda: len([t for t in self.status()["targets"] if t["samples"]["recorded"] > 1]) == number + 1)
        for order in (["rollback", "--all"], ["release", "--all"]):
            done = self.rocktune(*order, "--socket", self.control)
            told = [line for line in done.stdout.splitlines() if line.startswith(str(self.directory / "ro"))]
            self.assertEqual(len(told), 1, done.stdout)
            self.assertIn("unchanged", told[0])
            self.assertIn("the agent is read-only", told[0])
            self.assertEqual("every knob is held where it was found" in done.stdout, order[0] == "rollback")
            named = self.rocktune(*order, "--target", self.directory / "ro", "--socket", self.control, check=False)
            self.assertEqual(named.returncode, 1, named.stdout)

    def test_a_value_goes_back_in_one_cache_alone(self):
        """The default column family's cache has no name of its own; another family's is another one."""
        self.start_daemon()
        host = Host([BIN / "host_plain", "families", self.directory / "families", 1], self.directory / "host.log",
                    LD_PRELOAD=str(BUILD / "lib" / "librocktune_preload.so"), ROCKTUNE_AGENT_DIR=str(self.agents))
        self.processes.append(host.process)
        self.assertEqual(host.answer(), "open")
        self.served_by(host.process)
        wait_for("samples", lambda: self.target() and self.target()["samples"]["recorded"] > 3)

        def caches():
            return {k["column_family"]: (k["value"], k["owner"]) for k in self.sampled_knobs(host.process) if k["name"] == CACHE}

        found = caches()
        self.assertEqual(set(found), {"", "second"}, "each has a cache of its own")
        order = {"knob": CACHE, "column_family": "", "value": 12 << 20, "decision": "1-1"}
        status, body = request(self.control, "POST", "/v1/rollback", order)
        self.assertEqual((status, len(body["results"])), (200, 1), body)
        self.assertEqual(caches(), {"": (12 << 20, "manual"), "second": found["second"]})
        # A knob's name without a value means it wherever it is.
        self.rocktune("rollback", CACHE, "--socket", self.control)
        self.assertEqual(caches(), {family: (value, "manual") for family, (value, _) in found.items()})


@needs_db_bench
class BetweenPolls(World):
    POLL = 3

    def test_the_status_right_after_an_order_has_what_came_of_it(self):
        self.freeze_file.touch()
        self.start_daemon(lease="15s")
        host = self.squeezed_writes()
        self.served_by(host)
        wait_for("a sample", lambda: self.target() and self.target()["samples"]["recorded"] > 0, 30)
        found = self.knobs(host)[LIMITER]["value"]
        order = {"knob": LIMITER, "value": 2 * found, "decision": "1-1", "left_at": [found]}

        def limiter():
            return next((k["value"], k["owner"]) for k in self.target()["knobs"] if k["name"] == LIMITER)

        before = self.target()["samples"]["recorded"]
        status, body = request(self.control, "POST", "/v1/rollback", order)
        self.assertEqual((status, limiter()), (200, (2 * found, "manual")), body)
        self.rocktune("release", LIMITER, "--socket", self.control)
        released = limiter()
        self.rocktune("rollback", "--all", "--socket", self.control)
        self.assertEqual((released[1], limiter()), ("rocktune", (found, "manual")))
        self.assertLessEqual(self.target()["samples"]["recorded"], before + 1, "no poll has shown it")


if __name__ == "__main__":
    unittest.main()
