// Lays one YAML map over another: how a scenario's `full` changes it.
#pragma once

#include <yaml-cpp/yaml.h>

#include "scenario/located_yaml.h"

namespace rocktune::scenario {

// Maps are merged key by key, lists of maps with a `name` element by element; everything else is
// replaced. `base` is changed; its nodes keep their places in the file for messages. An element of
// `over` that base has no name for is a problem.
void overlay(YAML::Node base, const YAML::Node& over, Problems& problems);

}  // namespace rocktune::scenario
