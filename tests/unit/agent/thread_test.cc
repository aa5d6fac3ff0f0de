// What the agent's threads block, and what RocksDB's threads that they start do not.
#include "agent/thread.h"

#include <pthread.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "agent/database_knobs.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

namespace fs = std::filesystem;

bool blocked(int signal) {
  sigset_t now;
  pthread_sigmask(SIG_SETMASK, nullptr, &now);
  return sigismember(&now, signal) == 1;
}

void in_thread(const std::function<void()>& run) {
  start_thread("a-thread", run).join();
}

// Of this process, by their ids.
std::set<std::string> threads() {
  std::set<std::string> ids;
  for (const auto& entry : fs::directory_iterator("/proc/self/task")) {
    ids.insert(entry.path().filename().string());
  }
  return ids;
}

bool thread_blocks(const std::string& id, int signal) {
  std::ifstream status("/proc/self/task/" + id + "/status");
  std::string line;
  while (std::getline(status, line)) {
    constexpr std::string_view kKey = "SigBlk:\t";
    if (!line.starts_with(kKey)) continue;
    return ((std::stoull(line.substr(kKey.size()), nullptr, 16) >> (signal - 1)) & 1) != 0;
  }
  return false;  // it has ended
}

TEST_CASE("a thread of the agent's blocks signals, but for a while those that the host blocked") {
  sigset_t hosts;
  sigset_t before;
  sigemptyset(&hosts);
  sigaddset(&hosts, SIGUSR2);
  pthread_sigmask(SIG_SETMASK, &hosts, &before);
  const auto check = [] {
    CHECK(blocked(SIGUSR1));
    CHECK_FALSE(blocked(SIGSEGV));
    {
      const HostsSignals signals;
      CHECK_FALSE(blocked(SIGUSR1));
      CHECK(blocked(SIGUSR2));
    }
    CHECK(blocked(SIGUSR1));
  };
  in_thread(check);
  in_thread([&] { in_thread(check); });
  const HostsSignals nothing;
  CHECK(blocked(SIGUSR2));
  CHECK_FALSE(blocked(SIGUSR1));
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

TEST_CASE("threads that RocksDB starts for more jobs do not block the host's signals") {
  testing::TestDatabase host;
  DatabaseGroup group(host.db.get(), true, [] { return std::chrono::steady_clock::now(); });
  auto* const jobs = group.find("max_background_jobs");
  REQUIRE(jobs != nullptr);
  // A quarter of them are flushes.
  const int more = 2 * (rocksdb::Env::Default()->GetBackgroundThreads(rocksdb::Env::LOW) + 2);
  std::set<std::string> started;
  in_thread([&] {
    const auto before = threads();
    CHECK(group.write({{jobs, more}}).empty());
    for (const auto& id : threads()) {
      if (!before.contains(id)) started.insert(id);
    }
  });
  CHECK_FALSE(started.empty());
  for (const auto& id : started) {
    // The C library blocks them all until a thread has begun.
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(10);
    while (thread_blocks(id, SIGUSR1) && std::chrono::steady_clock::now() < until) {
      std::this_thread::yield();
    }
    INFO(id);
    CHECK_FALSE(thread_blocks(id, SIGUSR1));
  }
}

}  // namespace
}  // namespace rocktune::agent
