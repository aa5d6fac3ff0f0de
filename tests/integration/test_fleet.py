"""rocktune-fleet on a Ray cluster of two workers on this machine: the same bytes as rocktune sweep.

Needs Ray (`pip install ray`); without it these tests are skipped, and say so.
"""

import importlib.util
import os
import shutil
import subprocess
import sys
import unittest

from support import BIN, ROOT, wait_for
from sweep_support import DEVICE, GRID, SweepTest, add_neighbour

os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
os.environ.setdefault("RAY_raylet_start_wait_time_s", "180")
needs_ray = unittest.skipUnless(importlib.util.find_spec("ray"), "no Ray: pip install ray")


@needs_ray
class Fleet(SweepTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        from ray.cluster_utils import Cluster
        cls.cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 0, "object_store_memory": 80_000_000})
        cls.add_worker()
        cls.lost = cls.add_worker()

    @classmethod
    def tearDownClass(cls):
        cls.cluster.shutdown()
        super().tearDownClass()

    @classmethod
    def add_worker(cls):
        return cls.cluster.add_node(num_cpus=1, object_store_memory=80_000_000)

    def fleet(self, *arguments):
        command = [sys.executable, ROOT / "tools" / "fleet" / "rocktune-fleet", self.grid, *self.traces, "-o", self.result,
                   "--address", self.cluster.address, "--binary", BIN / "rocktune", *arguments]
        process = subprocess.Popen([str(word) for word in command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.wait)
        self.addCleanup(process.kill)
        return process

    def test_the_same_bytes_as_on_one_machine_and_a_lost_worker_costs_nothing(self):
        expected = self.expected()
        shipped = self.fleet("--batch", "7")
        out, err = shipped.communicate(timeout=300)
        self.assertEqual(shipped.returncode, 0, err)
        self.assertEqual(self.result.read_bytes(), expected)
        self.assertIn("best parameters", out)
        self.assertFalse(self.partial.exists())

        losing = self.fleet("--batch", "2", "--shared", "--fresh")
        wait_for("the first units", lambda: self.lines_so_far() > 0 or losing.poll() is not None, 60, every=0.01)
        self.cluster.remove_node(self.lost, allow_graceful=False)
        out, err = losing.communicate(timeout=300)
        self.assertEqual(losing.returncode, 0, err)
        self.assertEqual(self.result.read_bytes(), expected)

    def test_databases_on_one_device_and_its_profile_go_together(self):
        self.written("device.yaml", DEVICE)
        self.grid.write_text(GRID.replace("seeds: 6", "seeds: 2") + "device: device.yaml\n")
        both = self.folder / "both.trace"
        shutil.copy(self.traces[0], both)
        add_neighbour(both)
        self.traces = [both, self.traces[1]]
        expected = self.expected()
        shipped = self.fleet("--batch", "7")
        _, err = shipped.communicate(timeout=300)
        self.assertEqual(shipped.returncode, 0, err)
        self.assertEqual(self.result.read_bytes(), expected)

    def test_what_is_read_is_never_written_over(self):
        trace = self.folder / "run.trace"
        shutil.copy(self.traces[0], trace)
        before = trace.read_bytes()
        self.traces, self.result = [trace], trace
        process = self.fleet("--fresh")
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 2, err)
        self.assertIn("it is what is read", err)
        self.assertEqual(trace.read_bytes(), before)

    def test_what_a_node_cannot_do_is_said(self):
        broken = self.written("broken", "#!/bin/sh\n[ \"$*\" = \"${*%--list-units}\" ] || exec " + f"{BIN / 'rocktune'} \"$@\"\necho 'no such library' >&2\nexit 127\n")
        broken.chmod(0o755)
        process = self.fleet("--binary", broken)
        _, err = process.communicate(timeout=300)
        self.assertEqual(process.returncode, 1)
        self.assertIn("no such library", err)
        # Ray may have something of its own to say.
        self.assertEqual(len([line for line in err.splitlines() if line.startswith("rocktune-fleet:")]), 1, err)


if __name__ == "__main__":
    unittest.main()
