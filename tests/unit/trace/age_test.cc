#include "trace/age.h"

#include <cstdint>
#include <limits>

#include "tests/support/catch.h"

namespace rocktune::trace {
namespace {

constexpr Nanoseconds kTick{3'600'000'000'000};
constexpr auto kFirst = std::numeric_limits<std::int64_t>::min();
constexpr auto kLast = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_CASE("an age is told by when it began", "[trace]") {
  Age age;
  CHECK_FALSE(age.update(kTick, 1500));
  REQUIRE(age.began_ns());
  CHECK(age_ms_at(kTick, *age.began_ns()) == 1500U);
  CHECK(age.update(kTick + Nanoseconds{2'000'000'000}, 3500));
  CHECK(age_ms_at(kTick + Nanoseconds{2'000'000'000}, *age.began_ns()) == 3500U);
}

TEST_CASE("the longest ages are told", "[trace]") {
  constexpr Nanoseconds kLate{9'000'000'000'000'000'000};
  constexpr std::int64_t kEarly = -(std::int64_t{1} << 62);
  CHECK(age_ms_at(kLate, kEarly) == 13'611'686'018'427U);
}

TEST_CASE("what a damaged trace says began when nothing can has no age", "[trace]") {
  CHECK_FALSE(age_ms_at(kTick, kTick.count() + 1));
  CHECK_FALSE(age_ms_at(kTick, kFirst));
  CHECK_FALSE(age_ms_at(kTick, kLast));
  CHECK_FALSE(age_ms_at(Nanoseconds{kLast}, 0));
  CHECK_FALSE(age_ms_at(Nanoseconds{-1}, kFirst));
}

}  // namespace rocktune::trace
