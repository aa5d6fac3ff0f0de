"""rocktune as it is installed: moved to another place, and linked by projects that know nothing of its tree."""

import os
import pathlib
import shutil
import subprocess
import unittest

from hosts import Host
from support import BUILD, ROOT, World, request

CONSUMERS = ROOT / "tests" / "consumers"
NEEDED = [tool for tool in ("cmake", "pkg-config", "cc", "c++", "nm") if not shutil.which(tool)]


def cached(name):
    """A variable of the build that is under test."""
    for line in (BUILD / "CMakeCache.txt").read_text().splitlines():
        if line.startswith(f"{name}:"):
            return line.split("=", 1)[1]
    return ""


@unittest.skipIf(NEEDED, f"not installed: {NEEDED}")
class Install(World):
    def setUp(self):
        super().setUp()
        self.install()
        # The RocksDB that this build was made with, if it is not the system's.
        self.rocksdb = cached("RocksDB_ROOT")

    def run_tool(self, *command, **environment):
        result = subprocess.run([str(word) for word in command], capture_output=True, text=True, check=False, timeout=900,
                                cwd=self.directory, env={**os.environ, **environment})
        self.assertEqual(result.returncode, 0, f"{command}\n{result.stdout}\n{result.stderr}")
        return result.stdout

    def install(self):
        """Installed in one place, then moved: nothing may remember the first."""
        first, self.prefix = self.directory / "first", self.directory / "moved" / "away"
        self.run_tool("cmake", "--install", BUILD, "--prefix", first)
        self.installed_in = first
        self.prefix.parent.mkdir()
        first.rename(self.prefix)
        self.libraries = next(self.prefix.rglob("librocktune_agent.so")).parent
        self.packages = self.libraries / "pkgconfig"

    def pkg_config(self, *arguments):
        path = [self.packages] + ([pathlib.Path(self.rocksdb) / "lib" / "pkgconfig"] if self.rocksdb else [])
        return self.run_tool("pkg-config", *arguments, PKG_CONFIG_PATH=":".join(map(str, path))).split()

    def library_path(self):
        return ":".join([str(self.libraries)] + ([f"{self.rocksdb}/lib"] if self.rocksdb else []))

    def started(self, program, *arguments):
        host = Host([program, *arguments], self.directory / "host.log", ROCKTUNE_AGENT_DIR=str(self.agents),
                    LD_LIBRARY_PATH=self.library_path())
        self.processes.append(host.process)
        self.assertEqual(host.answer(), "open")
        return host

    def database(self, host):
        status, body = request(self.agent_socket(host.process), "GET", "/v1/dbs")
        self.assertEqual((status, len(body["databases"])), (200, 1), body)
        return body["databases"][0]

    def sampled_in_full(self, host):
        path = self.agent_socket(host.process)
        sample = request(path, "GET", f"/v1/dbs/{self.database(host)['id']}/sample")[1]
        return {family["name"] for family in sample["column_families"] if family.get("properties")}

    def serves_and_ends(self, program, *arguments):
        host = self.started(program, *arguments)
        database = self.database(host)
        self.assertEqual((database["statistics"], database["limiter"]), ("agent", "agent"))
        host.tell("end")
        self.assertEqual(host.end(), 0)
        self.assertEqual(list(self.agents.iterdir()), [])

    def test_the_unit_names_what_was_installed_with_it(self):
        unit = (self.prefix / "lib" / "systemd" / "system" / "rocktuned.service").read_text().splitlines()
        program = f"{self.installed_in}/bin/rocktuned"
        self.assertIn(f"ExecStart={program} --config /etc/rocktune/rocktuned.yaml", unit)
        self.assertTrue((self.prefix / "bin" / "rocktuned").exists())
        (documentation,) = (line for line in unit if line.startswith("Documentation="))
        self.assertTrue(documentation.startswith(f"Documentation=file://{self.installed_in}/"), documentation)
        page = self.prefix / documentation.removeprefix(f"Documentation=file://{self.installed_in}/")
        self.assertTrue(page.exists(), page)

    def test_a_package_s_root_is_not_in_the_unit(self):
        stage = self.directory / "stage"
        self.run_tool("cmake", "--install", BUILD, "--prefix", "/opt/rocktune", DESTDIR=str(stage))
        unit = stage / "opt" / "rocktune" / "lib" / "systemd" / "system" / "rocktuned.service"
        self.assertIn("ExecStart=/opt/rocktune/bin/rocktuned --config", unit.read_text())

    def test_pkg_config_refuses_another_rocksdb(self):
        others = self.directory / "others"
        others.mkdir()
        right = self.pkg_config("--modversion", "rocksdb")[0]
        major, minor = map(int, right.split(".")[:2])
        for version, fits in ((right, True), (f"{major}.{minor}.99", True), (f"{major}.{minor + 1}.0", False),
                              (f"{major}.{minor - 1}.9", False), (f"{major + 1}.{minor}.0", False)):
            with self.subTest(version):
                (others / "rocksdb.pc").write_text(f"Name: rocksdb\nDescription: -\nVersion: {version}\nLibs: -lrocksdb\n")
                done = subprocess.run(["pkg-config", "--libs", "rocktune-agent"], capture_output=True, text=True, check=False,
                                      timeout=300, env={**os.environ, "PKG_CONFIG_PATH": f"{others}:{self.packages}"})
                self.assertEqual(done.returncode == 0, fits, done.stderr)

    def test_a_cmake_project(self):
        build = self.directory / "build"
        prefixes = ";".join(filter(None, [str(self.prefix), self.rocksdb]))
        self.run_tool("cmake", "-S", CONSUMERS / "cmake", "-B", build, f"-DCMAKE_PREFIX_PATH={prefixes}",
                      "-DCMAKE_BUILD_TYPE=Release")
        self.run_tool("cmake", "--build", build)
        self.serves_and_ends(build / "consumer_shared", self.directory / "db")
        if (build / "consumer_static").exists():
            self.serves_and_ends(build / "consumer_static", self.directory / "db2")
            self.serves_and_ends(build / "consumer_static_c", "plain", self.directory / "db3")
            needed = self.run_tool("ldd", build / "consumer_static")
            self.assertNotIn("librocksdb", needed)
            self.assertNotIn("librocktune", needed)
        else:
            self.assertTrue(self.rocksdb, "the system's RocksDB has a static library")

    def test_the_archive_shows_nothing_but_its_interface(self):
        archive = self.libraries / "librocktune_agent.a"
        names = [line.split()[-1] for line in self.run_tool("nm", "--defined-only", "--extern-only", archive).splitlines()
                 if len(line.split()) == 3]
        self.assertTrue(names)
        others = [name for name in names if not name.startswith(("rocktune_", "_ZN8rocktune7prepareE", "_ZN8rocktune5Agent6"))]
        self.assertEqual(others, [], "a program may have another Boost or JSON library than the agent's")
        needs = [line.split() for line in self.run_tool("nm", "--undefined-only", archive).splitlines()]
        weak = [words[1] for words in needs if words and words[0] in ("w", "v") and "rock" in words[1]]
        self.assertEqual(weak, [], "what RocksDB has must be looked for")

    def test_a_plain_c_plus_plus_compiler(self):
        program = self.directory / "host"
        self.run_tool("c++", "-std=c++20", CONSUMERS / "cxx" / "host.cc", "-o", program,
                      *self.pkg_config("--cflags", "--libs", "rocktune-agent"))
        self.serves_and_ends(program, self.directory / "db")

    def c_host(self):
        program = self.directory / "host"
        self.run_tool("cc", "-std=c99", "-pedantic-errors", "-Wall", "-Wextra", "-Wstrict-prototypes", "-Werror",
                      CONSUMERS / "c" / "host.c", "-o", program, *self.pkg_config("--cflags", "--libs", "rocktune-agent"))
        return program

    def test_a_c_compiler_and_every_form(self):
        program = self.c_host()
        for form, access in {"plain": "read_write", "read_only": "read_only", "transaction": "read_write",
                             "optimistic": "read_write"}.items():
            with self.subTest(form):
                host = self.started(program, form, self.directory / form)
                self.assertEqual(self.database(host)["access"], access)
                self.assertEqual(self.database(host)["statistics"], "agent")
                if form in ("plain", "transaction"):
                    host.tell("create")
                    self.assertEqual(self.sampled_in_full(host), {"default", "later"})
                    host.tell("drop")
                    self.assertEqual(self.sampled_in_full(host), {"default"})
                host.tell("end")
                self.assertEqual(host.end(), 0)
                self.assertEqual(list(self.agents.iterdir()), [])

    def test_an_agent_that_is_off_is_no_error_of_the_program(self):
        program = self.c_host()
        result = subprocess.run([str(program), "plain", str(self.directory / "db")], input="end\n", text=True, timeout=300,
                                capture_output=True, check=False,
                                env={**os.environ, "ROCKTUNE_AGENT_MODE": "off", "LD_LIBRARY_PATH": self.library_path()})
        # This program chooses to end; what it was told is what is looked at.
        self.assertIn("not attached: the agent is off", result.stderr)
        self.assertIn("off: ROCKTUNE_AGENT_MODE=off", result.stderr)

    def test_the_preload_works_where_it_was_moved_to(self):
        host = Host([BUILD / "bin" / "host_plain", "plain", self.directory / "db"], self.directory / "host.log",
                    ROCKTUNE_AGENT_DIR=str(self.agents), LD_PRELOAD=str(self.libraries / "librocktune_preload.so"))
        self.processes.append(host.process)
        self.assertEqual(host.answer(), "open")
        self.assertEqual(self.database(host)["access"], "read_write")
        host.tell("end")
        self.assertEqual(host.end(), 0)


if __name__ == "__main__":
    unittest.main()
