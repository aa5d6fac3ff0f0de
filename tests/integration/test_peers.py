"""Each peer's policy, by its name, in a running daemon: it decides by its own rules on a real database, and turns what may be turned there."""

import unittest

from support import World, needs_db_bench, wait_for

# What a policy's rules begin with. silk has to be told what the device can do.
RULES = {"rocksdb-auto-tuned": "auto_tuned.", "silk": "silk.", "adoc": "adoc.", "write-amp-limiter": "write_amp.",
         "cockroach-l0": "cockroach."}
# Their knob is the limiter's; the others' wait for the end of a stop of writes, of which there are many here.
LIMITERS = {"rocksdb-auto-tuned", "silk", "write-amp-limiter"}
PARAMETERS = {"silk": {"device_bytes_per_second": 100e6, "least_bytes_per_second": 1e6}}


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

    def rules(self, made=False):
        """{database: {rule of a decision}}, of all of them or of those that were carried out."""
        applied = {(line["target"], line["id"]) for line in self.alert_lines("actuation") if line["status"] == "applied"}
        rules = {}
        for line in self.alert_lines("decision"):
            if not made or (line["target"], line["id"]) in applied:
                rules.setdefault(line["target"].rsplit("/", 1)[-1], set()).add(line["rule"])
        return rules

    def test_each_decides_by_its_own_rules(self):
        self.start_daemon(extra="defaults:\n  budget: {rate_limit_min: 1MiB/s}\n" + self.targets())
        for policy in RULES:
            self.served_by(self.squeezed_writes(db=policy, log=f"{policy}.log"))
        wait_for("a decision of each policy", lambda: set(self.rules()) == set(RULES), 60)
        wait_for("changes of limiters", lambda: LIMITERS <= set(self.rules(made=True)), 60)
        for policy, rules in self.rules().items():
            for rule in rules:
                self.assertTrue(rule.startswith((RULES[policy], "rollback.")), (policy, rule))


if __name__ == "__main__":
    unittest.main()
