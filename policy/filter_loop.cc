#include "policy/filter_loop.h"

#include <algorithm>

#include "model/knobs.h"
#include "model/text.h"

namespace rocktune {
namespace {

constexpr double kFilterEvaluationSeconds = 600;
// RocksDB's usual choice: 1% of look-ups in vain, 1.25 bytes a key (its wiki,
// RocksDB-Bloom-Filter).
constexpr std::int64_t kBits = 10;
constexpr double kLeastReads = 100;  // per second
// Block misses for each read from which on reads look for keys where they are not.
constexpr double kManyMisses = 0.2;
// Seeks beside reads that do not count, as in level 0 (policy/level0_reads.cc): an iterator may
// miss as much as dozens of point reads, and no filter spares it anything.
constexpr double kFewSeeks = 0.1;
constexpr double kLeastRuns = 3;  // files of level 0 and levels below it that a read may look into
constexpr double kFilterWantedSeconds = 5;
constexpr std::size_t kTurnPolls = 20;
constexpr double kEntrySeconds = 60;
// Entries take so many times as much as their files do, by RocksDB's usual codecs: filters are for
// keys, however well those are compressed.
constexpr double kCompressed = 2;
// An entry that is written is a mean over all column families, and small keys may lie beside large
// values: of several, entries are taken for no larger than twice about what db_bench writes by
// default (a key of 16 bytes, a value of 100). So they are where nobody knows how much of them goes
// into tables.
constexpr double kUnsureEntryBytes = 200;
// Of the memory to spare, as of one growth of the cache (policy/guard_limits.cc): they come over
// hours, in which others take some of it.
constexpr double kFilterMemoryShare = 0.5;
// Of budget.memory_max, which is for cache and write buffers, where these leave less of it.
constexpr double kFilterBudgetShare = 0.125;

bool has_files(const ColumnFamilyReading& family) {
  return std::ranges::any_of(family.levels, [](const LevelReading& l) { return l.files > 0; });
}

double sorted_runs(const ColumnFamilyReading& family) {
  double runs = 0;
  for (std::size_t level = 0; level < family.levels.size(); ++level) {
    const auto files = static_cast<double>(family.levels[level].files);
    runs += level == 0 ? files : (files > 0 ? 1 : 0);
  }
  return runs;
}

// Of filters of that many more bits in all files of the column family.
double filter_bytes(const ColumnFamilyReading& family, double entry_bytes, std::int64_t bits) {
  double files = 0;
  for (const LevelReading& level : family.levels) files += static_cast<double>(level.bytes);
  return kCompressed * files / entry_bytes * static_cast<double>(bits) / 8;
}

// Reads of single keys look for them where they are not, and hardly anybody else reads.
bool looks_in_vain(const Calls& calls, const Value& misses) {
  const double seeks = calls.seeks.value_or(0);
  return calls.reads && misses && *calls.reads >= kLeastReads &&
         seeks <= kFewSeeks * *calls.reads && *misses >= kManyMisses * (*calls.reads + seeks);
}

// What is there for filters; 0 where nobody can tell.
double room_for_filters(const Situation& situation) {
  const Features& f = situation.features;
  if (situation.memory_low || !f.memory_available_bytes) return 0;
  const double spare = kFilterMemoryShare * spare_memory(f, situation.memory_free);
  if (!situation.budget.memory_max) return spare;
  const auto budget = static_cast<double>(situation.budget.memory_max->value);
  const double left = budget - memory_use(f).total();
  return std::min(spare, std::max(left, kFilterBudgetShare * budget));
}

}  // namespace

// By what is written, as far as that goes into tables; absent where nothing does: then no file gets
// any filter, either.
Value FilterLoop::entry_bytes(const Features& f) const {
  const Value writes = writes_.mean(kEntrySeconds), written = written_.mean(kEntrySeconds);
  const Value share = tables_.share();
  if (!writes || !written || *writes <= 0) return std::nullopt;
  const double mean = share.value_or(1) * *written / *writes;
  if (!(mean > 0)) return std::nullopt;
  const bool unsure = !share || std::ranges::count_if(f.column_families, has_files) > 1;
  return unsure ? std::min(mean, kUnsureEntryBytes) : mean;
}

// Those that there is memory for, beside what others have that will have it.
std::vector<FilterLoop::Candidate> FilterLoop::candidates(const Situation& situation) const {
  const Features& f = situation.features;
  const Value entry = entry_bytes(f);
  double room = room_for_filters(situation);
  if (!entry || !(room > 0)) return {};
  std::vector<Candidate> out;
  std::vector<double> bytes;
  for (const ColumnFamilyReading& family : f.column_families) {
    const KnobReading* reading = f.knobs.find(knob::kBloomBits, family.name);
    if (reading == nullptr) continue;
    if (is_raised(*reading)) {
      room -= filter_bytes(family, *entry, reading->value - reading->found);
    }
    const double runs = sorted_runs(family);
    const bool ours = may_turn(*reading) && reading->value < kBits && runs >= kLeastRuns;
    if (!ours) continue;
    out.emplace_back(reading, runs);
    bytes.push_back(filter_bytes(family, *entry, kBits - reading->value));
  }
  std::size_t place = 0;
  std::erase_if(out, [&](const Candidate&) { return bytes[place++] > room; });
  return out;
}

std::optional<Proposal> FilterLoop::decide(const Situation& situation, const Level0Merges& merges) {
  const Features& f = situation.features;
  const Nanoseconds now = situation.now;
  all_misses_.note(now, f.cache_misses_per_second);
  writes_.note(now, f.writes_per_second);
  written_.note(now, f.user_write_bytes_per_second);
  tables_.observe(f, merges);
  const Value& misses = situation.mean_read_misses;
  const Calls& calls = situation.calls;
  const bool in_vain = looks_in_vain(calls, misses);
  if (wanted_.update(in_vain, now) < kFilterWantedSeconds) return std::nullopt;
  // Column families take turns, so that one that is held up holds up no other.
  const std::vector<Candidate> wanting = candidates(situation);
  if (wanting.empty()) return std::nullopt;
  const auto& [reading, runs] = wanting[turn_++ / kTurnPolls % wanting.size()];
  Proposal out = propose(*reading, kBits, "filter.reads");
  out.reason = "a read misses the cache " +
               text::amount(*misses / (*calls.reads + calls.seeks.value_or(0))) + " times, with " +
               text::amount(runs) + " sorted runs to look into and " +
               (reading->value > 0 ? std::to_string(reading->value) + " filter bits a key"
                                   : std::string("no filters"));
  out.expected = {"cache_misses_per_second", true, all_misses_.mean(10).value_or(*misses),
                  kFilterEvaluationSeconds};
  out.evidence = miss_evidence(f);
  out.evidence.push_back({"reads_per_second", *calls.reads, std::nullopt});
  out.evidence.push_back({"memory_available_bytes", *f.memory_available_bytes, std::nullopt});
  return out;
}

}  // namespace rocktune
