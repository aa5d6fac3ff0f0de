// Where no more threads are to be had RocksDB is asked for none: it would end the host.
#include <pthread.h>
#include <rocksdb/env.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <map>
#include <system_error>
#include <utility>

#include "agent/database.h"
#include "agent/thread.h"
#include "tests/unit/agent/knob_named.h"
#include "tests/unit/agent/test_database.h"

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // which map as they like

namespace rocktune::agent {
namespace {

// Room for what is at hand, and for the stacks of hardly any more threads.
class LittleRoom {
 public:
  LittleRoom() {
    constexpr rlim_t kRoom = 16 << 20;
    rlim_t pages = 0;
    std::ifstream("/proc/self/statm") >> pages;
    getrlimit(RLIMIT_AS, &before_);
    const rlimit less{pages * static_cast<rlim_t>(::sysconf(_SC_PAGESIZE)) + kRoom,
                      before_.rlim_max};
    REQUIRE(setrlimit(RLIMIT_AS, &less) == 0);
  }
  ~LittleRoom() { setrlimit(RLIMIT_AS, &before_); }
  LittleRoom(const LittleRoom&) = delete;
  LittleRoom& operator=(const LittleRoom&) = delete;

 private:
  rlimit before_{};
};

std::size_t stack_bytes() {
  pthread_attr_t attributes;
  std::size_t bytes = 0;
  pthread_getattr_default_np(&attributes);
  pthread_attr_getstacksize(&attributes, &bytes);
  pthread_attr_destroy(&attributes);
  return bytes;
}

wire::ChangeResult raised(Control& control, const char* knob, const char* id) {
  return control.apply({"me", {{id, knob, "", 16, {}}}})->results.at(0);
}

}  // namespace

TEST_CASE("whether so many threads are to be had") {
  CHECK(threads_to_be_had(0));
  CHECK(threads_to_be_had(30));
  const LittleRoom room;
  CHECK_FALSE(threads_to_be_had(1000));
}

TEST_CASE("jobs are raised only where RocksDB gets the threads for them") {
  if (stack_bytes() < 4 << 20) {
    WARN("left out: stacks are so small that many fit");
    return;
  }
  std::chrono::steady_clock::time_point now{std::chrono::hours(1)};
  testing::TestDatabase host;
  Database database(host.db.get(), host.handles, 9, false, [&now] { return now; });
  auto& control = database.control();
  REQUIRE(control.take_lease({"me", 3600, "restore", {}}).has_value());
  const char* const knob = GENERATE("max_background_jobs", "max_subcompactions");
  const auto before = testing::knob_named(control, knob).value;
  {
    const LittleRoom room;
    const auto refused = raised(control, knob, "1");
    CHECK(refused.status == "refused");
    CHECK_THAT(refused.reason, Catch::Matchers::Contains("not to be had"));
  }
  CHECK(testing::knob_named(control, knob).value == before);
  CHECK(raised(control, knob, "2").status == "refused");  // to try takes all that there are
  now += std::chrono::minutes(11);
  CHECK(raised(control, knob, "3").status == "applied");
  database.close();
}

// Its pools have all the threads that any number of jobs asks for.
class LargePoolsEnv : public rocksdb::EnvWrapper {
 public:
  LargePoolsEnv() : EnvWrapper(rocksdb::Env::Default()) {}
  int GetBackgroundThreads(Priority /*priority*/) override { return 1000; }
};

TEST_CASE("more jobs bring the threads of their subcompactions, too") {
  if (stack_bytes() < 4 << 20) {
    WARN("left out: stacks are so small that many fit");
    return;
  }
  LargePoolsEnv env;
  rocksdb::DBOptions options;
  options.env = &env;
  testing::TestDatabase host(options);
  Database database(host.db.get(), host.handles, 9, false, std::chrono::steady_clock::now);
  auto& control = database.control();
  REQUIRE(control.take_lease({"me", 3600, "restore", {}}).has_value());
  REQUIRE(raised(control, "max_subcompactions", "1").status == "applied");
  {
    const LittleRoom room;
    const auto refused = raised(control, "max_background_jobs", "2");
    CHECK(refused.status == "refused");
    CHECK_THAT(refused.reason, Catch::Matchers::Contains("180 threads more"));  // 12 times 15
  }
  database.close();
}

// RocksDB gets no thread, after its pool has been told to be larger.
class ThreadlessEnv : public rocksdb::EnvWrapper {
 public:
  ThreadlessEnv() : EnvWrapper(rocksdb::Env::Default()) {}
  void IncBackgroundThreadsIfNeeded(int number, Priority priority) override {
    if (!short_of_threads) return EnvWrapper::IncBackgroundThreadsIfNeeded(number, priority);
    throw std::system_error(EAGAIN, std::generic_category());
  }
  void SetBackgroundThreads(int number, Priority priority) override {
    if (short_of_threads) sizes[priority] = number;
    EnvWrapper::SetBackgroundThreads(number, priority);
  }
  bool short_of_threads = false;
  std::map<Priority, int> sizes;
};

TEST_CASE("a pool for which RocksDB got no threads is as large as before") {
  ThreadlessEnv env;
  rocksdb::DBOptions options;
  options.env = &env;
  testing::TestDatabase host(options);
  Database database(host.db.get(), host.handles, 9, false, std::chrono::steady_clock::now);
  auto& control = database.control();
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  const int flushes = env.GetBackgroundThreads(rocksdb::Env::HIGH);
  const int compactions = env.GetBackgroundThreads(rocksdb::Env::LOW);
  env.short_of_threads = true;
  const auto failed = raised(control, "max_background_jobs", "1");
  CHECK(failed.status == "failed");
  CHECK_THAT(failed.reason, Catch::Matchers::Contains("RocksDB threw"));
  CHECK(env.sizes ==
        std::map{std::pair(rocksdb::Env::HIGH, flushes), {rocksdb::Env::LOW, compactions}});
  env.short_of_threads = false;
  database.close();
}

}  // namespace rocktune::agent

#endif
