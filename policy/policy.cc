#include "policy/policy.h"

#include "policy/headroom.h"
#include "policy/params.h"
#include "policy/peers/peers.h"

namespace rocktune {
namespace {

// Never changes anything: what every other policy is compared with.
class Static : public Policy {
 public:
  [[nodiscard]] std::vector<Proposal> decide(const PolicyInput&) override { return {}; }
};

Result<std::unique_ptr<Policy>> make_static(const PolicyParams& params) {
  if (auto read = read_params("static", params, {}); !read) return tl::unexpected(read.error());
  return std::make_unique<Static>();
}

Result<std::unique_ptr<Policy>> make_headroom_from(const PolicyParams& params) {
  HeadroomParams values;
  std::vector<ParamSpec> specs{
      {"limiter_raise_factor", &values.limiter_raise_factor, 1.1, 2},
      {"limiter_lower_factor", &values.limiter_lower_factor, 0.5, 0.98},
      {"limiter_need_margin", &values.limiter_need_margin, 1.2, 10},
      {"jobs_return_seconds", &values.jobs_return_seconds, 30, 86400},
      {"cache_growth_factor", &values.cache_growth_factor, 1.05, 1.5},
      {"cache_knee_gain_ratio", &values.cache_knee_gain_ratio, 0, 0.5},
  };
  if (auto read = read_params("headroom", params, specs); !read) {
    return tl::unexpected(read.error());
  }
  return make_headroom(values);
}

}  // namespace

std::vector<std::string> policy_names() {
  std::vector<std::string> names = {"headroom", "static"};
  for (const std::string_view peer : peers::names()) names.emplace_back(peer);
  return names;
}

Result<std::unique_ptr<Policy>> make_policy(std::string_view name, const PolicyParams& params) {
  if (name == "headroom") return make_headroom_from(params);
  if (name == "static") return make_static(params);
  if (auto peer = peers::make(name, params)) return *std::move(peer);
  std::string known;
  for (const std::string& one : policy_names()) known += (known.empty() ? "" : ", ") + one;
  return fail(ErrorCode::kInvalidArgument,
              "unknown policy \"" + std::string(name) + "\" (known ones: " + known + ")");
}

}  // namespace rocktune
