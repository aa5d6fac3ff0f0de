#!/usr/bin/env python3
"""./dev and .ci/run where something is in their way: another apt, a kernel's addresses, a path, no PyPI. With programs that only pretend."""

import os
import pathlib
import shutil
import subprocess
import tempfile
import textwrap
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]


class Clone(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "bin").mkdir()
        self.calls = self.folder / "calls"
        self.calls.touch()
        # All packages are there, nothing is waited for, and everything that is built or tested is well.
        self.pretend("dpkg-query", "echo installed")
        for program in ("cmake", "ctest", "sleep", "setarch", "git", "xargs", "shellcheck", "python3"):
            self.pretend(program)
        self.pretend("id", "echo 0")

    def pretend(self, program, script="", place=None):
        path = (place or self.folder / "bin") / program
        path.write_text(f'#!/bin/bash\necho "{program} $*" >>"{self.calls}"\n{textwrap.dedent(script)}\n')
        path.chmod(0o755)

    def run_here(self, program, *arguments, under="clone", **variables):
        """Runs that script of a clone that has little else, and returns how it went."""
        clone = self.folder / under
        (clone / program).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / program, clone / program)
        environment = {name: value for name, value in os.environ.items() if name != "VIRTUAL_ENV"}
        environment |= {"PATH": f"{self.folder}/bin:{environment['PATH']}", **variables}
        return subprocess.run([clone / program, *arguments], env=environment, capture_output=True, text=True, check=False,
                              stdin=subprocess.DEVNULL, timeout=50)

    def called(self, beginning):
        return [line for line in self.calls.read_text().splitlines() if line.startswith(beginning)]


class AptTest(Clone):
    LOCKED = """
        times=$(grep -c "^apt-get.* $word" "{calls}")
        if [ "$times" -le {times} ]; then
          echo "E: Could not get lock /var/lib/apt/lists/lock. It is held by process 1 (apt-get)" >&2
          exit 100
        fi
        """

    def apt(self, word, script):
        """An apt-get that does this when it is to update or to install. There is no fio until then."""
        self.pretend("apt-get", f'word={word}\ncase " $* " in *" $word "*) ;; *) exit 0 ;; esac\n' + textwrap.dedent(script))
        self.pretend("dpkg-query", '[ "${*: -1}" = fio ] || echo installed')

    def test_locks_that_another_one_holds_are_waited_for(self):
        for word in ("update", "install"):
            with self.subTest(word):
                self.calls.write_text("")
                self.apt(word, self.LOCKED.format(calls=self.calls, times=2))
                done = self.run_here("dev", "setup")
                self.assertEqual((done.returncode, done.stderr), (0, "dev: installing: fio\ndev: all packages are there\n"))
                self.assertEqual(len([line for line in self.called("apt-get") if f" {word}" in line]), 3)
                self.assertEqual(self.called("sleep"), ["sleep 5"] * 2)

    def test_another_failure_is_told_at_once(self):
        self.apt("update", 'echo "E: no such mirror" >&2; exit 100')
        done = self.run_here("dev", "setup")
        self.assertEqual(done.returncode, 1)
        self.assertIn("E: no such mirror\ndev: apt-get could not install: fio\n", done.stderr)
        self.assertEqual(self.called("sleep"), [])


class SanitizerTest(Clone):
    SKIPPED = "dev: thread sanitizer not run here: vm.mmap_rnd_bits is 32 and may not be changed\n"

    def check(self, bits, allowed):
        """Returns what was said, and how ctest was run for the thread sanitizer: None, plainly or with less random addresses."""
        self.calls.write_text("")
        self.pretend("cat", f"[ '{bits}' ] && echo '{bits}'")  # of /proc/sys/vm/mmap_rnd_bits: nothing else is read here
        self.pretend("setarch", "exit 0" if allowed else "exit 1")
        done = self.run_here("dev", "check")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertTrue(done.stderr.endswith("dev: check: passed\n"), done.stderr)
        ways = [line.split()[0] for line in self.called(("ctest", "setarch -R ctest")) if "build/tsan" in line]
        return done.stderr, ways[0] if ways else None

    def test_it_is_left_out_where_it_would_die_by_chance(self):
        said, way = self.check(32, allowed=False)
        self.assertIn(self.SKIPPED, said)
        self.assertIsNone(way)
        self.assertTrue([line for line in self.called("ctest") if "build/fuzz" in line], "the rest goes on")

    def test_it_runs_elsewhere(self):
        for bits, allowed, expected in ((32, True, "setarch"), (28, False, "ctest"), (28, True, "ctest"), ("", True, "setarch"),
                                        ("", False, "ctest")):
            with self.subTest(bits=bits, allowed=allowed):
                said, way = self.check(bits, allowed)
                self.assertNotIn("not run here", said)
                self.assertEqual(way, expected)


class PythonTest(Clone):
    def test_the_active_environments_python_runs_the_tests_if_any(self):
        venv = self.folder / "venv"
        (venv / "bin").mkdir(parents=True)
        self.pretend("python3", place=venv / "bin")
        for variables, expected in (({"VIRTUAL_ENV": str(venv)}, f"-DPython3_EXECUTABLE={venv}/bin/python3"),
                                    ({"VIRTUAL_ENV": "/gone"}, "-UPython3_EXECUTABLE"), ({"VIRTUAL_ENV": ""}, "-UPython3_EXECUTABLE"),
                                    ({}, "-UPython3_EXECUTABLE")):
            with self.subTest(variables):
                self.calls.write_text("")
                done = self.run_here("dev", "test", **variables)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(self.called("cmake --preset")[0].endswith(expected), self.called("cmake"))


class JobsTest(Clone):
    def test_as_many_as_cmakes_own_variable_says(self):
        for variables, jobs in (({"CMAKE_BUILD_PARALLEL_LEVEL": "1"}, 1), ({"CMAKE_BUILD_PARALLEL_LEVEL": ""}, os.cpu_count())):
            with self.subTest(variables):
                self.calls.write_text("")
                self.pretend("nproc", f"echo {os.cpu_count()}")
                done = self.run_here("dev", "test", **variables)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(self.called("cmake --build"), [f"cmake --build build/dev -j {jobs}"])
                self.assertIn(f"--parallel {jobs}", self.called("ctest")[0])

    def test_what_is_no_number_is_told(self):
        for wrong in ("0", "all", "-1"):
            done = self.run_here("dev", "build", CMAKE_BUILD_PARALLEL_LEVEL=wrong)
            self.assertEqual(done.returncode, 2)
            self.assertIn(f"CMAKE_BUILD_PARALLEL_LEVEL='{wrong}' is no number of jobs", done.stderr)
        self.assertEqual(self.called("cmake"), [])


class PathTest(Clone):
    def test_a_path_that_tests_cannot_have_is_told_at_once(self):
        for command in ("check", "test"):
            for name in ("with space", "with:colon"):
                done = self.run_here("dev", command, under=name)
                self.assertEqual(done.returncode, 1)
                self.assertIn("takes no path with a space or colon", done.stderr)
        self.assertEqual(self.called("cmake"), [])
        for arguments in (["check", "--fast"], ["check", "--fix"], ["test", "--unit"]):
            self.assertEqual(self.run_here("dev", *arguments, under="with space").returncode, 0, arguments)


class CiTest(Clone):
    def run_ci(self, pip):
        """What ./dev is called for, and the Python environment that it has."""
        clone = self.folder / "clone"
        (clone / "build/venv/bin").mkdir(parents=True)
        self.pretend("dev", f'echo "env ${{VIRTUAL_ENV-none}}" >>"{self.calls}"', place=clone)
        self.pretend("pip", pip, place=clone / "build/venv/bin")
        done = self.run_here(".ci/run")
        self.assertEqual(done.returncode, 0, done.stderr)
        return self.called(("dev", "env")), done.stderr

    def test_with_pypi(self):
        venv = f"env {self.folder}/clone/build/venv"
        self.assertEqual(self.run_ci("exit 0"), (["dev setup --check", "env none", "dev check", venv, "dev test", venv], ""))

    def test_without_pypi_the_rest_is_checked(self):
        calls, said = self.run_ci("exit 1")
        self.assertEqual(calls, ["dev setup --check", "env none", "dev check", "env none", "dev test", "env none"])
        self.assertEqual(len(self.called("pip")), 3)
        self.assertIn("could not be installed from PyPI", said)


if __name__ == "__main__":
    unittest.main()
