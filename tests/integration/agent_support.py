"""A world with a host that has little to do, under the preloaded agent."""

import socket

from support import BIN, DB_BENCH, UNTIL_KILLED, World, request, wait_for

IDLE = ("--benchmarks=fillrandom", f"--duration={UNTIL_KILLED}", "--num=1000000", "--value_size=100",
        "--compression_type=none", "--benchmark_write_rate_limit=200000")


class AgentWorld(World):
    def host(self, before="", log="host.log", database="db", wrapper=(), **environment):
        """db_bench with little to do. `before` is run by the shell that becomes the host."""
        command = [*wrapper, BIN / "rocktune", "run", "--agent-dir", self.agents, "--", DB_BENCH,
                   f"--db={self.directory / database}", *IDLE]
        script = before + '\nexec "$@"'
        return self.spawn(["sh", "-c", script, "sh", *command], log, **environment)

    def served(self, **kwargs):
        host = self.host(**kwargs)
        path = self.served_by(host)
        wait_for("the database that stays", lambda: self.lasting_databases(path))
        return host, path

    def lasting_databases(self, path):
        """Without the first: db_bench begins by opening, destroying and opening again."""
        return [found for found in request(path, "GET", "/v1/dbs")[1]["databases"] if found["id"] != "1"]

    def databases(self, host):
        return request(self.agent_socket(host), "GET", "/v1/dbs")[1]["databases"]

    def raw(self, path):
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        client.settimeout(60)
        self.addCleanup(client.close)

        def connected():
            try:
                client.connect(str(path))
                return True
            except BlockingIOError:  # the agent has not yet accepted the ones before
                return False

        wait_for("a place in the queue", connected, 10, every=0.005)
        return client

    def well(self, host, path):
        self.assertIsNone(host.poll(), "the host runs")
        self.assertEqual(request(path, "GET", "/v1/hello")[0], 200)
