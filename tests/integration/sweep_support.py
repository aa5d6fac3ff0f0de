"""What the tests of rocktune sweep and of rocktune-fleet share: recorded traces, and grids."""

import gzip
import pathlib
import shutil
import subprocess
import tempfile
import unittest

from support import BIN, ROOT

# 30 units a database, each some 10 ms of simulation.
GRID = """\
rung: closed_loop
policies:
  - name: headroom
    params:
      limiter_raise_factor: [1.25, 2]
      jobs_return_seconds: {from: 60, to: 120, steps: 2}
  - name: static
seeds: 6
calibrate_until: 120
"""


class SweepTest(unittest.TestCase):
    TRACES = ("stall-24-1", "calm-24-1")

    @classmethod
    def setUpClass(cls):
        cls.recorded = pathlib.Path(tempfile.mkdtemp(prefix="rt-sweep-traces-"))
        for name in cls.TRACES:
            packed = ROOT / "tests" / "data" / f"{name}.trace.gz"
            (cls.recorded / f"{name}.trace").write_bytes(gzip.decompress(packed.read_bytes()))
        cls.traces = [cls.recorded / f"{name}.trace" for name in cls.TRACES]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.recorded)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="rt-sweep-"))
        self.addCleanup(shutil.rmtree, self.folder)
        self.result = self.folder / "result.jsonl"
        self.partial = self.folder / "result.jsonl.partial"
        self.grid = self.written("grid.yaml", GRID)

    def written(self, name, text):
        path = self.folder / name
        path.write_text(text)
        return path

    def command(self, *arguments, grid=None, traces=None, output=None):
        return [str(word) for word in (BIN / "rocktune", "sweep", grid or self.grid, *(traces or self.traces),
                                       "-o", output or self.result, *arguments)]

    def sweep(self, *arguments, **where):
        return subprocess.run(self.command(*arguments, **where), capture_output=True, text=True, timeout=120, check=False)

    def expected(self):
        """The bytes of the whole sweep, never interrupted."""
        whole = self.folder / "whole.jsonl"
        ran = self.sweep(output=whole)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return whole.read_bytes()

    def lines_so_far(self):
        return self.partial.read_bytes().count(b"\n") if self.partial.exists() else 0
