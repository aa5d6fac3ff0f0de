// auto_compactions: compactions that somebody turned off, for a load perhaps, and not on again.
// Then level 0 grows with each flush, nothing slows writers down, and reads pay.
#include <algorithm>
#include <utility>

#include "advice/family_writes.h"
#include "advice/findings.h"
#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kFewFiles = 8;     // as reads meet in level 0 where compactions run, too
constexpr double kFewReads = 1000;  // and of a load: a read for ten writes
constexpr double kReadsOfLoad = 0.1;
// Of level 0, by RocksDB's defaults; Options::PrepareForBulkLoad() sets all three to 2^30.
constexpr double kDefaultTrigger = 4, kDefaultSlowdown = 20, kDefaultStop = 36, kNoLimit = 1000;

// While they are off RocksDB heeds no limit of level 0, and a sample has none
// (model/family_options.h), though the options are there. Absent when nothing tells.
std::optional<bool> turned_off(const Evidence& e, const FamilyEvidence& f) {
  if (f.last.level0_slowdown_trigger) return false;
  const auto opened_with = e.option(f.name, "disable_auto_compactions");
  // Of one that is only read (not changeable) a sample has no limits, either.
  const KnobReading* knob = e.knobs.find(knob::kL0Slowdown, f.name);
  const bool off = (knob != nullptr && knob->changeable) ||
                   (opened_with && (*opened_with == "true" || *opened_with == "1"));
  return off ? std::optional(true) : std::nullopt;
}

Value option_of(const Evidence& e, const FamilyEvidence& f, std::string_view name) {
  const KnobReading* knob = e.knobs.find(name, f.name);
  return knob == nullptr ? std::nullopt : Value(static_cast<double>(knob->value));
}

double deeper_runs(const FamilyEvidence& f) {
  double runs = 0;
  for (std::size_t i = 1; i < f.last.levels.size(); ++i) runs += f.last.levels[i].files > 0 ? 1 : 0;
  return runs;
}

std::string risk_of(double files, double slowdown, double stop) {
  if (files >= stop) {
    return "with so many files in level 0 writes stop at once (level0_stop_writes_trigger is " +
           text::number(stop, 0) + "), until compactions have caught up";
  }
  if (files >= slowdown) {
    return "with so many files in level 0 writes are slowed at once "
           "(level0_slowdown_writes_trigger is " +
           text::number(slowdown, 0) + "), until compactions have caught up";
  }
  return "what waits is compacted at once, beside reads and writes";
}

Advice turn_on(const Evidence& e, const FamilyEvidence& f, double files) {
  const double deeper = deeper_runs(f);
  const Value trigger = option_of(e, f, knob::kL0Trigger);
  const bool none_begins = trigger && *trigger >= kNoLimit;
  const double begins = trigger && !none_begins ? *trigger : kDefaultTrigger;
  Advice out;
  out.column_family = f.name;
  out.title = "compactions that begin by themselves";
  out.evidence = {
      fact("level0_files", files,
           "compactions are turned off, and level 0 has " + text::number(files, 0) + " files")};
  if (const Value reads = reads_per_write(e)) out.evidence.push_back(reads_fact(e, *reads));
  out.effect = {"sorted runs that a read may have to ask",
                Unit::kCount,
                files + deeper,
                std::min(deeper + 1, files + deeper),
                std::min(deeper + begins, files + deeper),
                "level 0 up to its compaction trigger, once what waits is compacted"};
  out.confidence = !reads_per_write(e) ? Confidence::kLow
                   : reads_shared(e)   ? Confidence::kMedium
                                       : Confidence::kHigh;
  out.confidence_reason = "files are counted, and none of them goes before";
  if (!reads_per_write(e)) out.confidence_reason += "; reads are not counted";
  if (reads_shared(e)) out.confidence_reason += std::string("; ") + kReadsShared;
  for (const auto& [name, value] : {std::pair(knob::kL0Stop, kDefaultStop),
                                    {knob::kL0Slowdown, kDefaultSlowdown},
                                    {knob::kL0Trigger, kDefaultTrigger}}) {
    if (option_of(e, f, name).value_or(0) < kNoLimit) continue;
    out.steps.push_back({std::string(name), text::number(value, 0), false});
  }
  out.steps.push_back({"disable_auto_compactions", "false", false});
  const auto limit = [&](std::string_view name, double otherwise) {
    const Value now = option_of(e, f, name);
    return now && *now < kNoLimit ? *now : otherwise;
  };
  out.risk = risk_of(files, limit(knob::kL0Slowdown, kDefaultSlowdown),
                     limit(knob::kL0Stop, kDefaultStop));
  out.how = "CompactRange() before it, which works while they are off, spares writers the wait";
  out.source = "RocksDB's options.h and db/column_family.cc";
  return out;
}

void judge_family(const Evidence& e, const FamilyEvidence& f, Findings& findings) {
  const auto off = turned_off(e, f);
  if (!off) {
    return findings.not_judged(f.name,
                               "the trace does not tell whether compactions are turned off");
  }
  if (!*off) return findings.content(f.name, "compactions begin by themselves");
  if (f.last.levels.empty()) {
    return findings.not_judged(f.name, "the levels are not in the trace");
  }
  const auto files = static_cast<double>(f.last.levels.front().files);
  if (files < kFewFiles) {
    return findings.content(f.name, "compactions are turned off, and level 0 has few files");
  }
  if (e.reads.total().value_or(kFewReads) < kFewReads ||
      reads_per_write(e).value_or(1) < kReadsOfLoad) {
    return findings.content(f.name,
                            "compactions are turned off while little is read, as for a load: "
                            "reads after it pay, until they are on again");
  }
  findings.advise(turn_on(e, f, files));
}

}  // namespace

void judge_auto_compactions(const Evidence& evidence, Findings& findings) {
  for_each_family(evidence, findings,
                  [&](const FamilyEvidence& family) { judge_family(evidence, family, findings); });
}

}  // namespace rocktune::advice
