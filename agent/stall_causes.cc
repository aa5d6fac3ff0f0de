#include "agent/stall_causes.h"

#include <charconv>

namespace rocktune::agent {
namespace {

struct Counter {
  const char* condition;
  const char* cause;
  const char* name;      // among rocksdb.cfstats from 8.0 on
  const char* old_name;  // before
};

// In the order in which RocksDB looks at them (ColumnFamilyData::GetWriteStallConditionAndCause).
constexpr Counter kCounters[] = {
    {"stopped", "memtables", "memtable-limit-stops", "io_stalls.memtable_compaction"},
    {"stopped", "l0_files", "l0-file-count-limit-stops", "io_stalls.level0_numfiles"},
    {"stopped", "pending_compaction_bytes", "pending-compaction-bytes-stops",
     "io_stalls.stop_for_pending_compaction_bytes"},
    {"delayed", "memtables", "memtable-limit-delays", "io_stalls.memtable_slowdown"},
    {"delayed", "l0_files", "l0-file-count-limit-delays", "io_stalls.level0_slowdown"},
    {"delayed", "pending_compaction_bytes", "pending-compaction-bytes-delays",
     "io_stalls.slowdown_for_pending_compaction_bytes"}};

std::uint64_t count_of(const Counter& counter, const StallCauses::CfStats& stats) {
  auto it = stats.find(counter.name);
  if (it == stats.end()) it = stats.find(counter.old_name);
  if (it == stats.end()) return 0;
  std::uint64_t count = 0;
  std::from_chars(it->second.data(), it->second.data() + it->second.size(), count);
  return count;
}

}  // namespace

void StallCauses::read(const std::string& family, const CfStats& stats) {
  auto& known = families_[family];
  std::map<std::string, std::string> moved;
  for (const auto& counter : kCounters) {
    const auto count = count_of(counter, stats);
    auto& before = known.counters[counter.name];
    if (count > before) {
      auto& causes = moved[counter.condition];
      causes += (causes.empty() ? "" : "+") + std::string(counter.cause);
    }
    before = count;
  }
  for (const auto& [condition, causes] : moved) known.latest[condition] = causes;
}

std::string StallCauses::latest(const std::string& family, const std::string& condition) const {
  const auto it = families_.find(family);
  if (it == families_.end()) return {};
  const auto cause = it->second.latest.find(condition);
  return cause == it->second.latest.end() ? std::string() : cause->second;
}

}  // namespace rocktune::agent
