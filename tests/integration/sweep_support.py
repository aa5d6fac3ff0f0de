"""What the tests of rocktune sweep and of rocktune-fleet share: recorded traces, and grids."""

import contextlib
import gzip
import pathlib
import shutil
import sqlite3
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


# As rocktune probe-device writes them; slow enough that two databases are in each other's way.
DEVICE = """\
read_bytes_per_second: 32000000
write_bytes_per_second: 16000000
read_iops: 800
write_iops: 600
mixing_loss: 1.4
"""


def add_neighbour(trace, name="neighbour", later_seconds=0):
    """The trace's database a second time, on the same device, under another name, or as it is called after a reload."""
    far = 10_000_000  # beyond every id
    later = later_seconds * 10**9
    shifts = {"tick_ns": later, "wall_ns": later, "agent_tick_ns": later, "raised_tick_ns": later, "raised_wall_ns": later, "target": 1, "sample": far, "incarnation": far, "health_at": far, "knobs_at": far, "options_at": far, "levels_at": far}
    by_table = {"samples": {"id": far}, "events": {"id": far}, "incarnations": {"id": far, "incarnation": 0}}
    with contextlib.closing(sqlite3.connect(trace)) as connection, connection:
        for (table,) in connection.execute("select name from sqlite_master where type = 'table'").fetchall():
            columns = [row[1] for row in connection.execute(f"pragma table_info({table})")]
            if not {"target", "sample"} & set(columns):
                continue
            shift = shifts | by_table.get(table, {})
            values = ", ".join(f'"{column}" + {shift[column]}' if shift.get(column) else f'"{column}"' for column in columns)
            connection.execute(f"insert into {table} select {values} from {table}")
        connection.execute("insert into targets select id + 1, ?, path || '/2', mode, engine from targets", (name,))


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
        return subprocess.run(self.command(*arguments, **where), capture_output=True, text=True, timeout=300, check=False)

    def expected(self):
        """The bytes of the whole sweep, never interrupted."""
        whole = self.folder / "whole.jsonl"
        ran = self.sweep(output=whole)
        self.assertEqual(ran.returncode, 0, ran.stderr)
        return whole.read_bytes()

    def lines_so_far(self):
        return self.partial.read_bytes().count(b"\n") if self.partial.exists() else 0
