#include "tools/simulate_text.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tools/validate_text.h"

using namespace rocktune;
using namespace rocktune::tools;

namespace {

sim::LoopFigures loop_figures(double operations, double p99) {
  sim::LoopFigures figures;
  figures.seconds = 100;
  figures.operations = operations;
  figures.reads_p99_seconds = p99;
  figures.movements["max_background_jobs"] = 3;
  return figures;
}

Simulation two_policies(std::vector<double> fast, std::vector<double> slow) {
  Simulation run;
  run.name = "monday";
  run.policies = {{"static", {}}, {"headroom", {}}};
  for (const double p99 : slow) run.policies[0].by_seed.push_back(loop_figures(100000, p99));
  for (const double p99 : fast) run.policies[1].by_seed.push_back(loop_figures(120000, p99));
  return run;
}

std::string all_lines(const std::vector<std::string>& lines) {
  std::string out;
  for (const std::string& line : lines) out += line + "\n";
  return out;
}

bool has_part(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a simulation says how far its order can be trusted", "[simulate]") {
  const std::string stable =
      all_lines(simulation_lines(two_policies({0.001, 0.002, 0.003}, {0.010, 0.020, 0.030})));
  CHECK(has_part(stable, "the order is stable"));
  CHECK(has_part(stable, "2.0 ms (1.0 ms to 3.0 ms)"));
  CHECK(has_part(stable, "no device: nothing waits for one"));
  CHECK(has_part(stable, "since the run was recorded without a profile and did not show its"));
  CHECK(has_part(stable, kSimulationClaims));
  const std::string mixed =
      all_lines(simulation_lines(two_policies({0.001, 0.040, 0.003}, {0.010, 0.020, 0.001})));
  CHECK(has_part(mixed, "the order is NOT stable"));
}

TEST_CASE("a seed in which nobody read has no part in the P99", "[simulate]") {
  const std::string text =
      all_lines(simulation_lines(two_policies({0.001, 0.002, 0}, {0.010, 0.010, 0.010})));
  CHECK(has_part(text, "1.5 ms (1.0 ms to 2.0 ms)"));
}

TEST_CASE("the JSON has every seed", "[simulate]") {
  const trace::Json json = simulation_json(two_policies({0.001, 0.002}, {0.010, 0.020}));
  CHECK(json["schema"] == "rocktune-simulate/1");
  CHECK(json["rung"] == "closed_loop");
  CHECK(json["ranked_by"] == "read_p99");
  const trace::Json& tuned = json["policies"][1];
  CHECK(tuned["policy"] == "headroom");
  CHECK(tuned["figures"]["read_p99_seconds"]["seeds"] == trace::Json({0.001, 0.002}));
  CHECK(tuned["figures"]["operations_per_second"]["median"] == 1200);
  CHECK(tuned["movements"]["max_background_jobs"] == 3);
  CHECK(tuned["best_ratio"] == 1);
}

TEST_CASE("a simulation of a scenario says that nothing was calibrated, and what is assumed",
          "[simulate]") {
  Simulation run = two_policies({0.001, 0.002}, {0.010, 0.020});
  run.scenario = ScenarioNotes{"nvme-p41", "8.9", {"bytes_per_sync"}};
  const std::string text = all_lines(simulation_lines(run));
  CHECK(has_part(text, "NOT CALIBRATED on any run"));
  CHECK(has_part(text, "within a factor of 4.055"));
  CHECK(has_part(text, "Left out, since it is not simulated: bytes_per_sync"));
  CHECK(has_part(text, kScenarioClaims));
  CHECK_FALSE(has_part(text, "Calibrated on the run"));

  const trace::Json json = simulation_json(run);
  CHECK(json["calibrated_on"].is_null());
  CHECK(json["claims"] == kScenarioClaims);
  CHECK(json["not_simulated"] == trace::Json({"bytes_per_sync"}));
  CHECK(json["assumed"][0]["parameter"] == "flush_bytes_per_second");
  CHECK(json["assumed"][0]["value"] == 150e6);
  CHECK(json["assumed"][0]["factor"].get<double>() == Approx(std::exp(1.4)));

  run.scenario.reset();
  CHECK(simulation_json(run)["calibrated_on"] == "run");
  CHECK(simulation_json(run)["assumed"].size() == 5);
  run.input.seen = {true, true, true, true, true};
  CHECK(simulation_json(run)["assumed"].empty());
}

TEST_CASE("what a run did not show is said to be assumed", "[simulate]") {
  Simulation run = two_policies({0.001, 0.002}, {0.010, 0.020});
  run.input.seen.l0_speed = true;
  const std::string text = all_lines(simulation_lines(run));
  CHECK(has_part(text, "Calibrated on the run: 57.2 MiB/s a thread out of level 0; no device"));
  CHECK(has_part(text, "ASSUMED, since the run did not show it"));
  CHECK(has_part(text, "within a factor of 4.055"));
  CHECK_FALSE(has_part(text, "a thread reads out of level 0"));
  run.input.seen = {true, true, true, true, true};
  CHECK_FALSE(has_part(all_lines(simulation_lines(run)), "ASSUMED"));
}

TEST_CASE("a simulation says what its figures do not show", "[simulate]") {
  Simulation run = two_policies({0, 0}, {0, 0});
  run.input.demand.known_ratio = 0.02;
  for (auto& policy : run.policies) policy.by_seed.front().seconds = 10;
  const std::string text = all_lines(simulation_lines(run));
  CHECK(has_part(text, "ranked by throughput since there is no read_p99"));
  CHECK(
      has_part(text, "is known for less than 50% of the time: figures and order rest on a guess"));
  CHECK(has_part(text, "Fewer than 20 seeds"));
  CHECK(has_part(text, "were simulated: too little for an order"));
  CHECK(has_part(text, "Changes by headroom, medians: max_background_jobs 3"));
  CHECK_FALSE(has_part(text, kRunP99Error));
  CHECK(simulation_json(run)["policies"][0]["figures"]["read_p99_seconds"]["median"].is_null());
  run.input.host.device = sim::DeviceLaws();
  CHECK(has_part(all_lines(simulation_lines(run)), kRunP99Error));
  run.policies.pop_back();
  CHECK(has_part(all_lines(simulation_lines(run)), "one policy alone is not ranked"));
}

TEST_CASE("a validation counts all runs, and those that stall by themselves", "[simulate]") {
  ValidatedRun calm{"calm", {}}, stalls{"stalls", {}}, missed{"missed", {}};
  calm.result.recorded = {100, 1000, 500, 0};
  calm.result.simulated = {{100, 1000, 550, 0}};
  stalls.result.recorded = {100, 1000, 500, 20};
  stalls.result.simulated = {{100, 1100, 500, 25}};
  missed.result.recorded = {100, 1000, 500, 1};
  missed.result.simulated = {{100, 1030, 500, 0}};
  const std::vector<ValidatedRun> runs = {calm, stalls, missed};
  const std::string text = all_lines(validation_lines(runs));
  CHECK(has_part(text, "stall or none right in 2 of 3 runs"));
  CHECK(has_part(text, "0% WRONG"));
  CHECK(has_part(text, "all runs (3): writes off by 3.0% (median), 10.0% at most"));
  CHECK(has_part(text, "runs that stall (2): writes off by 6.5% (median), 10.0% at most"));
  const trace::Json json = validation_json(runs);
  CHECK(json["schema"] == "rocktune-validate/1");
  CHECK(json["stall_right"] == 2);
  CHECK(json["stalling"]["runs"] == 2);
  CHECK(json["runs"][1]["errors"]["stalled_ratio_off"].get<double>() == Approx(0.05));
  // Of no run there is no error, and not one of nothing.
  CHECK(has_part(all_lines(validation_lines({calm})), "runs that stall (0): -"));
  CHECK(validation_json({calm})["stalling"]["ingest_error_median"].is_null());
}
