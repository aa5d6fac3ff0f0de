#include "model/heads/linear_head.h"

#include <cmath>
#include <limits>
#include <random>

#include "tests/support/catch.h"

namespace rocktune {
namespace {

HeadInputs with(double l0_use) {
  HeadInputs inputs;
  inputs.set(HeadInput::kL0Use, l0_use);
  return inputs;
}

constexpr auto kL0 = static_cast<std::size_t>(HeadInput::kL0Use);

TEST_CASE("moments: mean and spread, cut at six deviations, unknown counts as the mean",
          "[heads]") {
  InputMoments moments{};
  for (int i = 0; i < 1000; ++i) add_reading(moments, with(i % 2 ? 1.0 : 3.0));
  CHECK(moments[kL0].mean == Approx(2));
  CHECK(moments[kL0].variance == Approx(1).margin(0.01));
  CHECK(standardise(moments, with(3))[kL0] == Approx(1).margin(0.01));
  CHECK(standardise(moments, with(1e9))[kL0] == Approx(6));
  CHECK(standardise(moments, with(std::nan("")))[kL0] == 0);
  CHECK(standardise(moments, HeadInputs())[kL0 + 1] == 0);  // never seen
}

TEST_CASE("moments: a constant input does not blow up what comes after it", "[heads]") {
  InputMoments moments{};
  for (int i = 0; i < 1000; ++i) add_reading(moments, with(0.5));
  CHECK(standardise(moments, with(0.51))[kL0] == Approx(0.2).margin(0.01));
}

TEST_CASE("packed inputs are what they were to 1/8192 of a deviation", "[heads]") {
  HeadVector inputs{};
  inputs[0] = 6;
  inputs[1] = -6;
  inputs[2] = -0.12345F;
  const HeadVector back = unpack(pack(inputs));
  CHECK(back[0] == 6);
  CHECK(back[1] == -6);
  CHECK(back[2] == Approx(-0.12345).margin(1.0 / 8192));
  CHECK(back[3] == 0);
}

TEST_CASE("moments: what cannot have been learnt is not sound", "[heads]") {
  InputMoments moments{};
  CHECK(is_sound(moments));
  moments[3] = {10, 0.5, 0.25};
  CHECK(is_sound(moments));
  moments[3].variance = -1;
  CHECK_FALSE(is_sound(moments));
  moments[3] = {10, std::numeric_limits<double>::infinity(), 1};
  CHECK_FALSE(is_sound(moments));
  moments[3] = {std::nan(""), 0.5, 0.25};
  CHECK_FALSE(is_sound(moments));
}

TEST_CASE("a head without weights says what physics says", "[heads]") {
  HeadVector inputs;
  inputs.fill(3);
  CHECK(event_log_odds({}, inputs, log_odds(0.2)) == Approx(log_odds(0.2)));
  CHECK(probability_of(log_odds(0.2)) == Approx(0.2));
  CHECK(log_odds(0) == Approx(-kMostLogOdds));
  CHECK(log_odds(1) == Approx(kMostLogOdds));
}

TEST_CASE("an event head learns how probable an event is, whatever physics says", "[heads]") {
  std::mt19937_64 random(3);
  std::normal_distribution<float> normal;
  HeadWeights head;
  const auto draw = [&](HeadVector& inputs) {
    inputs = {};
    inputs[kL0] = normal(random);
    const double p = 1 / (1 + std::exp(-2.0 * static_cast<double>(inputs[kL0]) + 1));
    return std::bernoulli_distribution(p)(random);
  };
  for (int i = 0; i < 20000; ++i) {
    HeadVector inputs;
    const bool came = draw(inputs);
    learn_event(head, inputs, 0.5, came);
  }
  CHECK(static_cast<double>(head.weights[kL0]) == Approx(2).margin(0.3));
  CHECK(0.5 + static_cast<double>(head.bias) == Approx(-1).margin(0.3));
  CHECK(is_sound(head));
}

TEST_CASE("a quantile head learns what nine in ten stay below", "[heads]") {
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform;
  HeadWeights head;
  int below = 0;
  for (int i = 0; i < 40000; ++i) {
    HeadVector inputs{};
    inputs[kL0] = static_cast<float>(uniform(random) * 2 - 1);
    const double came = 1 + static_cast<double>(inputs[kL0]) + uniform(random);
    if (i >= 20000 && came <= evaluate(head, inputs, 1)) ++below;
    learn_quantile(head, inputs, 1, came, 0.9);
  }
  CHECK(below / 20000.0 == Approx(0.9).margin(0.03));
}

TEST_CASE("heads stay finite on the wildest inputs", "[heads]") {
  std::mt19937_64 random(7);
  std::uniform_real_distribution<float> wild(-6, 6);
  HeadWeights event, quantile;
  for (int i = 0; i < 20000; ++i) {
    HeadVector inputs;
    for (float& input : inputs) input = wild(random);
    learn_event(event, inputs, i % 3 ? 7 : -7, i % 2 == 0);
    learn_quantile(quantile, inputs, -1e6, i % 2 ? 1e6 : -1e6, 0.5);
    if (i == 10000) quicken(event);
  }
  CHECK(is_sound(event));
  CHECK(is_sound(quantile));
}

}  // namespace
}  // namespace rocktune
