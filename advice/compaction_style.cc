// compaction_style: level or universal. The style is fixed at open (RocksDB: "Option not
// changeable"), so that only advice can change it.
#include <algorithm>
#include <array>

#include "advice/family_writes.h"
#include "advice/findings.h"
#include "advice/tree_shapes.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kMuchTrouble = 0.05;  // of the time; less does not pay for another style
// What universal must save: far more than the model of it is wrong by (docs/advise.md: within 10%
// of what was measured with 4, 8 and 16 runs).
constexpr double kWorthIt = 0.6;
constexpr double kSureSaving = 0.4;
constexpr double kReadMostly = 4;  // reads for each write
constexpr double kManyRuns = 8;
constexpr double kLevelTrigger = 4;  // RocksDB's default; for universal it is the number of runs
constexpr double kMuchSpace = 2;
constexpr double kLeastFiles = 8;  // of data: smaller trees have no shape
// Numbers of runs to try; RocksDB's default of 4 makes universal merge the newest runs over and
// over once there is more data than some ten memtables.
constexpr std::array<std::size_t, 4> kTriggers = {8, 12, 16, 24};
constexpr const char* kUniversalSource =
    "picking rules of RocksDB's UniversalCompactionBuilder played on paper (docs/advise.md), "
    "source 003, "
    "docs/experiments.md, compaction-style (hot-cold)";

struct UniversalPlan {
  std::size_t trigger = 0;
  UniversalCost even, fresh;  // overwriting evenly, and writing what is new
  [[nodiscard]] double least() const {
    return std::min(even.writes_per_flushed_byte, fresh.writes_per_flushed_byte);
  }
  [[nodiscard]] double most() const {
    return std::max(even.writes_per_flushed_byte, fresh.writes_per_flushed_byte);
  }
  [[nodiscard]] double runs() const { return std::max(even.mean_runs, fresh.mean_runs); }
  [[nodiscard]] double space() const {
    return std::max(even.largest_space_ratio, fresh.largest_space_ratio);
  }
};

// The fewest runs that write little enough; else the most runs.
UniversalPlan plan_universal(double flush_bytes, double data_bytes, double wanted) {
  UniversalPlan plan;
  for (const std::size_t trigger : kTriggers) {
    const UniversalShape shape{flush_bytes, data_bytes, trigger};
    plan = {trigger, universal_cost(shape, true), universal_cost(shape, false)};
    if (plan.most() <= wanted) break;
  }
  return plan;
}

void add_share(const Evidence& e, const FamilyEvidence& f, Advice& advice) {
  if (e.families.size() < 2) return;
  double all = 0;
  for (const auto& [name, one] : e.families) all += one.data_bytes.mean().value_or(0);
  const Value flushed = flush_share(e, f);
  const Value held = ratio(f.data_bytes.mean(), all);
  if (!flushed || !held) return;
  advice.evidence.push_back(fact("flush_share_ratio", *flushed,
                                 "it takes " + text::percent(*flushed) +
                                     " of what is flushed and holds " + text::percent(*held) +
                                     " of the data: " + (*flushed > *held ? "hot" : "cold") +
                                     " for writes"));
}

void add_confidence(const Evidence& e, const FamilyWrites& writes, const UniversalPlan& plan,
                    Advice& out) {
  const bool reads_known = reads_per_write(e).has_value();
  const bool limiter_known = e.limiter_holds().has_value();
  const bool sure = !writes.apportioned && reads_known && limiter_known &&
                    plan.most() < kSureSaving * writes.per_flushed_byte.value_or(0);
  out.confidence = sure ? Confidence::kMedium : Confidence::kLow;
  out.confidence_reason =
      std::string(writes.apportioned ? "what this column family writes is apportioned by the time "
                                       "of its compactions; "
                                     : "") +
      (!reads_known      ? "reads are not in the trace; "
       : reads_shared(e) ? std::string(kReadsShared) + "; "
                         : "") +
      (limiter_known ? "" : "whether compactions wait for a rate limiter is not in the trace; ") +
      "measured by this project at 50 MB only (docs/advise.md: 0.54 times level with 8 runs; with "
      "the default of 4, 1.2 times): try it on a copy";
}

std::vector<Step> universal_steps(const FamilyEvidence& f, std::size_t trigger) {
  const auto runs = static_cast<std::uint64_t>(trigger);
  return {{"compaction_style", "kCompactionStyleUniversal"},
          {"level0_file_num_compaction_trigger", std::to_string(runs)},
          {"level0_slowdown_writes_trigger",
           std::to_string(std::max(f.last.level0_slowdown_trigger.value_or(20), runs + 16))},
          {"level0_stop_writes_trigger",
           std::to_string(std::max(f.last.level0_stop_trigger.value_or(36), runs + 32))}};
}

Advice universal(const Evidence& e, const FamilyEvidence& f, double trouble,
                 const FamilyWrites& writes, const UniversalPlan& plan) {
  const double now = *writes.per_flushed_byte;
  Advice out;
  out.column_family = f.name;
  out.title = "universal compaction instead of level";
  out.evidence = {
      trouble_fact(trouble),
      fact("writes_per_flushed_byte", now,
           "each flushed byte is written " + text::amount(now) + " times, flush included"),
      fact("data_bytes", f.data_bytes.mean().value_or(0),
           "the tree holds " + text::bytes(f.data_bytes.mean().value_or(0))),
      fact("sorted_runs", f.runs.mean().value_or(0),
           "a read may have to ask " + text::amount(f.runs.mean().value_or(0)) +
               " sorted runs now, and " + text::amount(plan.runs()) + " with universal")};
  add_share(e, f, out);
  const Value reads = reads_per_write(e);
  if (reads) out.evidence.push_back(reads_fact(e, *reads));
  out.effect = {
      "times that a flushed byte is written",
      Unit::kTimes,
      now,
      plan.least(),
      plan.most(),
      "a universal tree of this size with at most " + std::to_string(plan.trigger) +
          " runs, with flushes of the recorded size: keys overwritten evenly, and all new"};
  add_confidence(e, writes, plan, out);
  out.risk =
      "a merge of everything needs as much free disk as there is data, and takes long; up "
      "to " +
      text::amount(plan.space() + 1) +
      " times the live data on disk while it runs; scans and reads ask more runs";
  out.steps = universal_steps(f, plan.trigger);
  out.how = "the way back to level needs a full compaction";
  out.source = kUniversalSource;
  return out;
}

void judge_leveled(const Evidence& e, const FamilyEvidence& f, Findings& findings) {
  const auto few = few_flushes(e, f);
  const Value trouble = family_trouble(e, f);
  if (!few || !trouble) {
    return findings.not_judged(f.name, "the trace does not tell flushes or write stalls");
  }
  if (*few) return findings.content(f.name, "hardly anything is written");
  if (*trouble < kMuchTrouble) {
    return findings.content(
        f.name, "writers are not held up for " + text::percent(kMuchTrouble) + " of the time");
  }
  if (not_by_compactions(f, kMuchTrouble)) return findings.content(f.name, kNotByCompactions);
  if (const Value reads = reads_per_write(e); reads && *reads > 1) {
    if (reads_shared(e)) {
      return findings.not_judged(
          f.name, std::string("the database has more reads than writes, and ") + kReadsShared);
    }
    return findings.content(f.name, "there are more reads than writes, and they would pay for it");
  }
  if (smaller_base(e, f)) {
    return findings.content(f.name, "the base level is out of proportion: see level1_size first");
  }
  if (e.limiter_holds().value_or(false)) {
    return findings.content(f.name, "compactions wait for the limiter: see rate_limiter first");
  }
  const FamilyWrites writes = family_writes(e, f);
  const Value file = flush_file_bytes(e, f);
  const Value data = f.data_bytes.mean();
  if (!writes.per_flushed_byte || !file || !data) {
    return findings.not_judged(
        f.name, "the trace does not tell what this column family's compactions write");
  }
  if (*data < kLeastFiles * *file) {
    return findings.content(f.name, "there is too little data for the style to matter");
  }
  const double wanted = kWorthIt * *writes.per_flushed_byte;
  const UniversalPlan plan = plan_universal(*file, *data, wanted);
  if (plan.most() > wanted) {
    return findings.content(f.name, "universal would not write less than " +
                                        text::percent(kWorthIt) + " of what level does");
  }
  findings.advise(universal(e, f, *trouble, writes, plan));
}

std::string range_of(const LeveledCost& cost) {
  const std::string least = text::amount(cost.least_writes_per_flushed_byte);
  const std::string most = text::amount(cost.most_writes_per_flushed_byte);
  return least == most ? least : least + " to " + most;
}

Effect fewer_runs(double runs, const LeveledCost& cost) {
  return {"sorted runs that a read may have to ask",
          Unit::kCount,
          runs,
          cost.levels,
          cost.levels + kLevelTrigger,
          "levels for this much data: " + text::amount(cost.levels) +
              "; and from none to 4 files of level 0"};
}

Effect less_space(const FamilyEvidence& f) {
  const double multiplier =
      std::max(static_cast<double>(f.last.max_bytes_for_level_multiplier.value_or(10)), 2.0);
  return {
      "bytes on disk / live data",
      Unit::kTimes,
      f.space_ratio.mean(),
      1,
      1 + 1 / (multiplier - 1),
      "dynamic levels (level_compaction_dynamic_level_bytes) add a tenth, a hundredth and so on "
      "of the last one, by their multiplier"};
}

Advice level(const Evidence& e, const FamilyEvidence& f, const LeveledCost& cost, bool many_runs) {
  const double runs = f.runs.mean().value_or(0);
  const double reads = reads_per_write(e).value_or(0);
  Advice out;
  out.column_family = f.name;
  out.title = "level compaction instead of universal";
  out.evidence = {
      fact("sorted_runs", runs, "a read may have to ask " + text::amount(runs) + " sorted runs"),
      reads_fact(e, reads)};
  if (const Value space = f.space_ratio.mean()) {
    out.evidence.push_back(
        fact("space_ratio", *space, text::amount(*space) + " times the live data is on disk"));
  }
  add_share(e, f, out);
  out.effect = many_runs ? fewer_runs(runs, cost) : less_space(f);
  const bool filtered = e.filter_useful.total().value_or(0) > 0;
  out.confidence = filtered || reads_shared(e) ? Confidence::kLow : Confidence::kMedium;
  out.confidence_reason = filtered
                              ? "a filter spares point reads most of these runs already: scans and "
                                "space gain, other reads little"
                              : "the runs are counted, and no filter spares reads any";
  if (reads_shared(e)) out.confidence_reason += std::string("; ") + kReadsShared;
  const Value now = e.writes_per_flushed_byte();
  out.risk = "writes: by fan-out arithmetic a flushed byte is then written " + range_of(cost) +
             " times" + (now ? " (now " + text::amount(*now) + ")" : "");
  out.steps = {{"compaction_style", "kCompactionStyleLevel"},
               {"level0_file_num_compaction_trigger", text::number(kLevelTrigger, 0)}};
  out.how = "run a full compaction into the last level before the open with the other style";
  out.source =
      "source 003 (level reads best); RocksDB's default trigger; the thresholds are this "
      "project's";
  return out;
}

// A sample tells level compaction from others only. FIFO keeps all in level 0.
bool is_universal(const Evidence& e, const FamilyEvidence& f) {
  if (const auto style = e.option(f.name, "compaction_style")) {
    return *style == "kCompactionStyleUniversal";
  }
  const auto& levels = f.last.levels;
  return levels.size() > 1 &&
         std::any_of(levels.begin() + 1, levels.end(),
                     [](const LevelReading& level) { return level.bytes > 0; });
}

void judge_universal(const Evidence& e, const FamilyEvidence& f, Findings& findings) {
  if (e.option(f.name, "compaction_style") == "kCompactionStyleFIFO") {
    return findings.content(f.name, "it is FIFO, which drops data on purpose");
  }
  const Value reads = reads_per_write(e);
  const Value runs = f.runs.mean();
  const Value file = flush_file_bytes(e, f);
  const Value data = f.data_bytes.mean();
  if (!reads || !runs || !data) {
    return findings.not_judged(f.name, "reads, writes or levels are not in the trace");
  }
  if (!file || !(*file > 0) || *data < kLeastFiles * *file) {
    return findings.content(f.name, "there is too little data for the style to matter");
  }
  const auto base = static_cast<double>(f.last.max_bytes_for_level_base_bytes.value_or(256u << 20));
  const auto multiplier = static_cast<double>(f.last.max_bytes_for_level_multiplier.value_or(10));
  const LeveledCost cost =
      leveled_cost({*file, *data, std::max(base, 1.0), std::max(multiplier, 2.0), kLevelTrigger});
  const bool many = *runs >= kManyRuns && cost.levels + kLevelTrigger < *runs;
  const bool costs = many || f.space_ratio.mean().value_or(1) >= kMuchSpace;
  if (costs && *reads < kReadMostly && reads_shared(e)) {
    return findings.not_judged(
        f.name, std::string("whether it suits what is read is not known: ") + kReadsShared);
  }
  if (*reads < kReadMostly || !costs) {
    return findings.content(f.name, "it suits what is read and written here");
  }
  if (!is_universal(e, f)) {
    return findings.not_judged(f.name,
                               "all data is in level 0 and the style is not level: universal, or "
                               "FIFO, which drops data on purpose; --options tells");
  }
  findings.advise(level(e, f, cost, many));
}

}  // namespace

void judge_compaction_style(const Evidence& evidence, Findings& findings) {
  for_each_family(evidence, findings, [&](const FamilyEvidence& family) {
    if (!family.last.leveled_compaction) {
      findings.not_judged(family.name, "the trace does not tell the compaction style");
    } else if (evidence.blob_files(family)) {
      findings.not_judged(family.name, kBlobFiles);
    } else if (family.leveled()) {
      judge_leveled(evidence, family, findings);
    } else {
      judge_universal(evidence, family, findings);
    }
  });
}

}  // namespace rocktune::advice
