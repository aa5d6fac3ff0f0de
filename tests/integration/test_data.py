"""The recorded traces of tests/data: all of them open, hold what they promise, and have the events that their README tells.

`python3 test_data.py update` writes what rocktune counts now into the README's table: look at what it changes, and say why.
"""

import gzip
import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import unittest

from support import BIN, ROOT

DATA = ROOT / "tests" / "data"
INDICATORS = ("p99", "compaction_backlog", "device_saturation")
# A row of the README: a run or "all", what is said about it, seconds, and the onsets of each indicator.
ROW = re.compile(r"^(\| ([a-z]+-\d+-\d+|all) \|.*?) \| (\d+) \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)
LARGEST_BYTES = 6 << 20


def rocktune(*arguments):
    result = subprocess.run([BIN / "rocktune", *map(str, arguments)], capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise AssertionError(f"{arguments}: {result.stderr}")
    return result.stdout


def onsets(trace):
    """Seconds and events by indicator, as rocktune score counts them."""
    scored = json.loads(rocktune("score", trace, "--detector", "never", "--horizon", 30, "--json"))
    tables = {table["indicator"]: table for table in scored["tables"]}
    return (tables["p99"]["seconds"], *(tables[name]["events"] for name in INDICATORS))


def unpack(folder):
    for packed in DATA.glob("*.trace.gz"):
        (pathlib.Path(folder) / packed.name.removesuffix(".gz")).write_bytes(gzip.decompress(packed.read_bytes()))
    return sorted(pathlib.Path(folder).glob("*.trace"))


def counted(traces):
    """What the README's rows have to say, by name."""
    rows = {trace.stem: onsets(trace) for trace in traces}
    return {**rows, "all": tuple(map(sum, zip(*rows.values())))}


def update():
    with tempfile.TemporaryDirectory(prefix="rt-data-") as folder:
        rows = counted(unpack(folder))
    readme = DATA / "README.md"
    readme.write_text(ROW.sub(lambda row: " | ".join([row[1], *map(str, rows[row[2]])]) + " |", readme.read_text()))


class Data(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        readme = (DATA / "README.md").read_text()
        cls.rows = {name: tuple(map(int, rest)) for _, name, *rest in ROW.findall(readme)}
        lines = re.sub(r"^#.*\n", "", (DATA / "runs").read_text(), flags=re.MULTILINE)
        cls.batches = [[line.split()[0] for line in batch.splitlines()] for batch in lines.split("\n\n")]
        cls.folder = tempfile.TemporaryDirectory(prefix="rt-data-")
        cls.traces = unpack(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_every_run_has_a_trace_a_scenario_and_a_row(self):
        names = [trace.stem for trace in self.traces]
        self.assertEqual(sorted(sum(self.batches, [])), names, "tests/data/runs and the traces")
        self.assertEqual(sorted(self.rows), sorted([*names, "all"]), "the README and the traces")
        self.assertEqual(sorted(path.stem for path in (DATA / "scenarios").glob("*.yaml")), names)
        self.assertLess(sum(path.stat().st_size for path in DATA.glob("*.trace.gz")), LARGEST_BYTES)

    def test_events_are_those_of_the_readme(self):
        for name, row in counted(self.traces).items():
            with self.subTest(run=name):
                self.assertEqual(row, self.rows[name], "seconds, " + ", ".join(INDICATORS))

    def test_every_second_has_latencies_and_the_device(self):
        for trace in self.traces:
            with self.subTest(run=trace.stem):
                info = json.loads(rocktune("trace", "info", trace, "--json"))
                [target] = info["targets"]
                self.assertEqual((target["name"], target["mode"], target["gaps"]), (trace.stem, "observe", []))
                connection = sqlite3.connect(trace)
                samples, reads, writes, device, levels = connection.execute(
                    """SELECT count(*), count(read_latency), count(write_latency), count(device_read_ms),
                              (SELECT count(*) FROM column_family_samples WHERE l0_files IS NOT NULL)
                         FROM samples WHERE has_database""").fetchone()
                connection.close()
                self.assertGreater(samples, 250)
                for count in (reads, writes, device, levels):
                    self.assertGreaterEqual(count, samples * 0.98)

    def test_runs_of_a_batch_end_before_the_next_begins(self):
        """What rocktune score may choose thresholds on is then all that was recorded before."""
        spans = {}
        for trace in self.traces:
            connection = sqlite3.connect(trace)
            spans[trace.stem] = connection.execute("SELECT min(wall_ns), max(wall_ns) FROM samples").fetchone()
            connection.close()
        for before, batch in zip(self.batches, self.batches[1:]):
            self.assertLess(max(spans[name][1] for name in before), min(spans[name][0] for name in batch), batch)


if __name__ == "__main__":
    update() if sys.argv[1:] == ["update"] else unittest.main()
