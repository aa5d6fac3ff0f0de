// What random workloads come to in all, beside static: the figures of docs/no-harm.md, for the
// seeds that ROCKTUNE_SEEDS names. Not among the tests that have to pass: nothing is asked of sums.
//   ROCKTUNE_SEEDS=1-260 sim_test "[sums]"             one database each
//   ROCKTUNE_SEEDS=1-300 sim_test "[sums-of-pairs]"    two on one device
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/words.h"
#include "page/table.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/harm_pair.h"
#include "tests/unit/sim/random_case.h"

namespace rocktune::sim {
namespace {

struct SeedRange {
  std::uint64_t from = 1, to = 50;
  bool operator==(const SeedRange&) const = default;
};
constexpr std::uint64_t kLastSeed = 1'000'000;  // several days

// "1-300" or "7"; nullopt: neither.
std::optional<SeedRange> parse_seeds(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto from = parse_unsigned(text.substr(0, dash));
  const auto to = dash == std::string_view::npos ? from : parse_unsigned(text.substr(dash + 1));
  if (!from || !to || *from < 1 || *from > *to || *to > kLastSeed) return std::nullopt;
  return SeedRange{*from, *to};
}

SeedRange seeds_asked_for() {
  const char* const text = std::getenv("ROCKTUNE_SEEDS");
  if (text == nullptr) return {};
  const std::optional<SeedRange> seeds = parse_seeds(text);
  if (!seeds) {
    FAIL("ROCKTUNE_SEEDS='" << text << "' is no range of seeds from 1 to " << kLastSeed
                            << "; write for example 1-300");
  }
  return *seeds;
}

// Of first pairs.
struct HarmSums {
  std::vector<double> throughput_ratios, read_p99_ratios;  // the latter of those that read
  Came still, tuned;                                       // no P99s
  std::array<std::size_t, kHarmMeasures> behind{};
  std::size_t unexcused = 0;
};

void add_to(Came& sum, const Came& one) {
  sum.operations += one.operations;
  sum.lost_seconds += one.lost_seconds;
  sum.above_slo_seconds += one.above_slo_seconds;
}

void add_to(HarmSums& sums, const HarmPair& pair) {
  sums.throughput_ratios.push_back(pair.throughput_ratio);
  if (pair.read_p99_ratio > 0) sums.read_p99_ratios.push_back(pair.read_p99_ratio);
  add_to(sums.still, pair.still);
  add_to(sums.tuned, pair.tuned);
  for (std::size_t measure = 0; measure < kHarmMeasures; ++measure) {
    sums.behind.at(measure) += pair.behind.at(measure) > 1 ? 1 : 0;
  }
  sums.unexcused += pair.is_unexcused() ? 1 : 0;
}

// "269 (322)": headroom's and static's.
std::string with_static(double tuned, double still, int digits) {
  return page::number_text(tuned, digits) + " (" + page::number_text(still, digits) + ")";
}

std::vector<std::string> sums_row(const std::string& name, const HarmSums& sums) {
  std::string behind;
  for (const HarmMeasure measure : {kThroughput, kTimeLost, kAboveSlo, kReadP99}) {
    behind += (behind.empty() ? "" : ", ") + std::to_string(sums.behind[measure]);
  }
  return {name + " (" + std::to_string(sums.throughput_ratios.size()) + ")",
          page::number_text(geometric_mean(sums.throughput_ratios), 2),
          page::number_text(geometric_mean(sums.read_p99_ratios), 2),
          with_static(sums.tuned.lost_seconds, sums.still.lost_seconds, 0),
          with_static(sums.tuned.above_slo_seconds, sums.still.above_slo_seconds, 0),
          behind,
          std::to_string(sums.unexcused)};
}

// "1.30 (1.05, 2.72)": of all, and of each of several.
std::string throughput_text(const HarmPair& pair) {
  std::string each;
  for (std::size_t i = 0; i < pair.still_each.size(); ++i) {
    const double ratio = pair.tuned_each[i].operations / pair.still_each[i].operations;
    each += (each.empty() ? "" : ", ") + page::number_text(ratio, 2);
  }
  const std::string all = page::number_text(pair.throughput_ratio, 2);
  return pair.still_each.size() > 1 ? all + " (" + each + ")" : all;
}

std::string p99_ms_text(double seconds) {
  const double ms = 1e3 * seconds;
  return page::number_text(ms, ms < 10 ? 1 : 0);
}

std::vector<std::string> seed_row(std::uint64_t seed, const HarmPair& pair) {
  return {std::to_string(seed), throughput_text(pair),
          with_static(pair.tuned.lost_seconds, pair.still.lost_seconds, 0),
          p99_ms_text(pair.tuned.read_p99_seconds) + " (" +
              p99_ms_text(pair.still.read_p99_seconds) + ")",
          with_static(pair.tuned.above_slo_seconds, pair.still.above_slo_seconds, 0)};
}

// All cases of these seeds; and their databases, each beside itself under static, by what their
// objectives put first.
class CaseSums {
 public:
  void add_case(std::uint64_t seed, std::size_t databases) {
    const HarmPair pair = run_pair(seed, 0, databases);
    seeds_.rows.push_back(seed_row(seed, pair));
    add_to(all_, pair);
    const RandomCase one = random_case(seed, 0, kCaseSeconds, databases);
    for (std::size_t i = 0; i < databases; ++i) {
      const Priority first = one.databases[i].config.objective.first;
      add_to(by_first_.at(static_cast<std::size_t>(first)),
             compare_runs({pair.still_each[i]}, {pair.tuned_each[i]}));
    }
  }

  [[nodiscard]] page::Table seeds() const { return seeds_; }
  [[nodiscard]] page::Table sums() const {
    page::Table table{"",
                      {{"", page::Align::kLeft},
                       {"operations"},
                       {"read P99"},
                       {"writers lose, s (static)"},
                       {"above the SLO, s (static)"},
                       {"behind by operations, time lost, SLO, read P99"},
                       {"unexcused"}},
                      {sums_row("all", all_)}};
    for (const Priority first : kPriorities) {
      const HarmSums& sums = by_first_.at(static_cast<std::size_t>(first));
      if (sums.throughput_ratios.empty()) continue;
      table.rows.push_back(sums_row(std::string(to_string(first)) + " first", sums));
    }
    return table;
  }

 private:
  page::Table seeds_{"",
                     {{"seed"},
                      {"operations over static's"},
                      {"writers lose, s (static)"},
                      {"read P99, ms (static)"},
                      {"above the SLO, s (static)"}},
                     {}};
  HarmSums all_;
  std::array<HarmSums, kPriorities.size()> by_first_;
};

void print_sums(std::size_t databases) {
  const SeedRange seeds = seeds_asked_for();
  CaseSums sums;
  for (std::uint64_t seed = seeds.from; seed <= seeds.to; ++seed) sums.add_case(seed, databases);
  const std::string text = page::markdown(sums.seeds()) + "\n" + page::markdown(sums.sums());
  std::puts(text.c_str());
}

}  // namespace

TEST_CASE("the seeds that are asked for") {
  CHECK(parse_seeds("1-300") == SeedRange{1, 300});
  CHECK(parse_seeds("7") == SeedRange{7, 7});
  for (const char* wrong : {"", "0", "0-3", "5-2", "1-", "-3", "1-2-3", "1 - 2", "a", "1-1000001",
                            "1-18446744073709551616"}) {
    CAPTURE(wrong);
    CHECK_FALSE(parse_seeds(wrong));
  }
}

TEST_CASE("sums over pairs of runs") {
  HarmSums sums;
  add_to(sums, compare_runs({{1e6, 100, 500, 0.01}}, {{4e6, 60, 400, 0.04}}));  // reads pay
  add_to(sums, compare_runs({{1e6, 10, 50, 0}}, {{1e6, 50, 40, 0}}));           // nobody reads
  CHECK(sums_row("all", sums) == std::vector<std::string>{"all (2)", "2.00", "4.00", "110 (110)",
                                                          "440 (550)", "0, 1, 0, 1", "1"});
  CHECK(seed_row(3, compare_runs({{1e6, 100, 500, 0.0015}, {1e6, 100, 500, 0}},
                                 {{1e6, 60, 400, 1.5}, {2e6, 60, 400, 0}})) ==
        std::vector<std::string>{"3", "1.50 (1.00, 2.00)", "120 (200)", "1,500 (1.5)",
                                 "800 (1,000)"});
}

TEST_CASE("sums over random workloads", "[.sums]") {
  print_sums(1);
}

TEST_CASE("sums over random pairs of databases", "[.sums-of-pairs]") {
  print_sums(2);
}

}  // namespace rocktune::sim
