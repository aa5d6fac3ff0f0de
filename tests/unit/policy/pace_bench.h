// Compactions in bursts, and a limiter that headroom may set: what the tests of pace begin with.
#pragma once

#include <vector>

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

namespace rocktune::test {

// A compaction for four of every ten seconds, at 150 MB/s; reads take 3 ms meanwhile. 30 MB/s would
// do: 10 MB/s are written, three times.
class Bursts {
 public:
  Bursts() {
    bench.objective.read_p99_seconds = 0.010;
    bench.f.knobs.edit()[0].found = kUnlimitedBytesPerSecond;
    bench.f.wal_bytes_per_second = 10e6;
  }
  // Another database on the device writes so much; 0: it is there, and writes nothing.
  void beside(double others_write) {
    bench.f.shared = SharedBudget{};
    bench.f.shared->device_members = 2;
    others_bytes_per_second = others_write;
  }
  // The proposals for the limiter in that time.
  std::vector<Proposal> run(double seconds) {
    std::vector<Proposal> out;
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      const bool works = ++step_ % 20 < 8 && compacts;
      bench.f.running_compactions = works ? 1 : 0;
      bench.f.compaction_write_bytes_per_second = works ? 50e6 : 0;
      bench.f.read_p99_us = works ? beside_us : without_us;
      bench.f.write_p99_us = works && writes_too ? beside_us : without_us;
      bench.f.writes_per_second = writes_per_second;
      bench.f.device_write_bytes_per_second = 20e6 + (works ? 50e6 : 0) + others_bytes_per_second;
      if (bench.f.knobs[0].value >= kUnlimitedBytesPerSecond) {
        bench.f.limiter_bytes_per_second = works ? 150e6 : 5e6;
      }
      for (const Proposal& proposal : bench.tick()) {
        if (proposal.knob == knob::kRateLimit) out.push_back(proposal);
      }
    }
    return out;
  }
  void pace(const Proposal& proposal, double used) {
    bench.set_limit(proposal.to, used * static_cast<double>(proposal.to));
    bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
  }

  HeadroomBench bench;
  double beside_us = 3000, without_us = 500, others_bytes_per_second = 0;
  double writes_per_second = 2000;
  bool compacts = true, writes_too = false;

 private:
  int step_ = 0;
};

// Until what writes cost is known, and a little: the last proposal is by that.
inline constexpr double kSettledSeconds = 45;

inline Bursts paced(double used) {
  Bursts bursts;
  const auto proposals = bursts.run(kSettledSeconds);
  REQUIRE_FALSE(proposals.empty());
  bursts.pace(proposals.back(), used);
  CHECK(bursts.run(1).empty());
  return bursts;
}

}  // namespace rocktune::test
