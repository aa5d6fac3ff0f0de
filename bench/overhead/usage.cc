#include "bench/overhead/usage.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string_view>

namespace rocktune::bench {
namespace {

// Not by what they begin with: the main thread of rocktune-bench is called like that too.
constexpr std::string_view kAgentThreads[] = {"rocktune-agent", "rocktune-change"};

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

}  // namespace

Result<std::uint64_t> agent_cpu_ns(const std::string& process) {
  namespace fs = std::filesystem;
  std::uint64_t sum = 0;
  std::error_code error;
  for (fs::directory_iterator task(process + "/task", error), end; !error && task != end;
       task.increment(error)) {
    std::string name;
    std::ifstream(task->path() / "comm") >> name;
    if (std::find(std::begin(kAgentThreads), std::end(kAgentThreads), name) ==
        std::end(kAgentThreads)) {
      continue;
    }
    std::uint64_t ran_ns = 0;
    if (!(std::ifstream(task->path() / "schedstat") >> ran_ns)) {
      return fail(ErrorCode::kIo, task->path().string() + "/schedstat: cannot be read");
    }
    sum += ran_ns;
  }
  if (error) return fail(ErrorCode::kIo, process + "/task: " + error.message());
  return sum;
}

Result<Memory> memory_of(const std::string& process) {
  std::ifstream in(process + "/smaps_rollup");
  Memory memory;
  std::string word;
  std::uint64_t kib = 0;
  bool found = false;
  while (in >> word) {
    if (word == "Rss:" && in >> kib) {
      memory.resident = kib * 1024;
      found = true;
    } else if (word == "Anonymous:" && in >> kib) {
      memory.anonymous = kib * 1024;
    }
  }
  if (!found) return fail(ErrorCode::kIo, process + "/smaps_rollup: cannot be read");
  return memory;
}

double own_cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace rocktune::bench
