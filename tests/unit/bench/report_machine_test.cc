#include <filesystem>

#include "bench/report/run.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using rocktune::bench::report::Machine;
using rocktune::bench::report::this_machine;
using rocktune::tests::TempDirectory;

namespace {

// A /proc in which a process has mapped the library.
Machine machine_with(const TempDirectory& proc, const std::string& library) {
  std::filesystem::create_directory(proc.path() / "self");
  (void)proc.write("self/maps",
                   "7f00-7f01 r-xp 00000000 08:01 42 /usr/lib/libc.so.6\n"
                   "7f02-7f03 r-xp 00000000 08:01 43                 " +
                       library + "\n");
  return this_machine(proc.path().string());
}

}  // namespace

TEST_CASE("the processor's name", "[bench][report]") {
  const TempDirectory proc;
  CHECK_FALSE(this_machine(proc.path().string()).cpu_model);
  (void)proc.write("cpuinfo",
                   "processor\t: 0\nmodel name\t: A Processor @ 3 GHz\nflags\t\t: fpu\n");
  CHECK(this_machine(proc.path().string()).cpu_model == "A Processor @ 3 GHz");
}

TEST_CASE("a RocksDB that checks assertions calls __assert_fail", "[bench][report]") {
  const TempDirectory proc;
  const std::string with =
      proc.write("librocksdb.so.7", std::string("\0malloc\0__assert_fail\0free\0", 27));
  CHECK(machine_with(proc, with).rocksdb_assertions == true);
  const std::string without = proc.write("librocksdb.so.8", std::string("\0malloc\0free\0", 13));
  CHECK(machine_with(proc, without).rocksdb_assertions == false);
}

TEST_CASE("where no RocksDB library is mapped, or none that can be read, it is not known",
          "[bench][report]") {
  const TempDirectory proc;
  CHECK_FALSE(this_machine(proc.path().string()).rocksdb_assertions);
  CHECK_FALSE(machine_with(proc, proc.file("librocksdb.so.9")).rocksdb_assertions);
}

TEST_CASE("this machine has processors, a kernel and a RocksDB", "[bench][report]") {
  const Machine machine = this_machine();
  CHECK(machine.cpus.value_or(0) >= 1);
  CHECK(machine.memory_bytes.value_or(0) >= 1 << 20);
  CHECK(machine.kernel);
  CHECK(machine.rocksdb_version);
}
