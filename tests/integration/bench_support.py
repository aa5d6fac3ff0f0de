"""What the integration tests of rocktune-bench share."""

import pathlib

from support import BIN, World


def children(pid):
    """The processes that `pid` started, and theirs."""
    found = []
    for stat in pathlib.Path("/proc").glob("[0-9]*/stat"):
        try:
            text = stat.read_text()
        except OSError:
            continue
        if int(text.rsplit(")", 1)[1].split()[1]) == pid:
            child = int(stat.parent.name)
            found += [child, *children(child)]
    return found


def running(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


class BenchWorld(World):
    def setUp(self):
        super().setUp()
        self.temporary = self.directory / "t"
        self.temporary.mkdir()

    def bench(self, *arguments):
        """stdout and stderr go to bench.log; temporary directories of its own into self.temporary."""
        return self.spawn([BIN / "rocktune-bench", *arguments], "bench.log", TMPDIR=str(self.temporary),
                          ROCKTUNE_AGENT_DIR=str(self.agents))

    def log(self):
        path = self.directory / "bench.log"
        return path.read_text() if path.exists() else ""
