// The division of one budget, and its course: whatever the members ask, hold and weigh.
#include "policy/shares.h"

#include <cmath>
#include <limits>
#include <numeric>
#include <random>

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;

namespace {

Claim claim(const std::string& member, double need, double held, double weight = 1) {
  Claim out;
  out.member = member;
  out.weight = weight;
  out.floor = 2;
  out.need = need;
  out.held = held;
  return out;
}

double sum(const std::vector<double>& parts) {
  return std::accumulate(parts.begin(), parts.end(), 0.0);
}

double sum(const std::map<std::string, double>& parts) {
  double total = 0;
  for (const auto& [member, part] : parts) total += part;
  return total;
}

// Plain arithmetic on a 64-bit generator: the same everywhere.
class ShareDice {
 public:
  explicit ShareDice(std::uint64_t seed) : engine_(seed) {}
  double upto(double most) { return most * static_cast<double>(engine_() % 10001) / 10000; }
  bool one_in(std::uint64_t n) { return engine_() % n == 0; }
  std::size_t below(std::size_t n) { return static_cast<std::size_t>(engine_() % n); }

 private:
  std::mt19937_64 engine_;
};

double strange(ShareDice& dice, double value) {
  if (dice.one_in(40)) return std::numeric_limits<double>::quiet_NaN();
  if (dice.one_in(60)) return std::numeric_limits<double>::infinity();
  if (dice.one_in(60)) return -value;
  return value;
}

Claim random_claim(ShareDice& dice, const std::string& member) {
  Claim out;
  out.member = member;
  out.weight = strange(dice, dice.upto(8) + 0.1);
  out.floor = dice.upto(3);
  if (!dice.one_in(4)) out.need = strange(dice, dice.upto(40));
  if (dice.one_in(3)) out.cap = strange(dice, dice.upto(30));
  out.held = strange(dice, dice.upto(30));
  out.movable = !dice.one_in(6);
  return out;
}

double sure(double value) {
  return std::isfinite(value) ? std::max(0.0, value) : 0;
}

double fixed(const std::vector<Claim>& claims) {
  double total = 0;
  for (const Claim& one : claims) total += one.movable ? 0 : sure(one.held);
  return total;
}

}  // namespace

TEST_CASE("needs that fit are met, and the rest goes round by weight", "[shares]") {
  auto parts = divide(16, 1, {claim("a", 3, 3), claim("b", 5, 5)});
  CHECK(parts == std::vector<double>{8, 8});
  parts = divide(16, 1, {claim("a", 3, 3, 3), claim("b", 2, 2, 1)});
  CHECK(parts == std::vector<double>{12, 4});
}

TEST_CASE("needs that do not fit: min-max fair by weight, and what one leaves goes on",
          "[shares]") {
  CHECK(divide(12, 1, {claim("a", 20, 2), claim("b", 20, 2)}) == std::vector<double>{6, 6});
  CHECK(divide(12, 1, {claim("a", 20, 2, 2), claim("b", 20, 2)}) == std::vector<double>{8, 4});
  CHECK(divide(12, 1, {claim("a", 20, 2), claim("b", 3, 2), claim("c", 20, 2)}) ==
        std::vector<double>{5, 3, 4});
}

TEST_CASE("what nobody needs is taken from nobody", "[shares]") {
  // b holds more than its half and uses little: as long as a does not ask, it stays.
  CHECK(divide(10, 1, {claim("a", 2, 2), claim("b", 2, 8)}) == std::vector<double>{2, 8});
  CHECK(divide(10, 1, {claim("a", 6, 2), claim("b", 2, 8)}) == std::vector<double>{6, 4});
}

TEST_CASE("who cannot give back keeps what it holds; floors shrink when they exceed the budget",
          "[shares]") {
  Claim stiff = claim("a", 2, 7);
  stiff.movable = false;
  CHECK(divide(10, 1, {stiff, claim("b", 9, 2)}) == std::vector<double>{7, 3});
  CHECK(divide(2, 1, {claim("a", 9, 2), claim("b", 9, 2)}) == std::vector<double>{1, 1});
  CHECK(divide(0, 1, {claim("a", 9, 2)}) == std::vector<double>{0});
  CHECK(divide(10, 1, {}).empty());
}

TEST_CASE("a need that is absent or no number counts as what is held", "[shares]") {
  Claim silent = claim("a", 0, 4);
  silent.need.reset();
  Claim nonsense = claim("b", std::numeric_limits<double>::quiet_NaN(), 4);
  nonsense.weight = std::numeric_limits<double>::quiet_NaN();
  CHECK(divide(8, 1, {silent, nonsense}) == std::vector<double>{4, 4});
}

TEST_CASE("any division: within the budget, above the floors, below the caps",
          "[shares][property]") {
  ShareDice dice(11);
  for (int round = 0; round < 3000; ++round) {
    std::vector<Claim> claims;
    const std::size_t members = 1 + dice.below(7);
    for (std::size_t i = 0; i < members; ++i) {
      claims.push_back(random_claim(dice, "m" + std::to_string(i)));
    }
    const double budget = std::floor(dice.upto(120));
    const double unit = dice.one_in(2) ? 1 : 0.25;
    const std::vector<double> parts = divide(budget, unit, claims);
    INFO("round " << round);
    REQUIRE(parts.size() == members);
    CHECK(sum(parts) <= std::max(budget, fixed(claims)) + 1e-6);
    double floors = fixed(claims);
    for (const Claim& one : claims) floors += one.movable ? one.floor : 0;
    for (std::size_t i = 0; i < members; ++i) {
      REQUIRE((std::isfinite(parts[i]) && parts[i] >= 0));
      if (!claims[i].movable) continue;
      if (floors <= budget) CHECK(parts[i] >= std::floor(claims[i].floor / unit) * unit - 1e-6);
      if (claims[i].cap && std::isfinite(*claims[i].cap)) {
        CHECK(parts[i] <= std::max(sure(*claims[i].cap), claims[i].floor) + 1e-6);
      }
    }
    CHECK(divide(budget, unit, claims) == parts);
  }
}

TEST_CASE("more weight is never less", "[shares][property]") {
  ShareDice dice(12);
  for (int round = 0; round < 2000; ++round) {
    std::vector<Claim> claims;
    const std::size_t members = 2 + dice.below(5);
    for (std::size_t i = 0; i < members; ++i) {
      claims.push_back(random_claim(dice, "m" + std::to_string(i)));
      claims.back().weight = 0.1 + dice.upto(8);
    }
    const double budget = std::floor(dice.upto(100));
    const std::size_t who = dice.below(members);
    const double before = divide(budget, 1, claims)[who];
    claims[who].weight *= 1 + dice.upto(3);
    INFO("round " << round);
    CHECK(divide(budget, 1, claims)[who] >= before - 1e-6);
  }
}

TEST_CASE("a slice grows only by what the other has really given back", "[shares]") {
  Shares shares(10);
  Nanoseconds now(std::chrono::seconds(100));
  const auto next = [&](double need_a, double held_a, double held_b) {
    now += std::chrono::seconds(1);
    return shares.update(now, 8, 1, {claim("a", need_a, held_a), claim("b", 2, held_b)});
  };
  CHECK(next(2, 4, 4) == std::map<std::string, double>{{"a", 4}, {"b", 4}});
  for (int i = 0; i < 12; ++i) next(6, 4, 4);
  // b is asked for two of its four; until it has let go of them a has what it had.
  CHECK(next(6, 4, 4) == std::map<std::string, double>{{"a", 4}, {"b", 2}});
  CHECK(next(6, 4, 3) == std::map<std::string, double>{{"a", 5}, {"b", 2}});
  CHECK(next(6, 5, 2) == std::map<std::string, double>{{"a", 6}, {"b", 2}});
}

TEST_CASE("slices stand still while needs only breathe", "[shares]") {
  Shares shares(10);
  Nanoseconds now(std::chrono::seconds(100));
  std::map<std::string, double> last;
  int changes = 0;
  for (int i = 0; i < 600; ++i) {
    now += std::chrono::milliseconds(500);
    const double need = 6 + 0.8 * std::sin(i * 0.7);
    auto slices = shares.update(now, 12, 1, {claim("a", need, 6), claim("b", 12 - need, 6)});
    if (i > 60 && slices != last) ++changes;
    last = slices;
  }
  CHECK(changes <= 1);
}

TEST_CASE("members come and go: the sum of the slices never exceeds the budget",
          "[shares][property]") {
  ShareDice dice(13);
  for (int run = 0; run < 40; ++run) {
    Shares shares(5), twin(5);
    Nanoseconds now(std::chrono::seconds(100));
    double budget = 20 + std::floor(dice.upto(40));
    std::vector<Claim> claims;
    int born = 0;
    for (int i = 0; i < 150; ++i) {
      now += std::chrono::milliseconds(500);
      if (claims.empty() || (claims.size() < 6 && dice.one_in(12))) {
        claims.push_back(random_claim(dice, "m" + std::to_string(born++)));
        claims.back().movable = true;
      }
      if (claims.size() > 1 && dice.one_in(25)) {
        claims.erase(claims.begin() + static_cast<std::ptrdiff_t>(dice.below(claims.size())));
      }
      if (dice.one_in(60)) budget = 20 + std::floor(dice.upto(40));
      if (dice.one_in(3)) claims[dice.below(claims.size())].need = strange(dice, dice.upto(40));
      const auto slices = shares.update(now, budget, 1, claims);
      std::vector<Claim> turned(claims.rbegin(), claims.rend());
      CHECK(slices == twin.update(now, budget, 1, turned));  // in whatever order they come
      INFO("run " << run << " step " << i);
      REQUIRE(slices.size() == claims.size());
      CHECK(sum(slices) <= budget + 1e-6);
      for (Claim& one : claims) {
        // Some come down to their slice at once, some step by step, some go up into it.
        const double slice = slices.at(one.member);
        const double held = sure(one.held);
        if (held > slice) one.held = dice.one_in(2) ? slice : std::max(slice, held * 0.8);
        if (held < slice && dice.one_in(3)) one.held = std::min(slice, held + 1);
      }
    }
  }
}
