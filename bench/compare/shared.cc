#include "bench/compare/shared.h"

#include <filesystem>
#include <string>

#include "bench/config/builtin.h"
#include "bench/report/run.h"
#include "bench/run/result.h"
#include "bench/trial/digest.h"
#include "bench/trial/subject.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

// A digest says whether it is the same build; a version would not.
Result<json> programs_json() {
  json programs = {{"rocksdb", rocksdb_version()}};
  for (const char* name : {"rocktune-bench", "rocktuned"}) {
    const auto sum = digest_of_file(program_path(name));
    if (!sum) return tl::unexpected(sum.error());
    programs[name] = *sum;
  }
  return programs;
}

json machine_json() {
  const report::Machine machine = report::this_machine();
  json out = json::object();
  if (machine.cpu_model) out["cpu_model"] = *machine.cpu_model;
  if (machine.cpus) out["cpus"] = *machine.cpus;
  if (machine.kernel) out["kernel"] = *machine.kernel;
  return out;
}

}  // namespace

Result<json> shared_by_runs(const CompareSettings& settings, const Scenario& scenario) {
  const auto text = builtin_or_file(BuiltinKind::kScenario, settings.scenario);
  if (!text) return tl::unexpected(text.error());
  auto programs = programs_json();
  if (!programs) return tl::unexpected(programs.error());
  return json{{"schema", "rocktune-compare-directory/1"},
              {"scenario", scenario.name},
              {"scenario_digest", digest(text->content)},
              {"full", settings.full},
              {"seconds", settings.seconds > 0 ? json(settings.seconds) : json(nullptr)},
              {"seed", settings.seed},
              {"programs", std::move(*programs)},
              {"machine", machine_json()}};
}

}  // namespace rocktune::bench
