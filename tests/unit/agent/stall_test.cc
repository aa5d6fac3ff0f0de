// How long a stall lasted and why it came.
#include "agent/stall_causes.h"
#include "agent/stall_watch.h"
#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using rocksdb::WriteStallCondition;

TEST_CASE("the length of a state is known once its beginning was seen") {
  StallWatch watch;
  const StallWatch::TimePoint start{1000s};
  const auto change = [&](const char* family, WriteStallCondition before, WriteStallCondition now,
                          std::chrono::seconds at) {
    return watch.change(family, before, now, start + at);
  };
  constexpr auto kNormal = WriteStallCondition::kNormal;
  constexpr auto kDelayed = WriteStallCondition::kDelayed;
  constexpr auto kStopped = WriteStallCondition::kStopped;
  CHECK_FALSE(change("a", kNormal, kDelayed, 0s));
  CHECK_FALSE(change("b", kNormal, kDelayed, 1s));  // each column family for itself
  CHECK(change("a", kDelayed, kStopped, 3s) == 3s);
  CHECK(change("a", kStopped, kNormal, 4s) == 1s);
  CHECK(change("b", kDelayed, kNormal, 5s) == 4s);
  CHECK_FALSE(change("a", kDelayed, kStopped, 6s));  // one change came too late, or not at all
  CHECK(change("a", kStopped, kNormal, 8s) == 2s);
}

TEST_CASE("the number of column families watched is bounded") {
  StallWatch watch;
  const auto stall = [&](int i) {
    const auto name = std::to_string(i);
    watch.change(name, WriteStallCondition::kNormal, WriteStallCondition::kDelayed, {});
    return watch.change(name, WriteStallCondition::kDelayed, WriteStallCondition::kNormal, {});
  };
  for (int i = 0; i < 1024; ++i) REQUIRE(stall(i).has_value());
  CHECK_FALSE(stall(1024).has_value());
  CHECK(stall(5).has_value());
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
