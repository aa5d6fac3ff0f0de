// Reads one part of an experiment's YAML file; mistakes go to `problems`. Used by parse.cc.
#pragma once

#include <yaml-cpp/yaml.h>

#include <string>

#include "bench/experiment/experiment.h"
#include "scenario/located_yaml.h"

namespace rocktune::bench::experiment {

Part read_part(const YAML::Node& node, const std::string& prefix, scenario::Problems& problems);

// The rules of a part whose cases and metrics are read.
void read_rules(scenario::MapReader& map, const std::string& prefix, scenario::Problems& problems,
                Part& part);

bool has_case(const Part& part, const std::string& name);
std::string case_names(const Part& part);

// A list of plain texts; false when the key is absent or is no such list.
bool read_texts(scenario::MapReader& map, const std::string& key, std::vector<std::string>& out);

}  // namespace rocktune::bench::experiment
