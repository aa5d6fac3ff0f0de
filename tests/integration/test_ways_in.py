"""Every way in which the agent comes to a database: forms of open, preloaded and linked, and how each ends."""

import pathlib
import shutil
import stat
import unittest

from hosts import Host
from support import BIN, BUILD, World, request, wait_for

PRELOAD = BUILD / "lib" / "librocktune_preload.so"

# form -> what the wire must call its access
FORMS = {
    "plain": "read_write",
    "families": "read_write",
    "transaction": "read_write",
    "transaction_families": "read_write",
    "write_prepared": "read_write",
    "optimistic": "read_write",
    "ttl": "read_write",
    "stackable": "read_write",
    "read_only": "read_only",
    "read_only_families": "read_only",
    "compacted": "read_only",
    "secondary": "secondary",
    "secondary_families": "secondary",
    "follower": "secondary",  # from RocksDB 9 on; it is one that catches up by itself
}
NO_SUCH_FORM = 3  # the exit code of a host that was asked for it
NOT_COUNTED = {"compacted"}  # RocksDB does not count its reads
NOT_TIMED = {"read_only", "read_only_families", *NOT_COUNTED}  # nor, before 8.x, does it time these


class WaysIn(World):
    def host(self, form, linked=False, preload=PRELOAD, count=1, **environment):
        command = [BIN / ("host_linked" if linked else "host_plain"), form, self.directory / form, count]
        if not linked:
            environment["LD_PRELOAD"] = str(preload)
        environment.setdefault("ROCKTUNE_AGENT_DIR", str(self.agents))
        host = Host(command, self.directory / "host.log", **environment)
        self.processes.append(host.process)
        return host

    def opened(self, form, **kwargs):
        """A host with the database open, or None if there is no such form in this RocksDB."""
        host = self.host(form, **kwargs)
        try:
            self.assertEqual(host.answer(), "open")
        except AssertionError:
            if host.process.poll() == NO_SUCH_FORM:
                return None
            raise
        return host

    def databases(self, host):
        status, body = request(self.agent_socket(host.process), "GET", "/v1/dbs")
        self.assertEqual(status, 200)
        return body["databases"]

    def sample(self, host, database):
        status, body = request(self.agent_socket(host.process), "GET", f"/v1/dbs/{database['id']}/sample")
        self.assertEqual(status, 200, body)
        return body

    def families(self, host):
        """Names of the column families that are sampled in full, and of all that are seen."""
        seen = self.sample(host, self.databases(host)[0])["column_families"]
        return {family["name"] for family in seen if family.get("properties")}, {family["name"] for family in seen}

    def ends_well(self, host):
        self.assertEqual(host.end(), 0, (self.directory / "host.log").read_text())
        self.assertEqual(list(self.agents.iterdir()), [], "nothing is left behind")

    def seen_as_it_is(self, host, form):
        databases = self.databases(host)
        self.assertEqual([pathlib.Path(database["path"]).name.split(".")[0] for database in databases], [form])
        database = databases[0]
        self.assertEqual(database["access"], FORMS[form])
        self.assertEqual(database["statistics"], "agent")
        self.assertEqual(database["tunable"], FORMS[form] == "read_write", database)
        host.tell("read")
        host.tell("read")
        sample = self.sample(host, database)
        if form not in NOT_COUNTED:
            self.assertEqual(sample["tickers"]["number.keys.read"], 2)
        if form not in NOT_TIMED:
            self.assertEqual(sum(bucket[2] for bucket in sample["histograms"]["get"]["buckets"]), 2)
        for knob in sample["knobs"]:
            if FORMS[form] != "read_write":
                self.assertFalse(knob["changeable"], knob)
                self.assertTrue(knob["reason"], knob)

    def test_every_form_under_the_preload(self):
        for form in FORMS:
            with self.subTest(form):
                if host := self.opened(form):
                    self.seen_as_it_is(host, form)
                    limiter = self.databases(host)[0]["limiter"]
                    self.assertEqual(limiter, "agent" if FORMS[form] == "read_write" else "none")
                    host.tell("end")
                    self.assertEqual(self.databases(host), [])
                    self.ends_well(host)

    def test_every_form_linked(self):
        for form in FORMS:
            with self.subTest(form):
                if host := self.opened(form, linked=True):
                    self.seen_as_it_is(host, form)
                    host.tell("end")
                    self.assertEqual(self.databases(host), [])
                    self.ends_well(host)

    def test_closed_before_it_is_deleted(self):
        for form in FORMS:
            for linked in (False, True):
                with self.subTest(form, linked=linked):
                    if host := self.opened(form, linked=linked):
                        host.tell("close")
                        self.assertEqual(self.databases(host), [])
                        self.ends_well(host)
                        shutil.rmtree(self.directory / form)

    def test_never_closed(self):
        for form in FORMS:
            for linked in (False, True):
                with self.subTest(form, linked=linked):
                    if host := self.opened(form, linked=linked):
                        self.assertEqual(len(self.databases(host)), 1)
                        self.ends_well(host)
                        shutil.rmtree(self.directory / form)

    def test_never_closed_in_a_compaction_behind_a_low_limit(self):
        for linked, kept in ((False, "restore"), (True, "keep")):
            with self.subTest(linked=linked, on_expiry=kept):
                host = self.opened("plain", linked=linked)
                host.tell("fill 100")
                host.tell("fill 100")
                path, database = self.agent_socket(host.process), self.databases(host)[0]
                lease = {"holder": "a", "seconds": 60, "on_expiry": kept}
                self.assertEqual(request(path, "POST", f"/v1/dbs/{database['id']}/lease", lease)[0], 200)
                change = {"id": "1", "knob": "rate_limiter_bytes_per_second", "value": 1 << 20}
                status, body = request(path, "POST", f"/v1/dbs/{database['id']}/changes", {"holder": "a", "changes": [change]})
                self.assertEqual((status, body["results"][0]["status"]), (200, "applied"), body)
                host.tell("compact")
                wait_for("the compaction", lambda: self.sample(host, database)["properties"]["num-running-compactions"] > 0)
                self.assertEqual(host.end(4), 0)  # and not after the 100 s that it would take at this limit
                shutil.rmtree(self.directory / "plain")

    def test_refused_changes_where_it_is_only_read(self):
        for form in ("read_only", "secondary"):
            with self.subTest(form):
                host = self.opened(form)
                path, identity = self.agent_socket(host.process), self.databases(host)[0]["id"]
                self.assertEqual(request(path, "POST", f"/v1/dbs/{identity}/lease", {"holder": "a", "seconds": 5})[0], 200)
                change = {"id": "1", "knob": "block_cache_capacity_bytes", "value": 64 << 20}
                status, body = request(path, "POST", f"/v1/dbs/{identity}/changes", {"holder": "a", "changes": [change]})
                self.assertEqual((status, body["results"][0]["status"]), (200, "refused"), body)
                host.tell("end")
                self.ends_well(host)

    def test_column_families_that_come_and_go(self):
        for form in ("plain", "families", "transaction", "optimistic", "ttl", "stackable"):
            for linked in (False, True):
                with self.subTest(form, linked=linked):
                    host = self.opened(form, linked=linked)
                    before = {"default", "second"} if form == "families" else {"default"}
                    self.assertEqual(self.families(host)[0], before)
                    host.tell("create one")
                    self.assertEqual(self.families(host)[0], before | {"one"})
                    host.tell("create2 two three")
                    self.assertEqual(self.families(host)[0], before | {"one", "two", "three"})
                    host.tell("drop two")
                    self.assertEqual(self.families(host)[0], before | {"one", "three"})
                    host.tell("end")
                    self.ends_well(host)
                    shutil.rmtree(self.directory / form)

    def test_many_databases(self):
        for linked in (False, True):
            host = self.opened("plain", linked=linked, count=16)
            databases = self.databases(host)
            self.assertEqual({pathlib.Path(database["path"]).name for database in databases},
                             {f"plain{i}" for i in range(16)})
            self.assertEqual(len({database["id"] for database in databases}), 16)
            for database in databases:
                self.assertTrue(self.sample(host, database)["column_families"])
            host.tell("end")
            self.ends_well(host)
            for i in range(16):
                shutil.rmtree(self.directory / f"plain{i}")

    def test_linked_and_preloaded_at_once(self):
        host = self.host("families", linked=True, LD_PRELOAD=str(PRELOAD))
        self.assertEqual(host.answer(), "open")
        self.assertEqual(len(self.databases(host)), 1)
        host.tell("create one")
        self.assertEqual(self.families(host)[0], {"default", "second", "one"})
        host.tell("end")
        self.assertEqual(self.databases(host), [])
        self.ends_well(host)

    def test_what_dead_processes_left_is_removed(self):
        dead = self.spawn(["true"], "true.log")
        dead.wait()
        reason = self.agents / f"agent.{dead.pid}.why"
        reason.write_text("not attached")
        other = self.agents / f"agent.{dead.pid}.why.txt"
        other.write_text("something else")
        host = self.opened("plain")
        self.assertFalse(reason.exists())
        self.assertTrue(other.exists())
        other.unlink()
        host.tell("end")
        self.ends_well(host)

    # -- why a process is not seen

    def why(self, host):
        path = self.agents / f"agent.{host.process.pid}.why"
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)
        return path.read_text()

    def test_another_rocksdb_is_left_alone_and_it_is_said(self):
        host = Host([BIN / "host_other"], self.directory / "host.log", LD_PRELOAD=str(PRELOAD),
                    ROCKTUNE_AGENT_DIR=str(self.agents))
        self.processes.append(host.process)
        self.assertEqual(host.answer(), "open")
        self.assertIsNone(self.agent_socket(host.process))
        self.assertIn("this process uses RocksDB 99.1.0", self.why(host))
        self.ends_well(host)

    def test_an_agent_that_cannot_be_loaded_is_said(self):
        alone = self.directory / PRELOAD.name
        shutil.copy(PRELOAD, alone)
        host = self.opened("plain", preload=alone)
        self.assertIsNone(self.agent_socket(host.process))
        self.assertIn("librocktune_agent.so cannot be used", self.why(host))
        host.tell("end")
        self.ends_well(host)

    def test_settings_that_are_not_understood_are_said(self):
        host = self.opened("read_only", ROCKTUNE_AGENT_MODE="rwx")
        self.assertIn("ROCKTUNE_AGENT_MODE='rwx'", self.why(host))
        self.ends_well(host)

    def test_a_forked_child_has_no_agent_and_it_is_said(self):
        host = self.opened("plain")
        host.tell("fork")
        reasons = list(self.agents.glob("agent.*.why"))
        self.assertEqual(len(reasons), 1)
        self.assertNotEqual(reasons[0].name, f"agent.{host.process.pid}.why")
        self.assertIn("not attached: this process was forked from one with an agent", reasons[0].read_text())
        reasons[0].unlink()  # the next agent would, too
        self.assertEqual(len(self.databases(host)), 1)
        host.tell("end")
        self.ends_well(host)

    def test_why_is_not_written_where_others_could_have_put_something(self):
        outside = self.directory / "open"
        outside.mkdir()
        outside.chmod(0o777)
        for directory in (outside, self.directory / "missing", "relative"):
            host = self.opened("read_only", ROCKTUNE_AGENT_MODE="rwx", ROCKTUNE_AGENT_DIR=str(directory))
            self.assertEqual(host.end(), 0)
            shutil.rmtree(self.directory / "read_only")
        self.assertEqual(list(outside.iterdir()), [])
        self.assertFalse((self.directory / "missing").exists())


if __name__ == "__main__":
    unittest.main()
