#include "bench/compare/shared.h"

#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <utility>

#include "bench/report/run.h"
#include "bench/run/result.h"
#include "bench/trial/digest.h"
#include "bench/trial/subject.h"
#include "scenario/builtin.h"
#include "scenario/device/spec.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

// The libraries of the agent and of RocksDB that this process has mapped; none of what is linked
// statically, which the program's own digest covers.
std::set<std::string> mapped_libraries() {
  std::set<std::string> paths;
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);) {
    const auto path = line.find('/');
    if (path == std::string::npos) continue;
    if (line.find("/librocksdb") != std::string::npos ||
        line.find("/librocktune") != std::string::npos) {
      paths.insert(line.substr(path));
    }
  }
  return paths;
}

// In the order in which the scenario names them. A result rounds much of what such a text says, and
// lacks some.
std::vector<std::string> files_named(const scenario::Scenario& scenario) {
  std::vector<std::string> files = scenario.files;
  if (auto device = scenario::profile_named(scenario.device); scenario::is_file(device)) {
    files.push_back(std::move(device));
  }
  return files;
}

}  // namespace

Result<json> parsed_scenario_json(const scenario::Scenario& scenario) {
  RunResult nothing;
  nothing.scenario = scenario;
  for (const scenario::ScenarioDatabase& database : scenario.databases) {
    DatabaseResult result;
    for (const scenario::Phase& phase : database.workload.phases)
      result.phases.push_back({phase, {}, {}});
    nothing.databases.push_back(std::move(result));
  }
  const json document = result_json(nothing);
  json parsed = {{"scenario", document.at("scenario")},
                 {"objective", document.at("objective")},
                 {"databases", document.at("databases")}};
  for (json& database : parsed["databases"]) {
    for (const char* measured : {"path", "agent", "total"}) database.erase(measured);
    for (json& phase : database["phases"]) {
      for (const char* measured : {"total", "per_second"}) phase.erase(measured);
    }
  }
  const auto device = scenario::parse_device_spec(scenario.device, scenario.scale);
  if (!device) return tl::unexpected(device.error());
  const bool real = device->kind == scenario::DeviceKind::kReal;
  parsed["device"] = real ? json(nullptr) : json(scenario::format_device_profile(device->profile));
  if (device->kind == scenario::DeviceKind::kLoop) parsed["loop_device"] = true;
  for (const std::string& file : files_named(scenario)) {
    const auto sum = digest_of_file(file);
    if (!sum) return tl::unexpected(sum.error());
    parsed["files"].push_back(*sum);
  }
  // Numbers as they come back from a file.
  return json::parse(parsed.dump());
}

// A digest says whether it is the same build; a version would not.
Result<json> programs_json(const std::vector<std::string>& names) {
  json programs = {{"rocksdb", rocksdb_version()}};
  const auto assertions = report::this_machine().rocksdb_assertions;
  programs["rocksdb_assertions"] = assertions ? json(*assertions) : json(nullptr);
  for (const std::string& name : names) {
    const auto sum = digest_of_file(program_path(name));
    if (!sum) return tl::unexpected(sum.error());
    programs[name] = *sum;
  }
  for (const std::string& path : mapped_libraries()) {
    const auto sum = digest_of_file(path);
    if (!sum) return tl::unexpected(sum.error());
    programs[std::filesystem::path(path).filename().string()] = *sum;
  }
  return programs;
}

Result<void> check_programs(const std::vector<std::string>& names, const json& before) {
  const auto now = programs_json(names);  // an error too when a library in use was replaced
  if (now && *now == before) return {};
  return fail(ErrorCode::kConflict,
              "the programs were built anew while they ran: what is finished stays; go on with the "
              "build that it was made with, or take another --output");
}

json machine_json() {
  const report::Machine machine = report::this_machine();
  json out = json::object();
  if (machine.cpu_model) out["cpu_model"] = *machine.cpu_model;
  if (machine.cpus) out["cpus"] = *machine.cpus;
  if (machine.memory_bytes) out["memory_bytes"] = *machine.memory_bytes;
  if (machine.kernel) out["kernel"] = *machine.kernel;
  return out;
}

Result<json> shared_by_runs(const CompareSettings& settings, const scenario::Scenario& scenario) {
  const auto text = scenario::builtin_or_file(scenario::builtin_scenarios(), settings.scenario);
  if (!text) return tl::unexpected(text.error());
  auto programs = programs_json(kComparedPrograms);
  if (!programs) return tl::unexpected(programs.error());
  auto parsed = parsed_scenario_json(scenario);
  if (!parsed) return tl::unexpected(parsed.error());
  json shared = {{"schema", "rocktune-compare-directory/1"},
                 {"scenario", scenario.name},
                 {"scenario_digest", digest(text->content)},
                 {"scenario_parsed", std::move(*parsed)},
                 {"full", settings.full},
                 {"seconds", settings.seconds > 0 ? json(settings.seconds) : json(nullptr)},
                 {"seed", settings.seed},
                 {"programs", std::move(*programs)},
                 {"machine", machine_json()}};
  if (!settings.device.empty()) shared["device"] = settings.device;
  if (settings.traces) shared["traces"] = true;  // an observer beside it costs a little
  return shared;
}

}  // namespace rocktune::bench
