#include "scenario/workload/generator.h"

#include <cmath>
#include <map>
#include <vector>

#include "tests/support/catch.h"

using rocktune::scenario::fnv_hash;
using rocktune::scenario::Random;
using rocktune::scenario::ScrambledZipfian;
using rocktune::scenario::Zipfian;

namespace {

constexpr int kDraws = 400000;

std::vector<double> frequencies(const Zipfian& zipfian, std::uint64_t items) {
  Random random(7);
  std::vector<double> share(items, 0);
  for (int i = 0; i < kDraws; ++i) share[zipfian.next(random)] += 1.0 / kDraws;
  return share;
}

}  // namespace

TEST_CASE("Zipfian ranks come as often as the law says", "[scenario][generator]") {
  constexpr std::uint64_t kItems = 1000;
  const Zipfian zipfian(kItems);
  const auto share = frequencies(zipfian, kItems);
  const double zeta = Zipfian::zeta(kItems, Zipfian::kYcsbConstant);
  const auto law = [zeta](std::uint64_t rank) {
    return 1 / std::pow(static_cast<double>(rank + 1), Zipfian::kYcsbConstant) / zeta;
  };

  SECTION("the first two ranks exactly, but for chance") {
    for (const std::uint64_t rank : {0U, 1U}) {
      const double deviation = std::sqrt(law(rank) / kDraws);
      CHECK(std::abs(share[rank] - law(rank)) < 4 * deviation);
    }
  }
  SECTION("the others to the approximation of Gray et al.") {
    for (const auto& [begin, end] :
         {std::pair(2U, 10U), std::pair(10U, 100U), std::pair(100U, 1000U)}) {
      double seen = 0;
      double expected = 0;
      for (std::uint64_t rank = begin; rank < end; ++rank) {
        seen += share[rank];
        expected += law(rank);
      }
      CHECK(seen == Approx(expected).epsilon(0.12));
    }
  }
}

TEST_CASE("the zeta that YCSB precomputed is the sum", "[scenario][generator]") {
  // Euler-Maclaurin from a million on: the whole sum has ten thousand million terms.
  constexpr double kTheta = Zipfian::kYcsbConstant;
  const double n = 1e6;
  const double tail = (std::pow(1e10, 1 - kTheta) - std::pow(n, 1 - kTheta)) / (1 - kTheta);
  CHECK(Zipfian::zeta(1000000, kTheta) + tail == Approx(26.46902820178302).epsilon(1e-6));
  CHECK(Zipfian::zeta(10'000'000'000, kTheta) == Approx(26.46902820178302).epsilon(1e-9));
}

TEST_CASE("beyond its summed terms the zeta goes on where it was", "[scenario][generator]") {
  for (const double theta : {0.2, 0.5, 0.99}) {
    double sum = 0;
    for (int i = 1; i <= 300000; ++i) sum += std::pow(i, -theta);
    CHECK(Zipfian::zeta(300000, theta) == Approx(sum).epsilon(1e-9));
  }
}

TEST_CASE("the scrambled generator keeps the skew and scatters it", "[scenario][generator]") {
  constexpr std::uint64_t kRecords = 10000;
  const ScrambledZipfian generator(kRecords);
  Random random(11);
  std::map<std::uint64_t, int> seen;
  for (int i = 0; i < kDraws; ++i) {
    const std::uint64_t record = generator.next(random);
    REQUIRE(record < kRecords);
    ++seen[record];
  }
  // Rank 0 of ten thousand million: 1/zeta of all draws go to one record, wherever it landed.
  const double top = 1 / 26.46902820178302;
  CHECK(static_cast<double>(seen[fnv_hash(0) % kRecords]) / kDraws == Approx(top).epsilon(0.05));
  CHECK(static_cast<double>(seen[fnv_hash(1) % kRecords]) / kDraws ==
        Approx(top / std::pow(2, 0.99)).epsilon(0.05));
  CHECK(seen.size() > kRecords * 9 / 10);
}

TEST_CASE("FNV-1a over eight bytes, made non-negative as in Java", "[scenario][generator]") {
  // FNV-1a of eight zero bytes is 0xa8c7f832281a39c5; as a signed number that is negative.
  CHECK(fnv_hash(0) == 0x573807cdd7e5c63bULL);
  CHECK(fnv_hash(0) != fnv_hash(1));
  for (std::uint64_t i = 0; i < 1000; ++i) CHECK(fnv_hash(i) >> 63 == 0);
}

TEST_CASE("a seed fixes the sequence", "[scenario][generator]") {
  Random a(3);
  Random b(3);
  Random c(4);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto value = a.next();
    CHECK(value == b.next());
    differs = differs || value != c.next();
  }
  CHECK(differs);
}
