// The peers by name. Internal to policy/: use make_policy().
#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "policy/policy.h"

namespace rocktune::peers {

std::vector<std::string_view> names();
// Absent when no peer is called so; an error when a parameter is unknown or out of its range.
std::optional<Result<std::unique_ptr<Policy>>> make(std::string_view name,
                                                    const PolicyParams& params);

}  // namespace rocktune::peers
