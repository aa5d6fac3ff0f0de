// Where no more threads are to be had RocksDB is asked for none: it would end the host.
#include <sys/resource.h>
#include <unistd.h>

#include <cstdint>
#include <fstream>

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

wire::ChangeResult raised(Control& control, const char* knob, const char* id) {
  return control.apply({"me", {{id, knob, "", 16, {}}}})->results.at(0);
}

}  // namespace

TEST_CASE("whether so many threads are to be had") {
  CHECK(threads_to_be_had(0));
  CHECK(threads_to_be_had(100));
  const LittleRoom room;
  CHECK_FALSE(threads_to_be_had(100));
}

TEST_CASE("jobs are raised only where RocksDB gets the threads for them") {
  testing::TestDatabase host;
  Database database(host.db.get(), host.handles, 9, false, std::chrono::steady_clock::now);
  auto& control = database.control();
  REQUIRE(control.take_lease({"me", 10, "restore", {}}).has_value());
  const char* const knob = GENERATE("max_background_jobs", "max_subcompactions");
  const auto before = testing::knob_named(control, knob).value;
  {
    const LittleRoom room;
    const auto refused = raised(control, knob, "1");
    CHECK(refused.status == "refused");
    CHECK_THAT(refused.reason, Catch::Matchers::Contains("not to be had"));
  }
  CHECK(testing::knob_named(control, knob).value == before);
  CHECK(raised(control, knob, "2").status == "applied");
  database.close();
}

}  // namespace rocktune::agent

#endif
