#include "bench/simulate/compared.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "bench/compare/directory.h"
#include "bench/compare/policies.h"
#include "bench/compare/shared.h"
#include "bench/report/result_reader.h"
#include "bench/run/result.h"
#include "files/text_file.h"
#include "policy/policy_choice.h"
#include "scenario/builtin.h"
#include "scenario/device/spec.h"
#include "scenario/engine.h"
#include "scenario/simulate/host_laws.h"
#include "scenario/simulate/scenario_input.h"
#include "sim/calibrate/run.h"
#include "trace/reader.h"
#include "wire/json_text.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kMostSharedBytes = 16 << 20;
constexpr double kWholeRun = 1e9;  // seconds: no run is longer

Result<scenario::Scenario> scenario_that_ran(const std::string& directory, const json& shared) {
  const std::string name = report::text_at(shared, "/scenario");
  const auto is_it = [&name](const scenario::Builtin& one) { return one.name == name; };
  if (std::ranges::none_of(scenario::builtin_scenarios(), is_it)) {
    return fail(
        ErrorCode::kUnsupported,
        directory + ": " + name + " is a scenario of a file: built-in ones alone are known");
  }
  auto scenario = scenario::load_scenario(name, shared.value("full", false));
  if (!scenario) return tl::unexpected(scenario.error().within(directory));
  const std::string device = report::text_at(shared, "/device");
  if (!device.empty()) scenario->device = device;
  auto parsed = parsed_scenario_json(*scenario);
  if (!parsed) return tl::unexpected(parsed.error().within(directory));
  const auto ran = shared.find("scenario_parsed");
  if (ran == shared.end() || *parsed != *ran) {
    return fail(ErrorCode::kConflict, directory + ": its scenario " + name +
                                          " is no longer the one that ran; compare anew");
  }
  if (const auto seconds = shared.find("seconds");
      seconds != shared.end() && seconds->is_number()) {
    // One given with --device has times of its own.
    if (device.empty()) {
      auto stretched = scenario::stretched_device(scenario->device,
                                                  seconds->get<double>() / scenario->seconds());
      if (!stretched) return tl::unexpected(stretched.error().within(directory));
      scenario->device = *std::move(stretched);
    }
    scenario->stretch_to(seconds->get<double>());
  }
  return scenario;
}

std::string first_trace(const std::string& directory) {
  std::error_code error;
  std::vector<std::string> found;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".sqlite") found.push_back(entry->path().string());
  }
  return found.empty() ? "" : *std::min_element(found.begin(), found.end());
}

void find_traces(Compared& compared) {
  for (const FinishedRun& run : compared.runs) {
    const std::string& policy = run.run.policy;
    auto& known = compared.policies;
    if (std::find(known.begin(), known.end(), policy) == known.end()) known.push_back(policy);
    if (compared.traces.contains(policy)) continue;
    const std::string trace = first_trace(compared.directory + "/trials/" + policy + "-" +
                                          std::to_string(run.run.repeat) + "/trace");
    if (!trace.empty()) compared.traces[policy] = trace;
  }
}

// The one of the scenario's database: its directory has that name.
const trace::TargetSummary* target_of(const std::vector<trace::TargetSummary>& targets,
                                      const std::string& database) {
  for (const trace::TargetSummary& target : targets) {
    if (fs::path(target.info.path).filename() == database) return &target;
  }
  return nullptr;
}

Error no_target(const std::string& trace, const std::string& database) {
  return {ErrorCode::kNotFound, trace + ": has no database " + database};
}

Result<std::string> trace_of(const Compared& compared, const std::string& policy) {
  const auto found = compared.traces.find(policy);
  if (found != compared.traces.end()) return found->second;
  const std::string what = policy.empty() ? "any run: compare with --traces, or give "
                                            "--calibrate-on scenario"
                                          : "a run of " + policy;
  return fail(ErrorCode::kNotFound, compared.directory + ": has no trace of " + what);
}

// What the trace saw of misses, in the scenario's time: from when the first operation came.
void take_misses(const sim::DemandSeries& recorded, sim::DemandSeries& demand) {
  std::size_t i = 0;
  while (i < recorded.arrivals.size() && !(recorded.arrivals[i].per_second() > 0)) ++i;
  double until = 0, now = 0;
  for (std::size_t j = 0; j < demand.arrivals.size(); now += demand.seconds[j++]) {
    while (i + 1 < recorded.arrivals.size() && until + recorded.seconds[i] <= now) {
      until += recorded.seconds[i++];
    }
    if (i < recorded.arrivals.size()) demand.arrivals[j].misses = recorded.arrivals[i].misses;
  }
}

Result<sim::SimulationInput> calibrated_on(trace::Reader& reader,
                                           const trace::TargetSummary& target,
                                           const scenario::HostConfiguration& configuration,
                                           const sim::HostLaws& machine) {
  sim::RunCalibration calibration(kWholeRun);
  if (const auto bytes = configuration.compaction_readahead_bytes; bytes > 0) {
    calibration.know_readahead(static_cast<double>(bytes));
  }
  auto steps = reader.steps(target.info.id);
  if (!steps) return tl::unexpected(steps.error());
  while (true) {
    auto step = steps->next();
    if (!step) return tl::unexpected(step.error());
    if (!*step) break;
    calibration.add((*step)->sample);
  }
  const std::string version =
      target.incarnations.empty() ? "" : target.incarnations.back().rocksdb_version;
  return calibration.whole(version, machine);
}

// All memory is the databases': they are small beside it.
sim::HostLaws machine_of(const Compared& compared,
                         const std::optional<scenario::DeviceProfile>& device) {
  sim::HostLaws machine;
  machine.cpus = compared.cpus;
  if (const auto& memory = compared.memory_bytes) {
    machine.memory = sim::MemoryLaws{*memory, *memory};
  }
  if (!device) return machine;
  machine.device = scenario::device_laws(*device);
  machine.device_spread = 0;
  machine.device_changes = scenario::device_changes(*device);
  return machine;
}

// What the scenario's text tells is asked for.
void ask_as(const scenario::ScenarioDatabase& database, sim::SimulationInput& input) {
  sim::DemandSeries demand = scenario::demand_of(database.workload);
  take_misses(input.demand, demand);
  input.demand = std::move(demand);
}

}  // namespace

Result<Compared> read_compared(const std::string& directory) {
  const auto text = rocktune::read_text_file(directory + "/comparison.json", kMostSharedBytes);
  if (!text) return tl::unexpected(text.error());
  const json shared = wire::parse_json<json>(*text);
  if (report::text_at(shared, "/schema") != "rocktune-compare-directory/1") {
    return fail(ErrorCode::kInvalidArgument, directory + "/comparison.json: is no comparison's");
  }
  auto scenario = scenario_that_ran(directory, shared);
  if (!scenario) return tl::unexpected(scenario.error());
  auto runs = finished_runs(directory);
  if (!runs) return tl::unexpected(runs.error());
  std::erase_if(*runs, [](const FinishedRun& run) { return run.run.partial; });
  Compared compared{directory, *std::move(scenario), *std::move(runs), 1, {}, {}, {}};
  compared.cpus = report::number_at(shared, "/machine/cpus").value_or(1);
  compared.memory_bytes = report::number_at(shared, "/machine/memory_bytes");
  find_traces(compared);
  return compared;
}

Result<std::vector<EngineConfig>> engines_of(const Compared& compared, const std::string& policy) {
  if (policy == kBestStatic || is_static_at(policy)) {
    return fail(ErrorCode::kUnsupported, policy + " is not simulated");
  }
  // RocksDB's own limiter is the plant's (set_up); no daemon does anything.
  const auto choice = parse_policy_choice(policy == kNativeAutoTuned ? kStatic : policy);
  if (!choice) return tl::unexpected(choice.error());
  auto engines =
      scenario::engine_configs(choice->name, compared.scenario, std::llround(compared.cpus));
  if (!engines) return engines;
  for (EngineConfig& engine : *engines) engine = engine_of(engine, *choice);
  return engines;
}

Result<std::vector<sim::SimulationInput>> inputs_from(const Compared& compared,
                                                      const std::string& source) {
  if (source == kFromScenario) {
    return scenario::scenario_inputs(compared.scenario, machine_of(compared, std::nullopt),
                                     rocksdb_version());
  }
  const auto path = trace_of(compared, source);
  if (!path) return tl::unexpected(path.error());
  auto reader = trace::Reader::open(*path);
  if (!reader) return tl::unexpected(reader.error());
  const auto targets = reader->targets();
  if (!targets) return tl::unexpected(targets.error());
  const auto device =
      scenario::parse_device_spec(compared.scenario.device, compared.scenario.scale);
  if (!device) return tl::unexpected(device.error());
  const bool made_up = device->kind != scenario::DeviceKind::kReal;
  const auto profile = made_up ? std::optional(device->profile) : std::nullopt;
  std::vector<sim::SimulationInput> inputs;
  for (const scenario::ScenarioDatabase& database : compared.scenario.databases) {
    const trace::TargetSummary* target = target_of(*targets, database.name);
    if (target == nullptr) return tl::unexpected(no_target(*path, database.name));
    auto input =
        calibrated_on(*reader, *target, database.configuration, machine_of(compared, profile));
    if (!input) return tl::unexpected(input.error().within(*path));
    ask_as(database, *input);
    inputs.push_back(*std::move(input));
  }
  return inputs;
}

void set_up(const scenario::Scenario& scenario, const std::string& policy,
            std::vector<sim::SimulationInput>& inputs) {
  if (policy != kNativeAutoTuned) return;
  const auto rate = scenario::device_write_rate(scenario);
  for (sim::SimulationInput& input : inputs) {
    if (!rate) continue;
    input.options.rate_limit = static_cast<double>(*rate);
    input.options.limit_tunes_itself = input.options.limit_flushes = true;
    input.options.l0_weight = 0;
  }
}

}  // namespace rocktune::bench
