#include "bench/experiment/experiment.h"

#include "bench/experiment/schedule.h"
#include "tests/support/catch.h"

using rocktune::bench::experiment::builtin_experiments;
using rocktune::bench::experiment::disk_bytes_needed;
using rocktune::bench::experiment::load_experiment;
using rocktune::bench::experiment::parse_experiment;
using rocktune::bench::experiment::PartKind;
using rocktune::bench::experiment::Rule;
using rocktune::bench::experiment::schedule;
using rocktune::bench::experiment::SizeName;

namespace {

constexpr const char* kSmall = R"(
name: small
title: a small one
source: source 000
repeat: 3
parts:
  - name: one
    device: nvme-p41
    set: {max_background_jobs: 4}
    configuration: {block_cache: 16MiB}
    workload:
      value_size: 984
      phases: [{name: run, seconds: 5, proportions: {read: 1}}]
    scaled: {scale: 16, records: 1000, threads: 2, seconds: 3, says: [less of all]}
    full: {records: 5000, threads: 8, seconds: 60}
    metrics: [throughput, read_mean@run]
    reference: a
    cases:
      - {name: a}
      - {name: b, configuration: Mild-Pressure, device: none, set: {bytes_per_sync: 1MB}, set_full: {max_open_files: 100},
         workload: {value_size: 100}}
    document: {throughput: {b: 0.45}}
    rules:
      - {says: b is slower, metric: throughput, case: b, at_most: 0.6, times: a}
      - {says: a before b, metric: throughput, order: [a, b]}
      - {says: alike, metric: read_mean@run, case: b, within: 0.05, of: a}
)";

}  // namespace

TEST_CASE("an experiment is read as written", "[bench][experiment]") {
  const auto experiment = parse_experiment(kSmall, "small.yaml");
  REQUIRE(experiment);
  CHECK(experiment->repeat == 3);
  REQUIRE(experiment->parts.size() == 1);
  const auto& part = experiment->parts[0];
  CHECK(part.kind == PartKind::kRocksdb);
  CHECK(part.size(SizeName::kScaled).scale == 16);
  CHECK(part.size(SizeName::kScaled).says == std::vector<std::string>{"less of all"});
  CHECK(part.size(SizeName::kFull).records == 5000);
  REQUIRE(part.cases.size() == 2);
  CHECK(part.cases[0].configuration.empty());
  CHECK(part.cases[0].configuration_yaml.find("16MiB") != std::string::npos);
  CHECK(part.cases[0].device == "nvme-p41");
  CHECK(part.cases[1].configuration == "Mild-Pressure");
  CHECK(part.cases[1].device == "none");
  CHECK(part.cases[1].options.at("max_background_jobs") == "4");
  CHECK(part.cases[1].options.at("bytes_per_sync") == "1MB");
  CHECK(part.cases[1].options_full.at("max_open_files") == "100");
  // A case's keys stand in the place of the part's; the others stay.
  CHECK(part.cases[1].workload_yaml.find("value_size: 100\n") != std::string::npos);
  CHECK(part.cases[1].workload_yaml.find("phases") != std::string::npos);
  CHECK(part.document.at("throughput").at("b") == 0.45);
  REQUIRE(part.rules.size() == 3);
  CHECK(part.rules[0].kind == Rule::Kind::kAtMost);
  CHECK(part.rules[0].other == "a");
  CHECK(part.rules[1].order == std::vector<std::string>{"a", "b"});
  CHECK(part.rules[2].kind == Rule::Kind::kWithin);
}

TEST_CASE("every mistake of an experiment is reported at once", "[bench][experiment]") {
  const auto experiment = parse_experiment(R"(name: wrong
title: t
parts:
  - name: one
    colour: blue
    configuration: {block_cash: 1MiB}
    workload: {phases: [{name: run, seconds: 5, proportions: {read: 1.5}}]}
    scaled: {scale: 16, records: 10, seconds: 3}
    full: {records: 10, threads: 8, seconds: 60}
    metrics: [speed]
    reference: z
    cases:
      - {name: a}
      - {name: a}
    rules:
      - {says: nothing, metric: throughput, case: q, at_least: 1, at_most: 2}
)",
                                           "w.yaml");
  REQUIRE_FALSE(experiment);
  const std::string& message = experiment.error().message;
  for (const char* expected :
       {"source: is required", "parts[0].colour: is not known here", "block_cash", "proportions",
        "parts[0].scaled.threads: is required", "'speed' is not known", "reference: 'z' is no case",
        "'a' is the name of two cases", "'q' is no case",
        "give one of at_least, at_most, within or order", "w.yaml:"}) {
    INFO(expected);
    INFO(message);
    CHECK(message.find(expected) != std::string::npos);
  }
}

TEST_CASE("cases and parts have directories of their own", "[bench][experiment]") {
  const auto with_cases = [](const std::string& first, const std::string& second) {
    std::string text = kSmall;
    text.replace(
        text.find("{name: a}"), 9,
        "{name: a}\n      - {name: \"" + first + "\"}\n      - {name: \"" + second + "\"}");
    return parse_experiment(text, "s.yaml");
  };
  CHECK(with_cases("L/L", "L/U"));
  const auto same = with_cases("L/L", "L L");
  REQUIRE_FALSE(same);
  CHECK(same.error().message.find("'L L' has the directory of another case, L_L") !=
        std::string::npos);
  const auto above = with_cases("..", "c");
  REQUIRE_FALSE(above);
  CHECK(above.error().message.find("'..' names a directory") != std::string::npos);
}

TEST_CASE("every built-in experiment can be run", "[bench][experiment]") {
  std::vector<std::string> names;
  for (const auto& builtin : builtin_experiments()) {
    names.emplace_back(builtin.name);
    const auto experiment = load_experiment(names.back());
    INFO(names.back() << ": " << (experiment ? "" : experiment.error().message));
    REQUIRE(experiment);
    CHECK(experiment->name == names.back());
    for (const auto& part : experiment->parts) {
      INFO(part.name);
      // What was scaled is said, and every finding has a rule.
      CHECK_FALSE(part.scaled.says.empty());
      CHECK_FALSE(part.rules.empty());
      CHECK_FALSE(part.differences.empty());
    }
  }
  CHECK(names.size() == 5);
}

TEST_CASE("every case runs once in every round, in an order that the seed decides",
          "[bench][experiment]") {
  const auto runs = schedule(4, 5, 7);
  REQUIRE(runs.size() == 20);
  bool shuffled = false;
  for (std::size_t round = 0; round < 5; ++round) {
    std::vector<int> seen(4);
    for (std::size_t i = 0; i < 4; ++i) {
      const auto& run = runs[round * 4 + i];
      CHECK(run.round == static_cast<std::int64_t>(round) + 1);
      ++seen[run.case_index];
      shuffled = shuffled || run.case_index != i;
    }
    CHECK(seen == std::vector<int>{1, 1, 1, 1});
  }
  CHECK(shuffled);
  // More rounds go on where fewer ended.
  const auto fewer = schedule(4, 2, 7);
  CHECK(std::equal(fewer.begin(), fewer.end(), runs.begin()));
  CHECK(schedule(4, 5, 8) != runs);
}

TEST_CASE("the disk that a part needs grows with its records and cases", "[bench][experiment]") {
  const auto experiment = parse_experiment(kSmall, "small.yaml");
  REQUIRE(experiment);
  const auto& part = experiment->parts[0];
  // Loaded: 1.2 times 1000 records of 1000 and of 116 bytes; the copy: twice the larger.
  CHECK(disk_bytes_needed(part, SizeName::kScaled) ==
        Approx(1.2 * 1000 * (1000 + 116) + 2 * 1000 * 1000));
  CHECK(disk_bytes_needed(part, SizeName::kFull) ==
        Approx(5 * disk_bytes_needed(part, SizeName::kScaled)));
}
