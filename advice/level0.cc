// level0_triggers and subcompactions: what happens while a compaction out of level 0 runs. No other
// can begin meanwhile, so that level 0 grows by all that is flushed.
#include <algorithm>
#include <cmath>

#include "advice/family_writes.h"
#include "advice/findings.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kAlwaysFull = 0.5;  // slowed for this share: no trigger helps, writes are too many
constexpr double kMargin = 1.5;      // over the mean: compactions differ
constexpr double kMostFiles = 100;   // beyond it reads would pay more than writes gain
constexpr double kLeastGap = 4;      // files between slowing and stopping
constexpr double kDefaultGap = 16;   // RocksDB's own: 20 and 36
constexpr double kHighTrigger = 10, kManyFiles = 8, kReadsForFewFiles = 4, kDefaultTrigger = 4;
constexpr double kLongCompaction = 5;  // seconds
constexpr double kMostlyBusy = 0.5;
constexpr double kManyCpus = 4, kSplitBusyCpus = 0.6;
constexpr double kMostSubcompactions = 4;

struct Triggers {
  double compaction = 0, slowdown = 0, stop = 0;
};

std::optional<Triggers> triggers_of(const FamilyEvidence& f) {
  const ColumnFamilyReading& o = f.last;
  if (!o.level0_compaction_trigger || !o.level0_slowdown_trigger || !o.level0_stop_trigger) {
    return std::nullopt;
  }
  return Triggers{static_cast<double>(*o.level0_compaction_trigger),
                  static_cast<double>(*o.level0_slowdown_trigger),
                  static_cast<double>(*o.level0_stop_trigger)};
}

std::string files(double count) {
  return text::number(count, 0);
}

Fact slowed_fact(double share) {
  return fact("level0_slowed_ratio", share,
              "level 0 was at its slowdown trigger " + text::percent(share) + " of the time");
}

Step trigger_step(const char* option, double value) {
  return {option, files(value), false};
}

Advice more_room(const FamilyEvidence& f, const Triggers& t, double per_second, double seconds,
                 double wanted) {
  const double share = *f.l0_slowed.share();
  Advice out;
  out.column_family = f.name;
  out.title = "room in level 0 for one compaction";
  out.evidence = {
      slowed_fact(share),
      fact("level0_compaction_seconds", seconds,
           "a compaction out of level 0 took " + text::amount(seconds) + " s in the mean"),
      fact("flushes_per_second", per_second,
           "meanwhile " + text::amount(per_second * seconds) +
               " files come, and from the trigger (" + files(t.compaction) + ") to the slowdown (" +
               files(t.slowdown) + ") is room for " + files(t.slowdown - t.compaction))};
  out.effect = {"share of the time at the slowdown trigger",
                Unit::kRatio,
                share,
                0,
                share,
                "level 0 then takes what comes in " + text::amount(kMargin) +
                    " mean compactions; nothing is gained where longer ones slowed writes"};
  out.confidence = Confidence::kMedium;
  out.confidence_reason = "flushes and compactions were counted; their lengths vary";
  out.risk = "a read may have to ask up to " + files(wanted - t.slowdown) +
             " files more while level 0 is full";
  const double stop = std::max(t.stop, wanted + kDefaultGap);
  out.steps = {trigger_step("level0_slowdown_writes_trigger", wanted),
               trigger_step("level0_stop_writes_trigger", stop)};
  out.how = "or shorter compactions: see level1_size and subcompactions";
  out.source = "arithmetic on the recorded flushes and compactions";
  return out;
}

void judge_room(const Evidence& e, const FamilyEvidence& f, const Triggers& t, Findings& findings) {
  const double share = *f.l0_slowed.share();
  const Value seconds = f.l0_compaction_seconds();
  const Value per_second = f.flushes.per_second();
  if (!seconds || !per_second) {
    return findings.not_judged(f.name, "the trace does not tell how long compactions took");
  }
  if (share >= kAlwaysFull) {
    return findings.content(f.name,
                            "level 0 is full for half of the time and more: higher triggers would "
                            "only put it off");
  }
  const double wanted = t.compaction + std::ceil(kMargin * *seconds * *per_second);
  if (wanted <= t.slowdown) {
    return findings.content(f.name, "there is room in level 0 for a mean compaction");
  }
  if (wanted > kMostFiles || smaller_base(e, f)) {
    return findings.content(f.name,
                            "compactions out of level 0 are too long for any trigger: see "
                            "level1_size and subcompactions");
  }
  findings.advise(more_room(f, t, *per_second, *seconds, wanted));
}

Advice wider_gap(const FamilyEvidence& f, const Triggers& t, double per_second) {
  const double gap = t.stop - t.slowdown;
  Advice out;
  out.column_family = f.name;
  out.title = "a slowdown before the stop";
  out.evidence = {
      slowed_fact(*f.l0_slowed.share()),
      fact("stop_gap_files", gap,
           "writes are slowed at " + files(t.slowdown) + " files and stopped at " + files(t.stop))};
  out.effect = {"seconds from the first delay to the stop, at the recorded rate of flushes",
                Unit::kSeconds,
                gap / per_second,
                kDefaultGap / per_second,
                kDefaultGap / per_second,
                text::amount(per_second) + " files a second come; slowed writers bring fewer"};
  out.confidence = Confidence::kMedium;
  out.confidence_reason = "the triggers are known; how far a delay slows the writers is not";
  out.risk = "a read may have to ask up to " + files(kDefaultGap - gap) + " files more";
  out.steps = {trigger_step("level0_stop_writes_trigger", t.slowdown + kDefaultGap)};
  out.source = "RocksDB's defaults, 20 and 36";
  return out;
}

Advice lower_trigger(const Evidence& e, const FamilyEvidence& f, const Triggers& t, double reads) {
  const double deeper = std::max(0.0, *f.runs.mean() - *f.l0_files.mean());
  Advice out;
  out.column_family = f.name;
  out.title = "fewer files in level 0 for reads";
  out.evidence = {
      fact("level0_files", *f.l0_files.mean(),
           text::amount(*f.l0_files.mean()) + " files in level 0 in the mean, with a trigger of " +
               files(t.compaction)),
      reads_fact(e, reads)};
  out.effect = {"sorted runs that a read may have to ask",
                Unit::kCount,
                f.runs.mean(),
                deeper,
                deeper + kDefaultTrigger,
                "level 0 between empty and the new trigger, and the levels below as they are"};
  const bool filtered = e.filter_useful.total().value_or(0) > 0;
  out.confidence = filtered || reads_shared(e) ? Confidence::kLow : Confidence::kMedium;
  out.confidence_reason = filtered ? "filters spare point reads most of these files: scans gain"
                                   : "the runs are counted, and no filter spares reads any";
  if (reads_shared(e)) out.confidence_reason += std::string("; ") + kReadsShared;
  out.risk = "level 0 is compacted more often, with more written for each flushed byte";
  out.steps = {trigger_step("level0_file_num_compaction_trigger", kDefaultTrigger)};
  out.source =
      "RocksDB's default; reads that pay for a full level 0 are this project's finding "
      "(docs/control.md)";
  return out;
}

void judge_triggers(const Evidence& e, const FamilyEvidence& f, Findings& findings) {
  const auto t = triggers_of(f);
  const Value share = f.l0_slowed.share();
  if (!t || !share) {
    return findings.not_judged(f.name, "the triggers or the levels are not in the trace");
  }
  const Value reads = reads_per_write(e);
  if (t->compaction >= kHighTrigger && reads && *reads >= kReadsForFewFiles && f.runs.mean() &&
      *f.l0_files.mean() >= kManyFiles) {
    return findings.advise(lower_trigger(e, f, *t, *reads));
  }
  if (*share < kLittleTrouble) {
    return findings.content(f.name, "level 0 hardly ever slows writes");
  }
  const double per_second = f.flushes.per_second().value_or(0);
  if (t->stop - t->slowdown < kLeastGap && per_second > 0) {
    return findings.advise(wider_gap(f, *t, per_second));
  }
  judge_room(e, f, *t, findings);
}

Advice split_compactions(const Evidence& e, const FamilyEvidence& f, double seconds) {
  const double wanted = std::clamp(std::floor(e.cpus.value_or(2 * kMostSubcompactions) / 2), 2.0,
                                   kMostSubcompactions);
  Advice out;
  out.column_family = f.name;
  out.title = "compactions out of level 0 in parallel pieces";
  out.evidence = {slowed_fact(*f.l0_slowed.share()),
                  fact("level0_busy_when_slowed_ratio", *f.l0_busy_when_slowed.share(),
                       "a compaction out of level 0 ran in " +
                           text::percent(*f.l0_busy_when_slowed.share()) + " of that time"),
                  fact("level0_compaction_seconds", seconds,
                       "one took " + text::amount(seconds) + " s in the mean")};
  if (e.cpus) {
    out.evidence.push_back(fact("cpus", *e.cpus,
                                text::amount(*e.cpus) + " CPUs, " +
                                    text::percent(e.cpu_busy.mean().value_or(0)) + " busy"));
  }
  out.effect = {"seconds of a compaction out of level 0",
                Unit::kSeconds,
                seconds,
                seconds / wanted,
                seconds,
                "between an even split into " + text::number(wanted, 0) +
                    " and none: ranges are cut at file borders, and the device may be the limit"};
  out.confidence = e.cpus ? Confidence::kMedium : Confidence::kLow;
  out.confidence_reason = e.cpus ? "CPUs are free, and level 0 waits for one thread"
                                 : "the trace has no CPUs: only where at least " +
                                       text::number(kManyCpus, 0) + " are there, and free";
  out.risk = "these threads come on top of max_background_jobs: CPU and device are used in bursts";
  out.steps = {{"max_subcompactions", text::number(wanted, 0), false}};
  out.source = "RocksDB's options.h; the thresholds are this project's";
  return out;
}

void judge_pieces(const Evidence& e, const FamilyEvidence& f, Findings& findings) {
  const Value share = f.l0_slowed.share();
  if (!share) return findings.not_judged(f.name, "the levels are not in the trace");
  if (*share < kLittleTrouble) {
    return findings.content(f.name, "level 0 hardly ever slows writes");
  }
  const Value seconds = f.l0_compaction_seconds();
  if (!seconds || !f.l0_busy_when_slowed.share()) {
    return findings.not_judged(f.name, "the trace does not tell how long compactions took");
  }
  const bool few_cpus =
      e.cpus && (*e.cpus < kManyCpus || e.cpu_busy.mean().value_or(1) > kSplitBusyCpus);
  if (*seconds < kLongCompaction || *f.l0_busy_when_slowed.share() < kMostlyBusy || few_cpus) {
    return findings.content(
        f.name, "compactions out of level 0 are short, or not what it waits for, or CPUs are few");
  }
  findings.advise(split_compactions(e, f, *seconds));
}

}  // namespace

void judge_level0_triggers(const Evidence& evidence, Findings& findings) {
  for_each_family(evidence, findings, [&](const FamilyEvidence& family) {
    if (!family.leveled()) return findings.content(family.name, "it is not leveled");
    judge_triggers(evidence, family, findings);
  });
}

void judge_subcompactions(const Evidence& evidence, Findings& findings) {
  const Value now = evidence.knob("max_subcompactions");
  if (!now)
    return findings.not_judged(
        "", "max_subcompactions is not in the trace: --options with the OPTIONS file brings it");
  if (*now > 1) return findings.content("", "compactions are split already");
  for_each_family(evidence, findings, [&](const FamilyEvidence& family) {
    if (!family.leveled()) return findings.content(family.name, "it is not leveled");
    judge_pieces(evidence, family, findings);
  });
}

}  // namespace rocktune::advice
