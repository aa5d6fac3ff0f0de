#include "advice/family_writes.h"

#include <algorithm>

#include "advice/counters.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kBaseTooLarge = 8;
constexpr double kSureGain = 0.8;  // the most after against the least before
constexpr double kLeastBase = 1 << 20;
constexpr double kSameBase = 1.25;  // the option over what is wanted
constexpr double kNotAtRest = 0.1;  // debt over data

LeveledShape shape_of(const FamilyEvidence& f, double file, double base) {
  return {file, f.data_bytes.mean().value_or(0), base,
          std::max(static_cast<double>(f.last.max_bytes_for_level_multiplier.value_or(10)), 2.0),
          std::max(static_cast<double>(f.last.level0_compaction_trigger.value_or(4)), 1.0)};
}

Value compaction_ms(const FamilyEvidence& family) {
  const Value l0 = family.l0_compactions_ms.total();
  const Value deep = family.deep_compactions_ms.total();
  return l0 && deep ? Value(*l0 + *deep) : std::nullopt;
}

Value flushed_by_memtables(const FamilyEvidence& family) {
  const Value count = family.flushes.total();
  const Value size = family.write_buffer_bytes();
  return count && size ? Value(*count * *size) : std::nullopt;
}

// One column family's share of a sum over all; absent when one of them does not tell.
template <class Measure>
Value share(const Evidence& evidence, const FamilyEvidence& family, Measure measure) {
  if (evidence.families.size() == 1) return 1.0;
  double all = 0;
  for (const auto& [name, one] : evidence.families) {
    const Value part = measure(one);
    if (!part) return std::nullopt;
    all += *part;
  }
  return ratio(measure(family), all);
}

}  // namespace

std::optional<bool> few_flushes(const Evidence& evidence, const FamilyEvidence& family) {
  if (const Value flushes = family.flushes.total()) return *flushes < kFewFlushes;
  if (evidence.families.size() > 1) return std::nullopt;
  const Value memtables = ratio(evidence.flushed.total(), family.write_buffer_bytes());
  return memtables ? std::optional(*memtables < kFewFlushes) : std::nullopt;
}

Value flush_share(const Evidence& evidence, const FamilyEvidence& family) {
  return share(evidence, family, flushed_by_memtables);
}

double full_memtables(const Evidence& e) {
  double all = 0;
  for (const auto& [name, one] : e.families) {
    all += one.write_buffer_bytes().value_or(0) *
           static_cast<double>(one.last.max_write_buffer_number.value_or(2));
  }
  return all;
}

Value flush_file_bytes(const Evidence& evidence, const FamilyEvidence& family) {
  if (evidence.families.size() == 1 && !evidence.blob_files(family)) {
    const Value mean = ratio(evidence.flushed.total(), family.flushes.total());
    if (mean && *mean > 0) return mean;
  }
  return family.l0_file_bytes.mean();
}

FamilyWrites family_writes(const Evidence& evidence, const FamilyEvidence& family) {
  const Value time = share(evidence, family, compaction_ms);
  const Value flushed = flush_share(evidence, family);
  const Value compacted = evidence.compaction_written.total();
  if (!time || !flushed || !compacted || !evidence.flushed.total()) return {};
  const Value more = ratio(*compacted * *time, *evidence.flushed.total() * *flushed);
  if (!more) return {};
  return {1 + *more, evidence.families.size() > 1};
}

Value base_over_level0(const Evidence& evidence, const FamilyEvidence& family) {
  const Value file = flush_file_bytes(evidence, family);
  if (!file || !family.last.level0_compaction_trigger) return std::nullopt;
  return ratio(family.base_bytes.mean(),
               *file * static_cast<double>(*family.last.level0_compaction_trigger));
}

bool compactions_behind(const FamilyEvidence& family) {
  return family.last_pending_bytes.value_or(0) > kNotAtRest * family.data_bytes.mean().value_or(0);
}

tl::expected<BasePlan, std::string> smaller_base(const Evidence& evidence,
                                                 const FamilyEvidence& family) {
  const auto keep = [](const char* why) { return tl::unexpected(std::string(why)); };
  const Value over = base_over_level0(evidence, family);
  if (!over || *over < kBaseTooLarge) return keep("the base level is in proportion to level 0");
  if (compactions_behind(family)) {
    return keep("compactions are behind, so that its levels show nothing");
  }
  const double file = *flush_file_bytes(evidence, family);
  const LeveledShape now = shape_of(family, file, *family.base_bytes.mean());
  BasePlan plan;
  plan.wanted_bytes = std::max(file * now.trigger, kLeastBase);
  const Value option = number(family.last.max_bytes_for_level_base_bytes);
  if (option && *option <= kSameBase * plan.wanted_bytes) {
    return keep("max_bytes_for_level_base is in proportion to level 0, and its level above it");
  }
  plan.before = leveled_cost(now);
  plan.after = leveled_cost(shape_of(family, file, plan.wanted_bytes));
  const bool gains = plan.after.most_writes_per_flushed_byte <=
                     kSureGain * plan.before.least_writes_per_flushed_byte;
  if (!gains) return keep("a base level in proportion to level 0 would not surely write less");
  const Value measured = family_writes(evidence, family).per_flushed_byte;
  if (measured && *measured <= plan.after.least_writes_per_flushed_byte) {
    return keep("no more is written than with a base level in proportion to level 0");
  }
  return plan;
}

Value family_trouble(const Evidence& evidence, const FamilyEvidence& family) {
  Value out;
  for (const Value& one :
       {ratio(evidence.stalled.total(), evidence.stalled.seconds()), evidence.delayed.share(),
        evidence.stopped.share(), family.l0_slowed.share(), family.debt_slowed.share()}) {
    if (one && (!out || *one > *out)) out = one;
  }
  return out;
}

bool not_by_compactions(const FamilyEvidence& family, double share) {
  const Value level0 = family.l0_slowed.share(), debt = family.debt_slowed.share();
  return level0 && debt && std::max(*level0, *debt) < share;
}

Value reads_per_write(const Evidence& evidence) {
  const Value reads = evidence.reads.total();
  const Value writes = evidence.writes.total();
  if (!reads || !writes) return std::nullopt;
  return ratio(*reads + evidence.seeks.total().value_or(0), std::max(*writes, 1.0));
}

bool reads_shared(const Evidence& evidence) {
  return evidence.families.size() > 1;
}

Fact reads_fact(const Evidence& evidence, double reads_per_write) {
  return fact("reads_per_write", reads_per_write,
              text::amount(reads_per_write) + " reads for each write" +
                  (reads_shared(evidence) ? " in the whole database" : ""));
}

}  // namespace rocktune::advice
