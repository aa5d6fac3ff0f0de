#include "bench/trial/load_key.h"

#include <nlohmann/json.hpp>

#include "bench/run/load.h"
#include "scenario/scenario.h"

namespace rocktune::bench {
namespace {

using nlohmann::json;

json shape_of(const scenario::FamilyConfiguration& c) {
  return {scenario::compaction_style_name(c.compaction_style),
          scenario::memtable_name(c.memtable),
          c.write_buffer_bytes,
          c.max_write_buffer_number,
          c.target_file_bytes,
          c.target_file_multiplier,
          c.max_bytes_for_level_base,
          c.max_bytes_for_level_multiplier,
          c.level0_compaction_trigger,
          c.level0_slowdown_trigger,
          c.level0_stop_trigger,
          c.soft_pending_limit_bytes,
          c.hard_pending_limit_bytes,
          c.rocksdb_options};
}

json load_json(const scenario::ScenarioDatabase& database) {
  const scenario::HostConfiguration& c = database.configuration;
  const Loaded loaded = bench::load_of(database.workload);
  json families = json::object();
  for (const auto& [name, own] : c.families) families[name] = shape_of(own);
  return {{"name", database.name},
          {"records", loaded.records},
          {"value_size", loaded.value_size},
          {"families", loaded.families},
          {"order", loaded.order},
          {"backlog", loaded.backlog},
          // Who writes what: the threads take turns at chunks of records.
          {"threads", database.workload.threads},
          {"seed", database.workload.seed},
          {"files", {c.block_size_bytes, c.bloom_bits_per_key, c.partitioned_filters}},
          {"levels", shape_of(c)},
          {"levels_of_families", std::move(families)},
          {"max_subcompactions", c.max_subcompactions}};
}

Result<scenario::Scenario> scenario_of_subject(const TrialSubject& subject) {
  if (subject.scenario.empty()) {
    return scenario::scenario_of(subject.workload, subject.configuration, subject.scale);
  }
  auto scenario = scenario::load_scenario(subject.scenario, subject.full);
  if (!scenario || subject.configuration.empty()) return scenario;
  return scenario::with_configuration(std::move(*scenario), subject.configuration);
}

}  // namespace

Result<std::string> load_key(const TrialSubject& subject) {
  auto scenario = scenario_of_subject(subject);
  if (!scenario) return tl::unexpected(scenario.error());
  json key = json::array();
  for (scenario::ScenarioDatabase& database : scenario->databases) {
    if (subject.records > 0) database.workload.records = subject.records;
    if (subject.threads > 0) database.workload.threads = subject.threads;
    for (const std::string& option : subject.load_options) {
      if (auto set = database.configuration.set(option); !set) return tl::unexpected(set.error());
    }
    key.push_back(load_json(database));
  }
  return key.dump();
}

}  // namespace rocktune::bench
