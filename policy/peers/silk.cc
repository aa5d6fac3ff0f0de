#include "policy/peers/silk.h"

#include <algorithm>
#include <cmath>

#include "model/device_load.h"
#include "model/text.h"
#include "policy/peers/common.h"
#include "policy/situation.h"

namespace rocktune::peers {
namespace {

constexpr double kPauseShare = 0.75;   // db_bench_tool.cc: 150 of 200 MB/s
constexpr double kLevel0Files = 4;     // db_impl_compaction_flush.cc: level 0 is then compacted
constexpr int kLevel0Weight = 16;      // the most that the agent's limiter knows
constexpr double kLearningLoad = 0.5;  // below, traffic / load is mostly noise

class Silk : public Policy {
 public:
  explicit Silk(const SilkParams& params) : params_(params) {}

  [[nodiscard]] GuardScope guard_scope() const override { return GuardScope::kHardLimits; }

  [[nodiscard]] std::vector<Proposal> decide(const PolicyInput& input) override {
    const Features& f = input.features;
    if (f.reset) reset();
    learn_device(f);
    std::vector<Proposal> out;
    if (!f.fresh) return out;
    serve_as(f, {false, kLevel0Weight, "silk.first"}, out);
    if (auto change = share_device(input)) out.push_back(*std::move(change));
    return out;
  }

 private:
  void reset() {
    value_bytes_.reset();
    device_.clear();
    learnt_bandwidth_.reset();
  }

  void learn_device(const Features& f) {
    device_.update(f);
    const std::optional<double> load = device_.rho();
    if (!load || *load < kLearningLoad) return;
    if (!f.device_read_bytes_per_second || !f.device_write_bytes_per_second) return;
    learnt_bandwidth_ =
        (*f.device_read_bytes_per_second + *f.device_write_bytes_per_second) / *load;
  }

  [[nodiscard]] Value bandwidth(const Objective& objective) const {
    if (params_.device_bytes_per_second > 0) return params_.device_bytes_per_second;
    const auto& write = objective.device_capacities.write;
    return write ? Value(write->bytes_per_second) : learnt_bandwidth_;
  }

  // Absent while it is not known how large a value is.
  Value client_bandwidth(const Features& f) {
    if (!f.reads_per_second || !f.writes_per_second) return std::nullopt;
    if (f.user_write_bytes_per_second && *f.writes_per_second > 0) {
      value_bytes_ = *f.user_write_bytes_per_second / *f.writes_per_second;
    }
    const double operations =
        *f.reads_per_second + *f.writes_per_second + f.seeks_per_second.value_or(0);
    if (operations == 0) return 0.0;
    if (!value_bytes_) return std::nullopt;
    return operations * *value_bytes_;
  }

  // Level 0 of some column family has enough for a compaction; unknown is not enough.
  static bool level0_waits(const Features& f) {
    return std::ranges::any_of(f.column_families, [](const ColumnFamilyReading& family) {
      return !family.levels.empty() &&
             static_cast<double>(family.levels.front().files) >= kLevel0Files;
    });
  }

  std::optional<Proposal> share_device(const PolicyInput& input) {
    const Features& f = input.features;
    const KnobReading* limiter = changeable_knob(f, knob::kRateLimit);
    const Value device = bandwidth(input.objective), client = client_bandwidth(f);
    if (limiter == nullptr || !device || !client) return std::nullopt;
    const double least = params_.least_bytes_per_second;
    const std::string taken =
        "clients take " + text::rate(*client) + " of the device's " + text::rate(*device);
    const bool paused = *client > kPauseShare * *device;
    if (paused && !level0_waits(f)) {
      return turn(f, limiter, std::floor(least),
                  {"silk.pause", taken + ": compactions pause", "read_p99_us"});
    }
    const double rate = std::floor(std::max(*device - *client, least));
    const auto now = static_cast<double>(limiter->value);
    if (std::abs(rate - now) < least) return std::nullopt;
    const bool up = rate > now;
    return turn(
        f, limiter, rate,
        {"silk.share", taken + ": compactions get the rest", up ? "l0_ratio" : "read_p99_us"});
  }

  SilkParams params_;
  DeviceLoad device_;
  Value learnt_bandwidth_, value_bytes_;
};

}  // namespace

std::unique_ptr<Policy> make_silk(const SilkParams& params) {
  return std::make_unique<Silk>(params);
}

}  // namespace rocktune::peers
