#include "scenario/workload/keys.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <vector>

#include "scenario/workload/families.h"
#include "tests/support/catch.h"

using rocktune::scenario::Family;
using rocktune::scenario::FamilyMap;
using rocktune::scenario::Inserted;
using rocktune::scenario::KeyChooser;
using rocktune::scenario::KeyKind;
using rocktune::scenario::KeyPlan;
using rocktune::scenario::KeyRanges;
using rocktune::scenario::MixgraphKeys;
using rocktune::scenario::Random;
using rocktune::scenario::Zipfian;

namespace {

constexpr int kKeyDraws = 200000;
constexpr std::uint64_t kRecords = 10000;

KeyPlan plan_of(KeyKind kind) {
  KeyPlan plan;
  plan.kind = kind;
  return plan;
}

std::vector<double> shares(const KeyChooser& keys, double seconds = 0,
                           const Inserted& inserted = {kRecords, 0, 1, 0}) {
  Random random(17);
  std::vector<double> share(kRecords + inserted.count * inserted.threads, 0);
  for (int i = 0; i < kKeyDraws; ++i)
    share.at(keys.next(random, seconds, inserted)) += 1.0 / kKeyDraws;
  return share;
}

double sum(const std::vector<double>& share, std::size_t begin, std::size_t end) {
  double total = 0;
  for (std::size_t i = begin; i < end; ++i) total += share[i];
  return total;
}

// Five standard deviations of a share that `expected` of all draws make up.
double tolerance(double expected) {
  return 5 * std::sqrt(expected * (1 - expected) / kKeyDraws);
}

std::size_t hottest(const std::vector<double>& share) {
  return static_cast<std::size_t>(std::max_element(share.begin(), share.end()) - share.begin());
}

}  // namespace

TEST_CASE("uniform keys", "[scenario][keys]") {
  const auto share = shares(KeyChooser(plan_of(KeyKind::kUniform), kRecords));
  for (std::size_t tenth = 0; tenth < 10; ++tenth) {
    const double seen = sum(share, tenth * kRecords / 10, (tenth + 1) * kRecords / 10);
    CHECK(std::abs(seen - 0.1) < tolerance(0.1));
  }
}

TEST_CASE("a hot set gets its share, evenly", "[scenario][keys]") {
  KeyPlan plan = plan_of(KeyKind::kHotSet);  // 70% to 20%, as source 003
  const auto share = shares(KeyChooser(plan, kRecords));
  CHECK(std::abs(sum(share, 0, 2000) - 0.7) < tolerance(0.7));
  CHECK(std::abs(sum(share, 0, 1000) - 0.35) < tolerance(0.35));
  CHECK(std::abs(sum(share, 2000, 6000) - 0.15) < tolerance(0.15));
}

TEST_CASE("a shift makes other records hot, when its time has come", "[scenario][keys]") {
  KeyPlan plan = plan_of(KeyKind::kHotSet);
  plan.shift_every_seconds = 10;
  const KeyChooser keys(plan, kRecords);
  CHECK(sum(shares(keys, 9.99), 0, 2000) > 0.65);
  CHECK(std::abs(sum(shares(keys, 10), 2000, 4000) - 0.7) < tolerance(0.7));
  CHECK(sum(shares(keys, 29), 4000, 6000) > 0.65);
  CHECK(sum(shares(keys, 51), 0, 2000) > 0.65);  // five sets of a fifth: round again

  KeyPlan once = plan_of(KeyKind::kZipfian);
  once.shift_at_seconds = 15;
  const KeyChooser zipfian(once, kRecords);
  const auto before = shares(zipfian, 14);
  const auto after = shares(zipfian, 16);
  CHECK(hottest(before) != hottest(after));
  CHECK(before[hottest(before)] == Approx(after[hottest(after)]).epsilon(0.1));
  CHECK(hottest(after) == hottest(shares(zipfian, 1000)));
  KeyPlan later = plan_of(KeyKind::kZipfian);
  later.shifted = 1;
  CHECK(hottest(shares(KeyChooser(later, kRecords))) == hottest(after));
}

TEST_CASE("a smaller theta is less skewed", "[scenario][keys]") {
  KeyPlan plan = plan_of(KeyKind::kZipfian);
  plan.theta = 0.5;
  const auto flat = shares(KeyChooser(plan, kRecords));
  const auto steep = shares(KeyChooser(plan_of(KeyKind::kZipfian), kRecords));
  const double expected = 1 / Zipfian::zeta(kRecords, 0.5);
  CHECK(flat[hottest(flat)] == Approx(expected).epsilon(0.35));  // two ranks may share a record
  CHECK(steep[hottest(steep)] > 5 * flat[hottest(flat)]);
}

TEST_CASE("the latest are the ones most read", "[scenario][keys]") {
  const KeyChooser keys(plan_of(KeyKind::kLatest), kRecords);
  const double zeta = Zipfian::zeta(kRecords, Zipfian::kYcsbConstant);
  const auto loaded = shares(keys);
  CHECK(std::abs(loaded[kRecords - 1] - 1 / zeta) < tolerance(1 / zeta));
  CHECK(loaded[kRecords - 1] > loaded[kRecords - 2]);
  CHECK(sum(loaded, kRecords - 100, kRecords) > 0.4);

  // Four threads: this one's own inserts stand for everybody's, and all that is read exists.
  const Inserted mine{kRecords, 2, 4, 50};
  const auto grown = shares(keys, 0, mine);
  CHECK(hottest(grown) == mine.record(49));
  for (std::uint64_t i = kRecords; i < grown.size(); ++i) {
    if ((i - kRecords) % 4 != 2) CHECK(grown[i] == 0);
  }
  double first_four = 0;
  for (int rank = 1; rank <= 4; ++rank) first_four += std::pow(rank, -0.99) / zeta;
  CHECK(grown[mine.record(49)] == Approx(first_four).epsilon(0.1));
  CHECK(grown[kRecords - 1] > 0);
}

TEST_CASE("mixgraph's key ranges get their shares", "[scenario][keys][mixgraph]") {
  // db_bench's parameters for ZippyDB: 30 ranges, the hottest gets most of all accesses.
  MixgraphKeys plan{30, 14.18, -2.917, 0.0164, -0.08082, 0.002312, 0.3467};
  const KeyRanges ranges(plan, 30000);
  CHECK(ranges.range_records() == 1000);
  std::vector<double> expected;
  double all = 0;
  for (int x = 1; x <= 30; ++x) {
    expected.push_back(14.18 * std::exp(-2.917 * x) + 0.0164 * std::exp(-0.08082 * x));
    all += expected.back();
  }
  std::vector<double> seen(30, 0);
  std::map<std::uint64_t, int> keys;
  Random random(4);
  for (int i = 0; i < kKeyDraws; ++i) {
    const std::uint64_t record = ranges.next(random);
    REQUIRE(record < 30000);
    seen[record / 1000] += 1.0 / kKeyDraws;
    ++keys[record];
  }
  std::vector<double> placed;
  for (std::size_t place = 0; place < 30; ++place) {
    CHECK(std::abs(seen[place] - ranges.share(place)) < tolerance(ranges.share(place)) + 1e-9);
    placed.push_back(ranges.share(place));
  }
  CHECK_FALSE(std::is_sorted(placed.rbegin(), placed.rend()));  // shuffled
  std::sort(placed.rbegin(), placed.rend());
  for (std::size_t x = 0; x < 30; ++x) CHECK(placed[x] == Approx(expected[x] / all).epsilon(1e-9));
  // Within a range keys differ: the power law gives the first one a share of key_dist_a.
  const auto top = std::max_element(
      keys.begin(), keys.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  CHECK(top->second > 3 * kKeyDraws / 30000);
}

TEST_CASE("mixgraph without parameters is uniform; few records have fewer ranges",
          "[scenario][keys][mixgraph]") {
  const KeyRanges flat(MixgraphKeys{4, 0, 0, 0, 0, 0, 0}, 1000);
  for (std::size_t place = 0; place < 4; ++place) CHECK(flat.share(place) == Approx(0.25));
  const KeyRanges few(MixgraphKeys{30, 1, -1, 0, 0, 0.1, 0.5}, 7);
  Random random(1);
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 10000; ++i) seen.insert(few.next(random));
  CHECK(*seen.rbegin() < 7);
}

TEST_CASE("records live in families by their share", "[scenario][keys]") {
  const FamilyMap two({{"hot", 0.2}, {"cold", 0.8}}, 1000);
  CHECK(two.of(0) == 0);
  CHECK(two.of(199) == 0);
  CHECK(two.of(200) == 1);
  CHECK(two.of(999) == 1);
  int hot = 0;
  for (std::uint64_t inserted = 1000; inserted < 11000; ++inserted) hot += two.of(inserted) == 0;
  CHECK(hot == Approx(2000).margin(5 * std::sqrt(1600)));
  const FamilyMap one({{"default", 1}}, 1000);
  CHECK(one.of(5) == 0);
  CHECK(one.of(5000) == 0);
}
