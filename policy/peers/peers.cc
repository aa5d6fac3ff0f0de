#include "policy/peers/peers.h"

#include <utility>

#include "model/text.h"
#include "policy/params.h"
#include "policy/peers/adoc.h"
#include "policy/peers/auto_tuned.h"
#include "policy/peers/cockroach_l0.h"
#include "policy/peers/silk.h"
#include "policy/peers/write_amp_limiter.h"

namespace rocktune::peers {
namespace {

// What a rate of bytes or a size can be at most, and a rate at least.
constexpr double kMostParam = 1e15, kLeastParam = 65536;

template <class Params>
Result<std::unique_ptr<Policy>> make_peer(std::string_view name, const PolicyParams& params,
                                          const Params& values, const std::vector<ParamSpec>& specs,
                                          std::unique_ptr<Policy> (*make)(const Params&)) {
  if (auto read = read_params(name, params, specs); !read) return tl::unexpected(read.error());
  return make(values);
}

Result<std::unique_ptr<Policy>> make_auto_tuned_from(const PolicyParams& params) {
  AutoTunedParams values;
  return make_peer(kAutoTuned, params, values,
                   {{"rate_limit_max_bytes_per_second", &values.rate_limit_max_bytes_per_second,
                     kLeastParam, kMostParam}},
                   make_auto_tuned);
}

Result<std::unique_ptr<Policy>> make_silk_from(const PolicyParams& params) {
  SilkParams values;
  return make_peer(
      kSilk, params, values,
      {{"device_bytes_per_second", &values.device_bytes_per_second, kLeastParam, kMostParam},
       {"least_bytes_per_second", &values.least_bytes_per_second, kLeastParam, kMostParam}},
      make_silk);
}

Result<std::unique_ptr<Policy>> make_adoc_from(const PolicyParams& params) {
  AdocParams values;
  auto made =
      make_peer(kAdoc, params, values,
                {{"memtable_min_bytes", &values.memtable_min_bytes, kLeastParam, kMostParam},
                 {"memtable_max_bytes", &values.memtable_max_bytes, kLeastParam, kMostParam}},
                make_adoc);
  if (made && values.memtable_min_bytes > values.memtable_max_bytes) {
    return fail(ErrorCode::kInvalidArgument,
                "policy adoc: memtable_min_bytes is " + text::exact(values.memtable_min_bytes) +
                    ", above memtable_max_bytes, " + text::exact(values.memtable_max_bytes) +
                    "; give both");
  }
  return made;
}

Result<std::unique_ptr<Policy>> make_write_amp_limiter_from(const PolicyParams& params) {
  WriteAmpLimiterParams values;
  return make_peer(kWriteAmpLimiter, params, values,
                   {{"rate_limit_max_bytes_per_second", &values.rate_limit_max_bytes_per_second,
                     kLeastParam, kMostParam},
                    {"scale", &values.scale, 0.001, 1e6}},
                   make_write_amp_limiter);
}

Result<std::unique_ptr<Policy>> make_cockroach_l0_from(const PolicyParams& params) {
  CockroachL0Params values;
  return make_peer(kCockroachL0, params, values,
                   {{"l0_threshold_files", &values.l0_threshold_files, 4, 4096}},
                   make_cockroach_l0);
}

using Maker = Result<std::unique_ptr<Policy>> (*)(const PolicyParams&);

constexpr std::pair<std::string_view, Maker> kPeers[] = {
    {kAutoTuned, make_auto_tuned_from},
    {kSilk, make_silk_from},
    {kAdoc, make_adoc_from},
    {kWriteAmpLimiter, make_write_amp_limiter_from},
    {kCockroachL0, make_cockroach_l0_from},
};

}  // namespace

std::vector<std::string_view> names() {
  std::vector<std::string_view> out;
  for (const auto& [name, maker] : kPeers) out.push_back(name);
  return out;
}

std::optional<Result<std::unique_ptr<Policy>>> make(std::string_view name,
                                                    const PolicyParams& params) {
  for (const auto& [one, maker] : kPeers) {
    if (one == name) return maker(params);
  }
  return std::nullopt;
}

}  // namespace rocktune::peers
