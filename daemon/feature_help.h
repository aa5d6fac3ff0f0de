// What each feature is, in one sentence, for the HELP lines of /metrics. docs/metrics.md says the
// same of each metric.
#pragma once

#include <string_view>

namespace rocktune::daemon {

// `feature` as Features::visit_values() names it. Empty: there is no such feature.
std::string_view feature_help(std::string_view feature);

}  // namespace rocktune::daemon
