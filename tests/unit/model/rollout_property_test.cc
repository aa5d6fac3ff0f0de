// The roll-out on random flows: finite, orderly, and the same as the plain one.
#include <cmath>
#include <random>
#include <span>

#include "model/level_targets.h"
#include "model/rollout.h"
#include "tests/support/catch.h"
#include "tests/unit/model/plain_rollout.h"

using namespace rocktune;

namespace {

constexpr Horizons kRandomHorizons = {20, 10, 30, 60};

class RandomFlow {
 public:
  explicit RandomFlow(std::uint64_t seed) : random_(seed) {}

  double between(double low, double high) {
    return low * std::pow(high / low, std::uniform_real_distribution<>(0, 1)(random_));
  }
  bool one_in(std::uint64_t count) { return random_() % count == 0; }
  std::size_t whole(double low, double high) {
    return static_cast<std::size_t>(between(low, high));
  }

  // As databases are: a write load against a disk, levels about their targets.
  FlowState usual() {
    FlowState flow;
    flow.l0_files = std::floor(between(1, 30)) - 1;
    flow.l0_trigger = std::floor(between(2, 12));
    flow.flush_interval_seconds = between(0.1, 60);
    flow.next_flush_seconds = flow.flush_interval_seconds * between(0.01, 1);
    flow.flush_bytes = between(1e6, 1e8);
    flow.l0_bytes_per_second = between(1e7, 1e9);
    flow.deep_job_seconds = between(1, 10);  // the plain one has no limit of events
    flow.file_bytes = between(1e6, 1e8);
    flow.l1_base_bytes = between(1e7, 1e9);
    flow.slots = whole(1, 8);
    flow.levels = 7;
    for (std::size_t level = 1; level < flow.levels; ++level) {
      const double target = flow.l1_base_bytes * std::pow(10, static_cast<double>(level - 1));
      flow.level_bytes.at(level) = one_in(3) ? 0 : target * between(0.1, 1.5);
    }
    set_targets(flow, static_cast<std::uint64_t>(flow.l1_base_bytes));
    if (one_in(2)) flow.l0_job = FlowState::L0Job{between(0.3, 40), between(1, 20)};
    if (one_in(3)) flow.deep_job = FlowState::DeepJob{between(0.3, 10), whole(1, 6)};
    return flow;
  }

  // As nobody wants them.
  FlowState wild() {
    FlowState flow;
    flow.l0_files = std::floor(between(1, 40));
    flow.l0_trigger = std::floor(between(1, 30));
    flow.flush_interval_seconds = between(0.02, 1e4);
    flow.next_flush_seconds = flow.flush_interval_seconds * between(0.01, 1);
    flow.flush_bytes = between(1, 1e12);
    flow.l0_bytes_per_second = between(1, 1e12);
    flow.deep_job_seconds = between(1e-6, 1e6);
    flow.file_bytes = between(1, 1e12);
    flow.l1_base_bytes = between(1, 1e12);
    flow.slots = whole(1, 16);
    flow.levels = whole(2, kMostFlowLevels);
    const bool empty = one_in(3);
    for (double& bytes : flow.level_bytes) bytes = empty ? 0 : between(1, 1e19);
    set_targets(flow, 256u << 20);
    if (one_in(2)) flow.l0_job = FlowState::L0Job{between(0.3, 1e5), between(1, 50)};
    if (one_in(2)) flow.deep_job = FlowState::DeepJob{between(0.3, 1e5), random_() % 40};
    return flow;
  }

 private:
  void set_targets(FlowState& flow, std::uint64_t base) {
    flow.base_level =
        level_targets({base, 10, 4, one_in(2)}, std::span(flow.level_bytes).first(flow.levels),
                      std::span(flow.level_targets).first(flow.levels));
  }
  std::mt19937_64 random_;
};

bool same(const std::optional<double>& one, const std::optional<double>& other) {
  if (!one || !other) return one.has_value() == other.has_value();
  return std::abs(*one - *other) < 1e-6;
}

void check_sane(const FlowState& flow, const Rollout& out) {
  for (const double peak : out.peaks) {
    REQUIRE(std::isfinite(peak));
    REQUIRE(peak <= 24);
  }
  REQUIRE(out.peaks[1] <= out.peaks[0]);  // further ahead is no lower
  REQUIRE(out.peaks[0] <= out.peaks[2]);
  REQUIRE(out.peaks[2] <= out.peaks[3]);
  REQUIRE(std::isfinite(out.first_end_files));
  REQUIRE((out.busy_ratio >= 0 && out.busy_ratio <= 1 + 1e-9));
  if (flow.l0_job) REQUIRE(out.l0_begin_seconds == 0.0);
  if (out.l0_begin_seconds) {
    REQUIRE((*out.l0_begin_seconds >= 0 && *out.l0_begin_seconds <= kRolloutSeconds));
    if (*out.l0_begin_seconds < kBusySeconds - 1) REQUIRE(out.busy_ratio > 0);
  }
  if (out.eta_seconds) REQUIRE((*out.eta_seconds >= 0 && *out.eta_seconds <= kRolloutSeconds));
}

}  // namespace

TEST_CASE("Whatever the flow, the roll-out is finite and more load is no better", "[rollout]") {
  RandomFlow random(5);
  for (int i = 0; i < 3000; ++i) {
    const FlowState flow = random.wild();
    const Rollout out = roll_out(flow, kRandomHorizons);
    check_sane(flow, out);
    FlowState lower = flow;  // a lower limit is reached no later
    lower.l0_slowdown = 18;
    const Rollout sooner = roll_out(lower, kRandomHorizons);
    if (!out.eta_seconds) continue;
    REQUIRE(sooner.eta_seconds);
    REQUIRE(*sooner.eta_seconds <= *out.eta_seconds + 1e-9);
  }
}

TEST_CASE("Without an event for each flush it is the same roll-out", "[rollout]") {
  RandomFlow random(7);
  int reached = 0;
  for (int i = 0; i < 3000; ++i) {
    const FlowState flow = random.usual();
    const Rollout out = roll_out(flow, kRandomHorizons);
    const Rollout plain = test::PlainRollout(flow, kRandomHorizons).run();
    check_sane(flow, out);
    CAPTURE(i, out.busy_ratio, plain.busy_ratio);
    REQUIRE(std::abs(out.files_now - plain.files_now) < 1e-6);
    for (std::size_t k = 0; k < kRolloutHorizons; ++k) {
      CAPTURE(k, out.peaks.at(k), plain.peaks.at(k));
      REQUIRE(std::abs(out.peaks.at(k) - plain.peaks.at(k)) < 1e-6);
    }
    REQUIRE(same(out.eta_seconds, plain.eta_seconds));
    REQUIRE(same(out.first_end_seconds, plain.first_end_seconds));
    REQUIRE(std::abs(out.first_end_files - plain.first_end_files) < 1e-6);
    REQUIRE(same(out.l0_begin_seconds, plain.l0_begin_seconds));
    REQUIRE(std::abs(out.busy_ratio - plain.busy_ratio) < 1e-6);
    if (out.eta_seconds) ++reached;
    const Rollout glanced = glance(flow, {kRandomHorizons[0], kRandomHorizons[1]}, i % 2 == 0);
    REQUIRE(std::abs(glanced.peaks[0] - plain.peaks[0]) < 1e-6);
    if (i % 2 == 0) {
      REQUIRE(same(glanced.first_end_seconds, plain.first_end_seconds));
      REQUIRE(std::abs(glanced.first_end_files - plain.first_end_files) < 1e-6);
    }
    const bool soon = plain.eta_seconds && *plain.eta_seconds <= kRandomHorizons[0];
    REQUIRE(same(glanced.eta_seconds, soon ? plain.eta_seconds : std::nullopt));
  }
  CHECK((reached > 300 && reached < 2700));  // it is about both
}
