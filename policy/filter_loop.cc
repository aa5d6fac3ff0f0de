#include "policy/filter_loop.h"

#include <utility>
#include <vector>

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
constexpr double kLeastRuns = 3;  // files of level 0 and levels below it that a read may look into
constexpr double kFilterWantedSeconds = 5;
constexpr std::size_t kTurnPolls = 20;

double sorted_runs(const ColumnFamilyReading& family) {
  double runs = 0;
  for (std::size_t level = 0; level < family.levels.size(); ++level) {
    const auto files = static_cast<double>(family.levels[level].files);
    runs += level == 0 ? files : (files > 0 ? 1 : 0);
  }
  return runs;
}

}  // namespace

std::optional<Proposal> FilterLoop::decide(const Situation& situation) {
  const Features& f = situation.features;
  const Nanoseconds now = situation.now;
  reads_.note(now, f.reads_per_second);
  all_misses_.note(now, f.cache_misses_per_second);
  misses_.note(now, read_misses_.look(f));
  const Value reads = reads_.mean(10), misses = misses_.mean(10);
  const bool look_in_vain =
      reads && misses && *reads >= kLeastReads && *misses >= kManyMisses * *reads;
  if (wanted_.update(look_in_vain, now) < kFilterWantedSeconds) return std::nullopt;
  // Column families take turns, so that one that is held up holds up no other.
  std::vector<std::pair<const KnobReading*, double>> candidates;
  for (const ColumnFamilyReading& family : f.column_families) {
    const double runs = sorted_runs(family);
    const KnobReading* reading =
        runs >= kLeastRuns ? f.knobs.find(knob::kBloomBits, family.name) : nullptr;
    const bool ours = reading != nullptr && reading->changeable &&
                      reading->owner != KnobOwner::kManual && reading->value < kBits;
    if (ours) candidates.emplace_back(reading, runs);
  }
  if (candidates.empty()) return std::nullopt;
  const auto& [reading, runs] = candidates[turn_++ / kTurnPolls % candidates.size()];
  Proposal out = propose(*reading, kBits, "filter.reads");
  out.reason = "a read misses the cache " + text::amount(*misses / *reads) + " times, with " +
               text::amount(runs) + " sorted runs to look into and " +
               (reading->value > 0 ? std::to_string(reading->value) + " filter bits a key"
                                   : std::string("no filters"));
  out.expected = {"cache_misses_per_second", true, all_misses_.mean(10).value_or(*misses),
                  kFilterEvaluationSeconds};
  out.evidence = miss_evidence(f);
  out.evidence.push_back({"reads_per_second", *reads, std::nullopt});
  return out;
}

}  // namespace rocktune
