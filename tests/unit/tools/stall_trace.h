// A recorded run with one write stall that L0 announces.
#pragma once

#include <string>

#include "model/engine_config.h"
#include "tests/support/temp_directory.h"

namespace rocktune::tools::test {

// A trace of ten minutes, a sample every `step` s, with one stall that L0 announces `lead` s
// before; `hour` is its date. Returns its path.
std::string record_stall(const tests::TempDirectory& directory, const std::string& name, int hour,
                         int lead, int targets = 1, int step = 1, const EngineConfig& engine = {});

}  // namespace rocktune::tools::test
