"""Each peer's policy, by its name, in a running daemon: it decides by its own rules on a real database, and turns what may be turned there."""

import unittest

from support import UNTIL_KILLED, World, needs_db_bench, wait_for

# What a policy's rules begin with. silk has to be told what the device can do.
RULES = {"rocksdb-auto-tuned": "auto_tuned.", "silk": "silk.", "adoc": "adoc.", "write-amp-limiter": "write_amp.",
         "cockroach-l0": "cockroach."}
# What each of them is to carry out.
CHANGES = {"rocksdb-auto-tuned": {"auto_tuned.start"}, "silk": {"silk.share"}, "adoc": {"adoc.jobs", "adoc.memtable"},
           "write-amp-limiter": {"write_amp.follow"}, "cockroach-l0": {"cockroach.tokens", "cockroach.trigger"}}
# Their knob is the limiter's. What the others turn has to wait for the end of a stop of writes: their writes never stop.
LIMITERS = {"rocksdb-auto-tuned", "silk", "write-amp-limiter"}
PARAMETERS = {"silk": {"device_bytes_per_second": 100e6, "least_bytes_per_second": 1e6},
              "adoc": {"memtable_min_bytes": 1 << 20, "memtable_max_bytes": 16 << 20}}


@needs_db_bench
class Peers(World):
    POLL = 0.2

    def targets(self):
        lines = ["targets:"]
        for policy in RULES:
            lines += [f"  - path: {self.directory}/{policy}", f"    policy: {policy}"]
            values = ", ".join(f"{name}: {value}" for name, value in PARAMETERS.get(policy, {}).items())
            lines += [f"    policy_params: {{{values}}}"] if values else []
        return "\n".join(lines) + "\n"

    def has_made(self, changes):
        made = self.rules(made=True)
        return all(rules <= made.get(policy, set()) for policy, rules in changes.items())

    def waiting_memtables(self, **kwargs):
        """A host of which two memtables wait for a third, and level 0 has many files, with room for more. On a busy machine
        what its policy has to carry out comes late: the whole test took 108 s at idle priority beside other work."""
        return self.db_bench("--benchmarks=fillrandom", f"--duration={2 * UNTIL_KILLED}", "--num=50000000", "--value_size=400",
                             "--compression_type=none", "--write_buffer_size=1048576", "--max_write_buffer_number=10",
                             "--min_write_buffer_number_to_merge=3", "--level0_file_num_compaction_trigger=30",
                             "--level0_slowdown_writes_trigger=60", "--level0_stop_writes_trigger=200",
                             "--max_background_jobs=1", "--benchmark_write_rate_limit=8000000", **kwargs)

    def rules(self, made=False):
        """{database: {rule of a decision}}, of all of them or of those that were carried out."""
        applied = {(line["target"], line["id"]) for line in self.alert_lines("actuation") if line["status"] == "applied"}
        rules = {}
        for line in self.alert_lines("decision"):
            if not made or (line["target"], line["id"]) in applied:
                rules.setdefault(line["target"].rsplit("/", 1)[-1], set()).add(line["rule"])
        return rules

    def test_each_decides_by_its_own_rules(self):
        self.start_daemon(extra="defaults:\n  budget: {rate_limit_min: 1MiB/s, memory_max: 1GiB}\n" + self.targets())
        for policy in RULES:
            host = self.squeezed_writes if policy in LIMITERS else self.waiting_memtables
            self.served_by(host(db=policy, log=f"{policy}.log"))
        wait_for("a decision of each policy", lambda: set(self.rules()) == set(RULES), 60)
        wait_for("changes by each policy", lambda: self.has_made(CHANGES), 90)
        for policy, rules in self.rules().items():
            for rule in rules:
                self.assertTrue(rule.startswith(RULES[policy]), (policy, rule))


if __name__ == "__main__":
    unittest.main()
