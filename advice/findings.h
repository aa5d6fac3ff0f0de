// Findings: where a rule puts what it found, and what rules share. Internal to advice/.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "advice/advice.h"
#include "advice/evidence.h"

namespace rocktune::advice {

class Findings {
 public:
  Findings(std::string_view rule, Report& report) : rule_(rule), report_(report) {}

  void advise(Advice advice);
  // `family`: empty for the whole database. The same words for several column families are one
  // remark.
  void content(const std::string& family, std::string why);
  void not_judged(const std::string& family, std::string why);
  [[nodiscard]] bool any() const { return any_; }

 private:
  void remark(std::vector<Remark>& to, const std::string& family, std::string why);

  std::string rule_;
  Report& report_;
  bool any_ = false;
};

// Calls `use` for each column family; without any there is nothing to judge.
void for_each_family(const Evidence& evidence, Findings& findings,
                     const std::function<void(const FamilyEvidence&)>& use);

// At least this version of RocksDB; absent when the version was not told.
std::optional<bool> version_at_least(const Evidence& evidence, int major, int minor);

Fact fact(std::string name, double value, std::string text);
// What is judged is what stood, which is not always what the program asks for: `own`, "4 MiB/s".
std::string as_raised(const std::string& text, const std::string& own);
// "writes were held up 12% of the time".
Fact trouble_fact(double share);

// What a change that takes memory has at risk: whose the free memory is.
std::string free_memory_text(const Evidence& evidence);

// Writers that are held up for less of the time than this have no trouble worth a change.
inline constexpr double kLittleTrouble = 0.01;
// Of read latencies with compactions, and as many without, to compare the two.
inline constexpr double kLeastSecondsEach = 30;
inline constexpr double kMiB = 1 << 20;

// The rules, in the order of the table.
void judge_auto_compactions(const Evidence&, Findings&);
void judge_compaction_style(const Evidence&, Findings&);
void judge_level1_size(const Evidence&, Findings&);
void judge_dynamic_levels(const Evidence&, Findings&);
void judge_level0_triggers(const Evidence&, Findings&);
void judge_memtables(const Evidence&, Findings&);
void judge_small_memtables(const Evidence&, Findings&);
void judge_background_jobs(const Evidence&, Findings&);
void judge_subcompactions(const Evidence&, Findings&);
void judge_delayed_rate(const Evidence&, Findings&);
void judge_limiter(const Evidence&, Findings&);
void judge_statistics(const Evidence&, Findings&);
void judge_cache_size(const Evidence&, Findings&);
void judge_bloom_filter(const Evidence&, Findings&);
void judge_partitioned_filters(const Evidence&, Findings&);
void judge_wal_sync(const Evidence&, Findings&);
void judge_wal_flush(const Evidence&, Findings&);
void judge_wal_compression(const Evidence&, Findings&);
void judge_direct_io(const Evidence&, Findings&);
void judge_tuned(const Evidence&, Findings&);

}  // namespace rocktune::advice
