// How long a stall lasted and why it came.
#include "agent/stall_causes.h"
#include "agent/stall_watch.h"
#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using rocksdb::WriteStallCondition;

constexpr auto kNormal = WriteStallCondition::kNormal;
constexpr auto kDelayed = WriteStallCondition::kDelayed;
constexpr auto kStopped = WriteStallCondition::kStopped;

struct Watched {
  StallWatch watch;
  StallWatch::Change change(const char* family, WriteStallCondition before, WriteStallCondition now,
                            std::chrono::seconds at) {
    return watch.change(family, before, now, StallWatch::TimePoint{1000s} + at);
  }
};

TEST_CASE("the length of a state is known once its beginning was seen") {
  Watched w;
  CHECK_FALSE(w.change("a", kNormal, kDelayed, 0s).lasted);
  CHECK_FALSE(w.change("b", kNormal, kDelayed, 1s).lasted);  // each column family for itself
  CHECK(w.change("a", kDelayed, kStopped, 3s).lasted == 3s);
  CHECK(w.change("a", kStopped, kNormal, 4s).lasted == 1s);
  CHECK(w.change("b", kDelayed, kNormal, 5s).lasted == 4s);
  CHECK_FALSE(w.change("a", kNormal, kDelayed, 6s).late);
}

TEST_CASE("two changes that are told in the wrong order are recognised") {
  Watched w;
  const auto first = w.change("a", kStopped, kNormal, 1s);  // its beginning comes later
  CHECK_FALSE(first.lasted);
  CHECK_FALSE(first.late);
  const auto second = w.change("a", kNormal, kStopped, 2s);
  CHECK(second.late);
  CHECK_FALSE(second.lasted);
  // It is normal since 1 s, and not stopped since 2 s.
  const auto third = w.change("a", kNormal, kDelayed, 5s);
  CHECK_FALSE(third.late);
  CHECK(third.lasted == 4s);
}

TEST_CASE("a change that was never told is not waited for") {
  Watched w;
  w.change("a", kStopped, kNormal, 1s);
  CHECK(w.change("a", kNormal, kDelayed, 2s).lasted == 1s);
  CHECK(w.change("a", kDelayed, kNormal, 4s).lasted == 2s);
  const auto stop = w.change("a", kNormal, kStopped, 5s);
  CHECK_FALSE(stop.late);
  CHECK(stop.lasted == 1s);
}

TEST_CASE("the number of column families watched is bounded") {
  StallWatch watch;
  const auto stall = [&](int i) {
    const auto name = std::to_string(i);
    watch.change(name, kNormal, kDelayed, {});
    return watch.change(name, kDelayed, kNormal, {}).lasted;
  };
  for (int i = 0; i < 2000; ++i) REQUIRE(stall(i).has_value());  // others are over
  for (int i = 0; i < 1024; ++i) watch.change(std::to_string(i), kNormal, kDelayed, {});
  CHECK_FALSE(stall(1024).has_value());
  CHECK(watch.change("5", kDelayed, kNormal, {}).lasted);
  CHECK(stall(1024).has_value());
}

TEST_CASE("the counters that moved tell the cause, in both of RocksDB's spellings") {
  StallCauses causes;
  CHECK(causes.latest("a", "delayed").empty());
  causes.read("a", {{"l0-file-count-limit-delays", "0"}, {"memtable-limit-stops", "0"}});
  CHECK(causes.latest("a", "delayed").empty());
  causes.read("a", {{"l0-file-count-limit-delays", "2"}, {"memtable-limit-stops", "0"}});
  CHECK(causes.latest("a", "delayed") == "l0_files");
  CHECK(causes.latest("a", "stopped").empty());
  CHECK(causes.latest("b", "delayed").empty());
  causes.read("a", {{"l0-file-count-limit-delays", "2"}, {"memtable-limit-stops", "1"}});
  CHECK(causes.latest("a", "stopped") == "memtables");
  CHECK(causes.latest("a", "delayed") == "l0_files");  // the last that was counted

  causes.read("old", {{"io_stalls.slowdown_for_pending_compaction_bytes", "1"},
                      {"io_stalls.level0_numfiles", "7"}});  // since the open: counters begin at 0
  CHECK(causes.latest("old", "delayed") == "pending_compaction_bytes");
  CHECK(causes.latest("old", "stopped") == "l0_files");
}

TEST_CASE("several causes between two readings are told as several") {
  StallCauses causes;
  causes.read("a", {{"memtable-limit-delays", "1"}, {"l0-file-count-limit-delays", "1"}});
  CHECK(causes.latest("a", "delayed") == "memtables+l0_files");
  causes.forget("a");
  CHECK(causes.latest("a", "delayed").empty());
  causes.read("a", {{"memtable-limit-delays", "not a number"}});
  CHECK(causes.latest("a", "delayed").empty());
}

}  // namespace
}  // namespace rocktune::agent
