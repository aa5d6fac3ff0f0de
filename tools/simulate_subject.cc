#include "tools/simulate_subject.h"

#include "scenario/engine.h"
#include "scenario/simulate/scenario_input.h"
#include "tools/text.h"

namespace rocktune::tools {

Result<std::vector<SimulateSubject>> scenario_subjects(const ScenarioSource& source,
                                                       const std::vector<PolicyChoice>& policies) {
  const auto scenario = scenario::load_scenario(source.name_or_path, source.full);
  if (!scenario) return tl::unexpected(scenario.error());
  sim::HostLaws machine;
  machine.cpus = static_cast<double>(source.cpus);
  const auto memory = static_cast<double>(source.memory_bytes);
  machine.memory = sim::MemoryLaws{memory, memory};  // all of it is the databases'
  auto inputs = scenario::scenario_inputs(*scenario, machine, source.rocksdb_version);
  if (!inputs) return tl::unexpected(inputs.error().within("scenario " + scenario->name));
  const std::string scale = scenario->scale == 1 ? "" : " at scale " + number_text(scenario->scale);
  std::vector<SimulateSubject> subjects;
  for (std::size_t i = 0; i < inputs->size(); ++i) {
    const scenario::ScenarioDatabase& database = scenario->databases[i];
    SimulateSubject subject;
    subject.target = database.name;
    subject.result.name =
        scenario->name + (inputs->size() > 1 ? "/" + database.name : std::string());
    subject.result.input = std::move((*inputs)[i]);
    subject.result.scenario = ScenarioNotes{scenario->device + scale, source.rocksdb_version,
                                            scenario::not_simulated(*scenario, database)};
    subjects.push_back(std::move(subject));
  }
  for (const PolicyChoice& policy : policies) {
    const auto engines = scenario::engine_configs(policy.name, *scenario, source.cpus);
    if (!engines) return tl::unexpected(engines.error());
    for (std::size_t i = 0; i < subjects.size(); ++i) {
      subjects[i].engines.push_back(engine_of((*engines)[i], policy));
      subjects[i].result.first = (*engines)[i].objective.first;
    }
  }
  return subjects;
}

}  // namespace rocktune::tools
