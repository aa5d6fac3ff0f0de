"""Two real databases on one host and one (emulated) device: their slices keep within the budgets, and so do their knobs."""

import json
import time
import unittest

from support import World, needs_db_bench, wait_for

MIB = 1 << 20
JOBS, MEMORY = 6, 14 * MIB


@needs_db_bench
class Share(World):
    POLL = 0.2

    def start(self):
        # Both databases read one file for their device's counters, as on rocktune-bench's emulated device.
        (self.directory / "a.device").mkdir()
        (self.directory / "a.device" / "stat").write_text("0 0 0 0 0 0 0 0 0 0 0\n")
        (self.directory / "b.device").symlink_to(self.directory / "a.device")
        daemon = self.start_daemon(mode="act", extra=f"shared: {{jobs_max: {JOBS}, memory_max: {MEMORY}B}}\n")
        for name in ("a", "b"):
            # 8 MiB of cache each (db_bench's own default): more than the two may have together.
            host = self.squeezed_writes(db=name, log=f"{name}.log")
            self.served_by(host)
        wait_for("slices of both", lambda: len(self.slices()) == 2)
        return daemon

    def slices(self):
        return {target["name"]: target["shared"] for target in self.status()["targets"] if target["shared"]}

    def knob_sums(self):
        """What both have of jobs, and of cache and write buffers."""
        jobs = memory = 0
        for target in self.status()["targets"]:
            # The status leaves out what stands as squeezed_writes() opens the column family.
            knobs = {"write_buffer_size": MIB, "max_write_buffer_number": 2, **{k["name"]: k["value"] for k in target["knobs"]}}
            jobs += knobs["max_background_jobs"]
            memory += knobs["block_cache_capacity_bytes"] + knobs["write_buffer_size"] * knobs["max_write_buffer_number"]
        return jobs, memory

    def test_slices_add_up_to_at_most_the_budget(self):
        daemon = self.start()
        most_jobs = 0
        until = time.monotonic() + 8
        while time.monotonic() < until:
            slices = self.slices()
            self.assertLessEqual(sum(s["jobs_max"] for s in slices.values()), JOBS)
            self.assertLessEqual(sum(s["memory_max_bytes"] for s in slices.values()), MEMORY)
            for each in slices.values():
                self.assertGreaterEqual(each["jobs_max"], 2)
                self.assertEqual((each["host_members"], each["device_members"]), (2, 2))
            most_jobs = max(most_jobs, self.knob_sums()[0])
            time.sleep(0.1)
        self.assertLessEqual(most_jobs, JOBS)
        wait_for("memory within the budget", lambda: self.knob_sums()[1] <= MEMORY, 40)

        self.assertIn("with 2 on the host, 2 on the device", self.rocktune("status", "--socket", self.control).stdout)
        # Once they have shared for ten seconds.
        for what in ("the host", "emulated:a"):
            wait_for(f"a line about {what}", lambda: any(line["message"].startswith(f"2 databases share {what}: ")
                                                         for line in self.alert_lines("daemon") if line["id"] == "share"), 20)
        rules = {line["rule"] for line in self.alert_lines("decision")}
        self.assertIn("share.memory", rules)
        self.assertIn("limiter.backlog", rules)  # jobs may follow, where the limiter alone does not do

        self.assertEqual(self.stop(daemon), 0)
        recorded = self.query("select count(*) from samples join shared_budgets on shared_at = shared_budgets.sample where jobs_max is not null")[0][0]
        self.assertGreater(recorded, 20)
        # Of two databases that were polled together either can come first.
        judged = ("alert", "decision", "outcome")
        replayed = [l for l in self.rocktune("replay", self.trace(), "--json").stdout.splitlines() if json.loads(l)["kind"] in judged]
        live = [l for l in self.alerts.read_text().splitlines() if json.loads(l)["kind"] in judged]
        self.assertEqual(sorted(replayed), sorted(live))
        self.rocktune("replay", self.trace(), "--check")


if __name__ == "__main__":
    unittest.main()
