#include "policy/policy.h"

namespace rocktune {
std::vector<std::string> policy_names() { return {"headroom", "static"}; }
}  // namespace rocktune
