// When a difference is called one.
#include "bench/report/summary.h"
#include "tests/support/catch.h"
#include "tests/unit/bench/comparison_builder.h"

using namespace rocktune::bench::report;
using namespace rocktune::bench::report::test;

TEST_CASE("verdicts on throughput", "[bench][report]") {
  CHECK(throughput_verdict({1000, 1001, 1002}, {2000, 2001, 2002}) == Verdict::kBetter);
  CHECK(throughput_verdict({1000, 1001, 1002}, {500, 501, 502}) == Verdict::kWorse);
  CHECK(throughput_verdict({1000, 1010, 990}, {1005, 995, 1002}) == Verdict::kSame);
  CHECK(throughput_verdict({3862.9, 3862.9, 3862.9}, {3863.1, 3863.1, 3863.1}) == Verdict::kSame);
  CHECK(throughput_verdict({3862, 3862, 3862}, {3870, 3870, 3870}) == Verdict::kBetter);
  CHECK(throughput_verdict({1000}, {2000}) == Verdict::kTooFew);
  const Summary alone = summarize(comparison_of("tuned", {1000, 1001}, {}));
  CHECK(alone.policies.at(0).figure("ops_per_second")->verdict == Verdict::kReference);
}

TEST_CASE("runs of one policy that differ by more than 5% are too noisy to call",
          "[bench][report]") {
  // However clear the ratio seems.
  CHECK(throughput_verdict({1000, 1120, 1060}, {2000, 2001, 2002}) == Verdict::kTooNoisy);
  CHECK(throughput_verdict({1000, 1001, 1002}, {2000, 2400, 2200}) == Verdict::kTooNoisy);
  CHECK(throughput_verdict({1000, 1040, 1030}, {2000, 2001, 2002}) == Verdict::kBetter);

  const Summary summary = summarize(comparison_of("tuned", {1000, 1120, 1060}, {2000, 2001, 2002}));
  CHECK_FALSE(summary.policies.at(0).agrees());
  CHECK(*summary.policies.at(0).throughput_spread == Approx(60.0 / 1030));  // of 1060 and 1000
  CHECK(comparison_markdown(summary).find("Runs of static under one seed differ by 5.8%") !=
        std::string::npos);
  CHECK(summary_json(summary)["policies"][0]["runs_agree"] == false);
}

TEST_CASE("the difference of runs is that of a typical pair, however many there are",
          "[bench][report]") {
  const auto spread = [](const std::vector<double>& runs) {
    return *summarize(comparison_of("tuned", runs, {})).policies.at(0).throughput_spread;
  };
  CHECK(spread({1000, 1040}) == Approx(40.0 / 1020));
  CHECK(spread({1000, 1040, 1000, 1040, 1000, 1040}) == Approx(40.0 / 1020));
  // Ten runs reach further apart than three, at the same noise.
  CHECK(spread({1000, 1010, 1020, 1030, 1040, 1050, 1060, 1070, 1080}) < 0.05);
  CHECK(spread({1000, 1001, 1002, 1003, 1400}) < 0.05);  // one of five, with whatever it met
  CHECK(spread({1000, 1200, 1001, 1201}) > 0.05);
}

TEST_CASE("runs under different seeds may differ", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000, 1200}, {});
  comparison.runs[1].result["databases"][0]["workload"]["seed"] = 43;
  CHECK_FALSE(summarize(comparison).policies.at(0).throughput_spread);
  CHECK(summarize(comparison).policies.at(0).agrees());
}

TEST_CASE("an interval that covers 1 and is wide is too noisy to call", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000, 1000, 1000}, {1000, 1000, 1000});
  const std::vector<double> latencies = {3000, 4000, 5000, 4800, 4100, 3100};
  for (std::size_t i = 0; i < latencies.size(); ++i) {
    comparison.runs[i].result["databases"][0]["total"]["operations"]["read"]["p99_us"] =
        latencies[i];
  }
  const Summary summary = summarize(comparison);
  CHECK(summary.policies.at(1).figure("read_p99_us")->verdict == Verdict::kTooNoisy);
}

TEST_CASE("lower latency is better, higher is worse", "[bench][report]") {
  Comparison comparison = comparison_of("tuned", {1000, 1000}, {1000, 1000});
  for (std::size_t i = 2; i < 4; ++i) comparison.runs[i].result = result_of(1000, 2000);
  CHECK(summarize(comparison).policies.at(1).figure("read_p99_us")->verdict == Verdict::kBetter);
  for (std::size_t i = 2; i < 4; ++i) comparison.runs[i].result = result_of(1000, 8000);
  CHECK(summarize(comparison).policies.at(1).figure("read_p99_us")->verdict == Verdict::kWorse);
}
