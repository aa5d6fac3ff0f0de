// The agent in hosts that do what hosts do, while it is polled and changes values. Made for the
// sanitizers: any access to a database that has gone shows there.
//
//   agent_stress SCENARIO TIMES
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>

#include "tests/integration/agent_stress/check.h"
#include "tests/integration/agent_stress/scenarios.h"

namespace rocktune::stress {

std::string program;

namespace {

struct Scenario {
  const char* name;
  void (*run)(int times);
};
constexpr Scenario kScenarios[] = {
    {"cycles", cycles},
    {"families", families},
    {"many-databases", many_databases},
    {"fork-and-exec", fork_and_exec},
    {"changes-while-closing", changes_while_closing},
    {"exits", exits},
};

int run(const char* name, int times) {
  for (const auto& scenario : kScenarios) {
    if (std::strcmp(scenario.name, name) != 0) continue;
    make_root();
    scenario.run(times);
    remove_root();
    return 0;
  }
  std::fprintf(stderr, "usage: agent_stress SCENARIO TIMES, where SCENARIO is one of\n");
  for (const auto& scenario : kScenarios) std::fprintf(stderr, "  %s\n", scenario.name);
  return 2;
}

}  // namespace
}  // namespace rocktune::stress

#if defined(__SANITIZE_THREAD__)
// RocksDB is not instrumented: that a reader of a property gives its super version back (by
// counting references down) before a background thread deletes the description of a file in it is
// not seen. Nor is the exchange of its state by which a waiting writer hands the mutex on its stack
// to the one that wakes it (WriteThread::BlockingAwaitState).
extern "C" __attribute__((visibility("default"))) const char* __tsan_default_suppressions() {
  return "race:rocksdb::DBImpl::PurgeObsoleteFiles\n"
         "race:rocksdb::WriteThread::SetState\n";
}
#endif

int main(int argc, char** argv) {
  using namespace rocktune::stress;
  program = std::filesystem::canonical("/proc/self/exe");
  const char* const name = argc > 1 ? argv[1] : "";
  if (std::strcmp(name, "inherits-no-socket") == 0) return inherits_no_socket();
  if (std::strcmp(name, "exit-without-close") == 0) return exit_without_close();
  return run(name, argc > 2 ? std::atoi(argv[2]) : 1);
}
