"""The preloaded agent in a host that is short of descriptors, and where its socket is removed."""

import json
import os
import pathlib
import resource
import shutil
import time
import unittest

from agent_support import AgentWorld
from support import UnixConnection, needs_db_bench, wait_for


@needs_db_bench
class Agent(AgentWorld):
    def test_a_host_without_descriptors_to_spare(self):
        host, path = self.served()
        before = resource.prlimit(host.pid, resource.RLIMIT_NOFILE)
        used = max(int(name) for name in os.listdir(f"/proc/{host.pid}/fd")) + 1
        resource.prlimit(host.pid, resource.RLIMIT_NOFILE, (used, before[1]))
        self.addCleanup(lambda: host.poll() is None and resource.prlimit(host.pid, resource.RLIMIT_NOFILE, before))
        clients = [UnixConnection(path) for _ in range(8)]
        for client in clients:
            self.addCleanup(client.close)
            client.request("GET", "/v1/hello")
        time.sleep(0.3)
        spent = self.processor_seconds(host)
        time.sleep(1)
        self.assertLess(self.processor_seconds(host) - spent, 0.7, "it does not spin meanwhile")
        self.assertIsNone(host.poll())
        resource.prlimit(host.pid, resource.RLIMIT_NOFILE, before)
        for client in clients:
            self.assertEqual(client.getresponse().status, 200)

    def test_a_socket_that_is_removed_comes_back_with_its_directory(self):
        host, path = self.served()

        def listening():
            sockets = [line.split() for line in pathlib.Path("/proc/net/unix").read_text().splitlines() if line.endswith(str(path))]
            return sum(int(fields[3], 16) & 0x10000 != 0 for fields in sockets)  # SO_ACCEPTCON

        self.assertEqual(listening(), 1)
        client = UnixConnection(path)
        self.addCleanup(client.close)
        client.request("GET", "/v1/hello")
        instance = json.loads(client.getresponse().read())["instance"]
        shutil.rmtree(self.agents)
        time.sleep(3)
        self.assertFalse(self.agents.exists(), "the host makes no directory of others")
        client.request("GET", "/v1/hello")
        self.assertEqual(client.getresponse().status, 200, "who is connected stays so")
        for _ in range(2):
            self.agents.mkdir(exist_ok=True)
            wait_for("the socket", pathlib.Path(path).exists, 10)
            again = UnixConnection(path)
            self.addCleanup(again.close)
            again.request("GET", "/v1/hello")
            self.assertEqual(json.loads(again.getresponse().read())["instance"], instance)
            pathlib.Path(path).unlink()
        wait_for("the socket", pathlib.Path(path).exists, 10)
        self.well(host, path)
        self.assertEqual(listening(), 1, "the sockets of before are closed")

    def processor_seconds(self, host):
        fields = pathlib.Path(f"/proc/{host.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    unittest.main()
