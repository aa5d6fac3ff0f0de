#include "daemon/config/policy_params.h"

#include <utility>

#include "files/units.h"
#include "policy/policy.h"

namespace rocktune::daemon {
namespace {

constexpr const char* kPolicyParams = "policy_params";

void read_param(const RawEntry& entry, Reading& reading, const std::string& key,
                PolicyParams& params) {
  const Result<double> number = entry.value.kind == RawNode::Kind::kScalar
                                    ? parse_number(entry.value.text)
                                    : fail(ErrorCode::kInvalidArgument, "expected a number");
  if (!number) {
    reading.problems.add(entry.value.mark, key, number.error().message);
  } else if (!params.emplace(entry.key, *number).second) {
    reading.problems.add(entry.mark, key, "duplicate key: remove one");
  }
  reading.settings.push_back(
      {key, entry.value.text, reading.raw.file + ":" + std::to_string(entry.value.mark.line)});
}

}  // namespace

void read_policy_params(Section& section, Reading& reading, const std::string& path,
                        const std::string& origin, EngineConfig& engine) {
  const std::string full = path + kPolicyParams;
  const RawNode* map = section.free_map(kPolicyParams);
  if (map == nullptr) {
    for (const auto& [name, value] : engine.policy_params) {
      std::string key = full;
      key.append(".").append(name);
      reading.settings.push_back({std::move(key), format_number(value), origin});
    }
    return;
  }
  engine.policy_params.clear();
  for (const RawEntry& entry : map->entries) {
    read_param(entry, reading, full + "." + entry.key, engine.policy_params);
  }
  // Checked with the name only if the name itself is right: it is reported already otherwise.
  if (!make_policy(engine.policy, {})) return;
  const auto policy = make_policy(engine.policy, engine.policy_params);
  if (!policy) reading.problems.add(map->mark, full, policy.error().message);
}

}  // namespace rocktune::daemon
