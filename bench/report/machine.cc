#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

#include "bench/report/run.h"
#include "bench/run/result.h"

namespace rocktune::bench::report {
namespace {

std::optional<std::string> cpu_model(const std::string& proc) {
  std::ifstream file(proc + "/cpuinfo");
  std::string line;
  while (std::getline(file, line)) {
    if (!line.starts_with("model name")) continue;
    const auto colon = line.find(": ");
    if (colon != std::string::npos) return line.substr(colon + 2);
  }
  return std::nullopt;  // not every architecture names it there
}

std::optional<std::string> mapped_rocksdb(const std::string& proc) {
  std::ifstream file(proc + "/self/maps");
  std::string line;
  while (std::getline(file, line)) {
    if (line.find("/librocksdb") != std::string::npos) return line.substr(line.find('/'));
  }
  return std::nullopt;  // linked statically
}

// A library with assertions calls the C library's __assert_fail, whose name then stands among its
// dynamic symbols; with NDEBUG it does not. Debian's 7.8.3 has it, a release build has not.
std::optional<bool> has_assertions(const std::optional<std::string>& library) {
  if (!library) return std::nullopt;
  std::ifstream file(*library, std::ios::binary);
  if (!file) return std::nullopt;
  std::ostringstream content;
  content << file.rdbuf();
  return content.str().find(std::string("\0__assert_fail\0", 15)) != std::string::npos;
}

}  // namespace

Machine this_machine(const std::string& proc) {
  Machine machine;
  machine.cpu_model = cpu_model(proc);
  machine.cpus = sysconf(_SC_NPROCESSORS_ONLN);
  machine.memory_bytes = sysconf(_SC_PHYS_PAGES) * sysconf(_SC_PAGESIZE);
  utsname system{};
  if (uname(&system) == 0) machine.kernel = std::string(system.sysname) + " " + system.release;
  machine.rocksdb_version = rocksdb_version();
  machine.rocksdb_assertions = has_assertions(mapped_rocksdb(proc));
  return machine;
}

}  // namespace rocktune::bench::report
