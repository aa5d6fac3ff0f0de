#include "advice/rules.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>

#include "advice/findings.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr std::array<Rule, 20> kRules{{
    {"auto_compactions", "compactions that were turned off", judge_auto_compactions},
    {"compaction_style", "level or universal, for each column family", judge_compaction_style},
    {"level1_size", "max_bytes_for_level_base against what level 0 hands down", judge_level1_size},
    {"dynamic_levels", "level_compaction_dynamic_level_bytes", judge_dynamic_levels},
    {"level0_triggers", "the triggers of level 0 against its compactions", judge_level0_triggers},
    {"memtables", "how many memtables a burst may fill", judge_memtables},
    {"small_memtables", "memtables that are flushed all the time", judge_small_memtables},
    {"background_jobs", "max_background_jobs against CPUs and backlog", judge_background_jobs},
    {"subcompactions", "max_subcompactions where level 0 waits for one", judge_subcompactions},
    {"delayed_write_rate", "the cliff where a write delay begins", judge_delayed_rate},
    {"rate_limiter", "a limiter that is missing or too tight", judge_limiter},
    {"statistics", "a Statistics object and its level", judge_statistics},
    {"cache_size", "the block cache, beyond the operator's budget too", judge_cache_size},
    {"bloom_filter", "reads that ask every sorted run", judge_bloom_filter},
    {"partitioned_filters", "index and filter blocks against the cache", judge_partitioned_filters},
    {"wal_sync", "a sync of the WAL for every write", judge_wal_sync},
    {"manual_wal_flush", "a write call of the WAL for every small write", judge_wal_flush},
    {"wal_compression", "the WAL's share of what is written", judge_wal_compression},
    {"direct_io", "compactions beside reads in the page cache", judge_direct_io},
    {"tuned", "what rocktuned has settled on, for the next opening", judge_tuned},
}};

bool needs_open(const Advice& one) {
  return std::any_of(one.steps.begin(), one.steps.end(),
                     [](const Step& step) { return step.needs_open; });
}

// The surest first, and of these what needs no restart.
bool before(const Advice& a, const Advice& b) {
  if (a.confidence != b.confidence) return a.confidence > b.confidence;
  return !needs_open(a) && needs_open(b);
}

}  // namespace

std::span<const Rule> rules() {
  return kRules;
}

Report judge(const Evidence& evidence) {
  Report report;
  for (const Rule& rule : kRules) {
    Findings findings(rule.name, report);
    if (evidence.seconds < kLeastSeconds) {
      findings.not_judged("", "only " + text::duration(evidence.seconds) + " were recorded, and " +
                                  text::duration(kLeastSeconds) + " are the least");
    } else {
      rule.judge(evidence, findings);
    }
    assert(findings.any());
  }
  std::stable_sort(report.advice.begin(), report.advice.end(), before);
  return report;
}

void Findings::advise(Advice advice) {
  any_ = true;
  advice.rule = rule_;
  report_.advice.push_back(std::move(advice));
}

void Findings::remark(std::vector<Remark>& to, const std::string& family, std::string why) {
  any_ = true;
  const auto same = std::find_if(to.begin(), to.end(), [&](const Remark& one) {
    return one.rule == rule_ && one.why == why && one.column_families.empty() == family.empty();
  });
  if (same == to.end()) {
    Remark& added = to.emplace_back(Remark{rule_, {}, std::move(why)});
    if (!family.empty()) added.column_families.push_back(family);
  } else if (!family.empty()) {
    same->column_families.push_back(family);
  }
}

void Findings::content(const std::string& family, std::string why) {
  remark(report_.content, family, std::move(why));
}

void Findings::not_judged(const std::string& family, std::string why) {
  remark(report_.not_judged, family, std::move(why));
}

void for_each_family(const Evidence& evidence, Findings& findings,
                     const std::function<void(const FamilyEvidence&)>& use) {
  if (evidence.families.empty()) {
    findings.not_judged("", "the trace has no column family");
    return;
  }
  for (const auto& [name, family] : evidence.families) use(family);
}

std::optional<bool> version_at_least(const Evidence& evidence, int major, int minor) {
  const std::string& version = evidence.opening.rocksdb_version;
  std::array<int, 2> parts{};
  const char* at = version.data();
  const char* end = at + version.size();
  for (int& part : parts) {
    const auto read = std::from_chars(at, end, part);
    if (read.ec != std::errc()) return std::nullopt;
    at = read.ptr != end ? read.ptr + 1 : end;
  }
  return parts >= std::array<int, 2>{major, minor};
}

std::string as_raised(const std::string& text, const std::string& own) {
  return text + ", as rocktuned raised it: each opening begins with the program's own " + own +
         ", until it is raised again";
}

std::string free_memory_text(const Evidence& evidence) {
  if (!evidence.memory_available.mean()) return "";
  const std::uint64_t sharers = evidence.memory_sharers.value_or(1);
  if (sharers <= 1) {
    return "; the free memory is counted as this database's alone: what else is to grow on the "
           "host takes from it";
  }
  return "; the free memory is counted once: each of the host's " + std::to_string(sharers) +
         " databases has an equal part of it";
}

Fact fact(std::string name, double value, std::string text) {
  return {std::move(name), value, std::move(text)};
}

Fact trouble_fact(double share) {
  return fact("write_trouble_ratio", share,
              "writes were held up, or close to it, " + text::percent(share) + " of the time");
}

}  // namespace rocktune::advice
