"""The preloaded agent in a host that is short of descriptors."""

import os
import pathlib
import resource
import time
import unittest

from agent_support import AgentWorld
from support import UnixConnection, needs_db_bench


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

    def processor_seconds(self, host):
        fields = pathlib.Path(f"/proc/{host.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    unittest.main()
