#include <vector>

#include "sim/tree.h"
#include "tests/support/catch.h"
#include "tests/unit/sim/keyspace.h"
#include "tests/unit/sim/recording.h"

namespace rocktune::sim {
namespace {

// What the plant reads of the next level per byte that it takes down.
double law(double ratio) {
  constexpr double kOwn = 512 * test::kMega;
  Tree tree({7, {256u << 20, 100, 4, false}, 64 * test::kMega, false}, {});
  tree.restore(std::vector<double>{0, kOwn, kOwn * ratio}, 0);
  const auto picked = tree.pick();
  REQUIRE(picked);
  REQUIRE(picked->level == 1);
  return picked->next_bytes / picked->moved_bytes;
}

struct Bin {
  double from = 0, until = 0;
  std::vector<test::DeepPick> picks;
};

}  // namespace

TEST_CASE("the law of overlap is what comes of picking the files that overlap least") {
  std::vector<Bin> bins{{0, 1.3, {}}, {1.6, 3, {}}, {3, 5, {}}, {5, 8, {}}, {8, 12, {}}};
  for (const double work : {6.0, 8.0, 10.0, 14.0, 20.0}) {  // from falling behind to waiting
    for (const auto& pick : test::deep_picks(1000, work)) {
      for (Bin& bin : bins) {
        if (pick.ratio >= bin.from && pick.ratio < bin.until) bin.picks.push_back(pick);
      }
    }
  }
  for (const Bin& bin : bins) {
    REQUIRE(bin.picks.size() > 100);
    double keyspace = 0, plant = 0;
    for (const auto& pick : bin.picks) {
      keyspace += pick.overlapped;
      plant += law(pick.ratio);
    }
    const auto count = static_cast<double>(bin.picks.size());
    INFO("the next level is " << bin.from << " to " << bin.until << " times as large");
    CHECK(plant / count == Approx(keyspace / count).epsilon(0.08).margin(0.1));
  }
}

}  // namespace rocktune::sim
