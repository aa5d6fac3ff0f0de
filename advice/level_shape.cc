// level1_size and dynamic_levels: the sizes that leveled compaction gives its levels.
#include <algorithm>
#include <cmath>

#include "advice/family_writes.h"
#include "advice/findings.h"
#include "advice/tree_shapes.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kAgrees = 2;             // measured and on paper, within this factor
constexpr double kBusyDevice = 0.8;       // of the time; below it and without stalls nobody waits
constexpr double kManyReads = 1;          // for each write: they pay for what writes gain
constexpr double kMuchUpper = 0.25;       // upper levels over the last one
constexpr double kLittleOverhead = 0.15;  // over live data: what dynamic levels would leave anyway
constexpr double kLeastSaved = 1 << 30;   // bytes; less is no reason for another layout

std::string range(const LeveledCost& cost) {
  return text::amount(cost.least_writes_per_flushed_byte) + " to " +
         text::amount(cost.most_writes_per_flushed_byte);
}

bool agrees_with(const Value& measured, const LeveledCost& cost) {
  return measured && *measured * kAgrees >= cost.least_writes_per_flushed_byte &&
         *measured <= kAgrees * cost.most_writes_per_flushed_byte;
}

struct Trust {
  Confidence confidence;
  std::string reason;
};

// How far the plan may be trusted: what was measured, and what reads pay for another level.
Trust trust(const Evidence& e, const Value& measured, const BasePlan& plan) {
  const Value reads = reads_per_write(e);
  const bool filtered = e.filter_useful.total().value_or(0) > 0;
  if (!reads) return {Confidence::kLow, "what reads pay is not in the trace"};
  if (*reads > kManyReads && !filtered) {
    return {Confidence::kLow, "reads are more than writes, and no filter spares them a level"};
  }
  if (*reads > kManyReads && reads_shared(e)) {
    return {Confidence::kLow, std::string("reads are more than writes, and ") + kReadsShared};
  }
  if (!agrees_with(measured, plan.before)) {
    return {Confidence::kMedium,
            "the arithmetic is not what was measured: the tree was not at rest, or keys come in "
            "order"};
  }
  return {Confidence::kHigh, "what was measured agrees with the arithmetic"};
}

std::string levels_text(const BasePlan& plan) {
  return text::number(plan.before.levels, 0) + " levels below level 0 now, " +
         text::number(plan.after.levels, 0) + " then";
}

Advice shrink_base(const Evidence& e, const FamilyEvidence& f, const BasePlan& plan) {
  const LeveledCost& before = plan.before;
  const LeveledCost& after = plan.after;
  const double over = *base_over_level0(e, f);
  const FamilyWrites writes = family_writes(e, f);
  Advice out;
  out.column_family = f.name;
  out.title = "a base level in proportion to level 0";
  out.evidence = {fact("base_over_level0", over,
                       "the level below level 0 holds " +
                           text::bytes(f.base_bytes.mean().value_or(0)) + ", " +
                           text::amount(over) + " times what a compaction of level 0 brings")};
  if (const Value read = ratio(f.l0_compactions_input_bytes.total(),
                               e.families.size() == 1 ? e.flushed.total() : std::nullopt)) {
    out.evidence.push_back(fact(
        "level0_read_per_flushed_byte", *read,
        "compactions out of level 0 read " + text::amount(*read) + " bytes for each flushed byte"));
  }
  if (const Value trouble = family_trouble(e, f)) out.evidence.push_back(trouble_fact(*trouble));
  if (const Value busy = e.device_busy.mean()) {
    out.evidence.push_back(fact("device_busy_ratio", *busy,
                                "the device was busy " + text::percent(*busy) + " of the time"));
  }
  out.evidence.push_back(fact("more_levels", after.levels - before.levels,
                              "sorted runs that a read may have to ask: " + levels_text(plan)));
  if (const Value reads = reads_per_write(e)) out.evidence.push_back(reads_fact(e, *reads));
  out.effect = {"times that a flushed byte is written",
                Unit::kTimes,
                writes.per_flushed_byte,
                after.least_writes_per_flushed_byte,
                after.most_writes_per_flushed_byte,
                "fan-out arithmetic of the tree with the smaller level, " +
                    text::amount(after.levels) +
                    " levels deep; for the present one the same "
                    "arithmetic gives " +
                    range(before)};
  const Trust trusted = trust(e, writes.per_flushed_byte, plan);
  out.confidence = trusted.confidence;
  out.confidence_reason = trusted.reason;
  out.risk = std::string(
                 after.levels > before.levels
                     ? "a read asks another sorted run for each level more, where no filter spares "
                       "it; "
                     : "") +
             "RocksDB works off what is over the new targets at once: lower it in steps, at a "
             "quiet time; the debt jumps";
  out.steps = {{"max_bytes_for_level_base", text::number(plan.wanted_bytes, 0), false}};
  out.how = "or a write_buffer_size larger by the same factor, where there is memory";
  out.source =
      "fan-out arithmetic; RocksDB's defaults make the two equal; docs/experiments.md, "
      "level-shape: a base of 1 GB wrote 1.4 times what one of 256 MB did";
  return out;
}

// For what compactions write; as far as write stalls and the device are in the trace.
void nobody_waits(const FamilyEvidence& f, bool stalls_read, bool device_read, bool by_others,
                  Findings& findings) {
  if (stalls_read && device_read) {
    return findings.content(
        f.name, by_others ? kNotByCompactions : "nobody waits for what compactions write");
  }
  findings.not_judged(f.name, stalls_read
                                  ? "writers do not wait for compactions, and the device is "
                                    "not in the trace"
                                  : "the device is not busy, and write stalls are not in "
                                    "the trace");
}

void judge_base(const Evidence& e, const FamilyEvidence& f, Findings& findings) {
  const auto few = few_flushes(e, f);
  if (!few) return findings.not_judged(f.name, "the trace does not tell flushes");
  if (*few) return findings.content(f.name, "hardly anything is written");
  if (!f.last.level0_compaction_trigger || !flush_file_bytes(e, f) || !f.data_bytes.mean()) {
    return findings.not_judged(
        f.name, "level 0's trigger, its files' size or the levels are not in the trace");
  }
  if (!base_over_level0(e, f)) return findings.content(f.name, "nothing is below level 0");
  const Value trouble = family_trouble(e, f);
  const Value busy = e.device_busy.mean();
  if (!trouble && !busy) {
    return findings.not_judged(f.name, "write stalls and the device are not in the trace");
  }
  const bool held_up = trouble.value_or(0) >= kLittleTrouble;
  const bool by_others = held_up && not_by_compactions(f, kLittleTrouble);
  if ((!held_up || by_others) && busy.value_or(0) < kBusyDevice) {
    return nobody_waits(f, trouble.has_value(), busy.has_value(), by_others, findings);
  }
  const auto plan = smaller_base(e, f);
  if (!plan) return findings.content(f.name, plan.error());
  findings.advise(shrink_base(e, f, *plan));
}

struct LevelSums {
  double upper = 0, last = 0;
  int deep = 0;  // levels in use below L0
};

LevelSums sums_of(const FamilyEvidence& f) {
  LevelSums out;
  for (std::size_t i = 0; i < f.last.levels.size(); ++i) {
    const auto bytes = static_cast<double>(f.last.levels[i].bytes);
    if (bytes <= 0) continue;
    out.upper += out.last;
    out.last = bytes;
    if (i > 0) ++out.deep;
  }
  return out;
}

Advice dynamic(const Evidence& e, const FamilyEvidence& f, const LevelSums& sums, double saved) {
  const Value space = f.space_ratio.mean();
  const double bound = 1 + sums.upper / sums.last;
  const double multiplier =
      std::max(static_cast<double>(f.last.max_bytes_for_level_multiplier.value_or(10)), 2.0);
  const auto automatic = version_at_least(e, 8, 2);
  Advice out;
  out.column_family = f.name;
  out.title = "dynamic level sizes";
  out.evidence = {fact("upper_bytes", sums.upper,
                       "the levels above the last hold " + text::bytes(sums.upper) +
                           ", the last one " + text::bytes(sums.last))};
  if (space) {
    out.evidence.push_back(
        fact("space_ratio", *space, text::amount(*space) + " times the live data is on disk"));
  }
  out.evidence.push_back(
      fact("saved_bytes", saved, "up to " + text::bytes(saved) + " could be gone"));
  out.effect = {"bytes on disk / live data",
                Unit::kTimes,
                space ? space : Value(bound),
                1,
                std::min(1 + 1 / (multiplier - 1), space.value_or(bound)),
                "levels that fit the last one add 1/" + text::amount(multiplier) + " + 1/" +
                    text::amount(multiplier * multiplier) + " + ... of it" +
                    (space ? ""
                           : "; now: at most, if all that is above the last level overwrites "
                             "what is in it")};
  out.confidence = space ? Confidence::kHigh : Confidence::kLow;
  out.confidence_reason = space ? "live data was measured, and the bound is RocksDB's design"
                                : "the trace does not tell how much of the data is live";
  out.risk = automatic.value_or(false)
                 ? "the files are moved down once at the open; compactions follow for a while"
                 : "before RocksDB 8.2 the change needs a full compaction of the database first";
  out.steps = {{"level_compaction_dynamic_level_bytes", "true"}};
  out.source =
      "RocksDB's wiki, Leveled Compaction (the default since 8.4; migration by itself "
      "since 8.2, pull requests 11321 and 11340)";
  return out;
}

void judge_dynamic(const Evidence& e, const FamilyEvidence& f, Findings& findings) {
  if (*f.last.dynamic_level_bytes == 1) return findings.content(f.name, "they are dynamic");
  const LevelSums sums = sums_of(f);
  if (f.last.levels.empty()) return findings.not_judged(f.name, "the trace has no levels");
  if (sums.deep < 2 || sums.last <= 0) {
    return findings.content(f.name, "fewer than two levels below level 0 are in use");
  }
  if (compactions_behind(f)) {
    return findings.content(f.name, "compactions are behind, so that its levels show nothing");
  }
  const Value space = f.space_ratio.mean();
  if (!space && sums.upper > sums.last) {
    return findings.not_judged(f.name,
                               "live data is not in the trace, and the last level has just begun");
  }
  const double overhead = space ? *space - 1 : sums.upper / sums.last;
  const double saved = std::max(0.0, overhead - kLittleOverhead) *
                       (space ? *f.data_bytes.mean() / *space : sums.last);
  if (sums.upper / sums.last < kMuchUpper || overhead < kMuchUpper || saved < kLeastSaved) {
    return findings.content(f.name, "little space is lost to levels out of proportion");
  }
  findings.advise(dynamic(e, f, sums, saved));
}

}  // namespace

void judge_level1_size(const Evidence& evidence, Findings& findings) {
  for_each_family(evidence, findings, [&](const FamilyEvidence& family) {
    if (!family.leveled()) return findings.content(family.name, "it is not leveled");
    if (evidence.blob_files(family)) return findings.not_judged(family.name, kBlobFiles);
    judge_base(evidence, family, findings);
  });
}

void judge_dynamic_levels(const Evidence& evidence, Findings& findings) {
  for_each_family(evidence, findings, [&](const FamilyEvidence& family) {
    if (!family.leveled()) return findings.content(family.name, "it is not leveled");
    if (!family.last.dynamic_level_bytes) {
      return findings.not_judged(family.name, "the trace does not tell whether they are dynamic");
    }
    judge_dynamic(evidence, family, findings);
  });
}

}  // namespace rocktune::advice
