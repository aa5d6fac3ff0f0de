// One peer on hand-made features. What it proposes is applied, as in act mode, unless told not to.
#pragma once

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "policy/policy.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

class PeerBench {
 public:
  explicit PeerBench(const std::string& name, const PolicyParams& params = {})
      : policy(*make_policy(name, params)) {
    f.fresh = true;
    f.interval_seconds = 0.5;
    f.cpus = 8;
    f.l0_ratio = 0.1;
    f.pending_ratio = 0;
    f.pending_soft_bytes = 64e9;
    f.immutable_memtables = 0;
    f.max_write_buffers = 2;
    f.write_stopped = 0;
    f.reads_per_second = 1000;
    f.writes_per_second = 1000;
    f.seeks_per_second = 0;
    f.user_write_bytes_per_second = 1e6;  // values of 1,000 bytes
    f.flush_bytes_per_second = 0;
    f.compaction_write_bytes_per_second = 0;
    f.column_families = quiet_sample().database->column_families;
    f.knobs = {limiter_knob(kUnlimitedBytesPerSecond), jobs_knob(4, 4)};
  }

  // Adds a knob and gives its place in f.knobs.
  KnobReading& knob(std::string_view name, std::int64_t value, const std::string& family = {}) {
    f.knobs.edit().push_back(knob_reading(name, value, value, 0, std::int64_t{1} << 50));
    f.knobs.edit().back().column_family = family;
    return f.knobs.edit().back();
  }
  [[nodiscard]] std::int64_t value(std::string_view name, std::string_view family = {}) const {
    for (const KnobReading& reading : f.knobs) {
      if (reading.name == name && reading.column_family == family) return reading.value;
    }
    FAIL("no knob " << name);
    return 0;
  }
  // A limiter of which this share is used.
  void used(double share) {
    f.limiter_use_ratio = share;
    f.limiter_rate = static_cast<double>(value(knob::kRateLimit));
  }
  void level0(std::uint64_t files, std::uint64_t bytes = 0) {
    auto& levels = f.column_families[0].levels;
    levels.resize(std::max<std::size_t>(1, levels.size()));
    levels[0] = {files, bytes};
    f.l0_files = static_cast<double>(files);
    f.l0_ratio = static_cast<double>(files) / 20;
  }

  std::vector<Proposal> tick(double seconds = 0.5) {
    ++f.sequence;
    f.at.tick += at_seconds(seconds);
    f.interval_seconds = seconds;
    std::vector<Proposal> out = policy->decide({f, indicators, objective, budget});
    f.reset = false;
    for (const Proposal& proposal : out) {
      INFO(proposal.knob << " " << proposal.rule);
      CHECK_FALSE(proposal.reason.empty());
      CHECK_FALSE(proposal.expected.feature.empty());
      CHECK(proposal.to != proposal.from);
      if (act && proposal.knob != held) apply(proposal);
    }
    return out;
  }
  // All that was proposed in that time.
  std::vector<Proposal> run(double seconds) {
    std::vector<Proposal> all;
    for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
      for (Proposal& proposal : tick()) all.push_back(std::move(proposal));
    }
    return all;
  }

  Features f;
  std::vector<Indicator> indicators;
  Objective objective;
  Budget budget;
  std::unique_ptr<Policy> policy;
  bool act = true;
  std::string_view held;  // a knob that the guard grants nothing of

 private:
  void apply(const Proposal& proposal) {
    for (KnobReading& reading : f.knobs.edit()) {
      if (reading.name != proposal.knob || reading.column_family != proposal.column_family)
        continue;
      CHECK(reading.value == proposal.from);
      reading.value = proposal.to;
      // As the agent and the simulator have it.
      const bool back = proposal.to == reading.found;
      reading.owner = back ? KnobOwner::kFound : KnobOwner::kRocktune;
    }
  }
};

}  // namespace rocktune::test
