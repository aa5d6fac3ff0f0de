"""Host programs that are told what to do on their standard input: tests/integration/hosts/host.cc and the consumers."""

import os
import select
import subprocess

from support import PATIENCE, Process


class Host:
    """A running host. Every answer has a deadline."""

    def __init__(self, command, log, **environment):
        with open(log, "ab") as stream:
            self.process = Process([str(word) for word in command], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                   stderr=stream, env={**os.environ, **environment})
        self.log = log

    def answer(self, seconds=30):
        """The next line that it says."""
        line = b""
        while not line.endswith(b"\n"):
            if not select.select([self.process.stdout], [], [], seconds * PATIENCE)[0]:
                raise AssertionError(f"no answer within {seconds * PATIENCE:g} s")
            piece = os.read(self.process.stdout.fileno(), 1)
            if not piece:
                raise AssertionError(f"it ended with {self.process.wait(5)}: {self.log.read_text(errors='replace')[-2000:]}")
            line += piece
        return line.decode().strip()

    def tell(self, command):
        self.process.stdin.write(command.encode() + b"\n")
        self.process.stdin.flush()
        answer = self.answer()
        if answer != "ok":
            raise AssertionError(f"{command}: {answer}")

    def end(self, seconds=20):
        """Closes its standard input; returns its exit code."""
        self.process.stdin.close()
        return self.process.wait(seconds)
