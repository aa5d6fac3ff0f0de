#include "model/heads/linear_head.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

// Of the prototypes: AdaGrad 0.1, L2 1e-5 for events. Quantile losses have gradients of size 1
// whatever the error, hence smaller steps.
constexpr float kEventRate = 0.1F;
constexpr float kQuantileRate = 0.03F;
constexpr float kDecay = 1e-5F;
// What a weight counts as having seen before its first gradient: its first steps are no leaps.
constexpr float kFirstSquares = 1;
constexpr float kMostWeight = 8;
constexpr float kMostSquares = 1e30F;  // far beyond what years of steps add up to

float stepped(float weight, float squares, float gradient, float rate) {
  const float to = weight - rate * gradient / std::sqrt(kFirstSquares + squares);
  const float bounded = to < -kMostWeight ? -kMostWeight : to;
  return bounded > kMostWeight ? kMostWeight : bounded;
}

}  // namespace

bool is_sound(const HeadWeights& head) {
  const auto weight = [](float value) { return std::abs(value) <= kMostWeight; };
  const auto square = [](float value) { return value >= 0 && value <= kMostSquares; };
  return std::all_of(head.weights.begin(), head.weights.end(), weight) && weight(head.bias) &&
         std::all_of(head.squares.begin(), head.squares.end(), square) && square(head.bias_squares);
}

double evaluate(const HeadWeights& head, const HeadVector& inputs, double offset) {
  // In four sums, as each addition waits for the one before.
  std::array<float, 4> sums{head.bias};
  std::size_t i = 0;
  for (; i + sums.size() <= kHeadInputs; i += sums.size()) {
    for (std::size_t k = 0; k < sums.size(); ++k) sums[k] += head.weights[i + k] * inputs[i + k];
  }
  for (; i < kHeadInputs; ++i) sums[0] += head.weights[i] * inputs[i];
  return offset + static_cast<double>((sums[0] + sums[1]) + (sums[2] + sums[3]));
}

// Without branches, so that the compiler takes several weights at a time. What is as usual teaches
// its weight nothing.
void descend(HeadWeights& head, const HeadVector& inputs, float gradient, float rate) {
  for (std::size_t i = 0; i < kHeadInputs; ++i) {
    const float decay = inputs[i] != 0 ? kDecay : 0;
    const float of_weight = gradient * inputs[i] + decay * head.weights[i];
    head.squares[i] += of_weight * of_weight;
    head.weights[i] = stepped(head.weights[i], head.squares[i], of_weight, rate);
  }
  head.bias_squares += gradient * gradient;
  head.bias = stepped(head.bias, head.bias_squares, gradient, rate);
}

double log_odds(double probability) {
  const double least = 1 / (1 + std::exp(kMostLogOdds));
  const double p = std::clamp(probability, least, 1 - least);
  return std::log(p / (1 - p));
}

double probability_of(double log_odds) {
  return 1 / (1 + std::exp(-log_odds));
}

double event_log_odds(const HeadWeights& head, const HeadVector& inputs, double physical) {
  return std::clamp(evaluate(head, inputs, physical), -kMostLogOdds, kMostLogOdds);
}

void learn_event(HeadWeights& head, const HeadVector& inputs, double physical, bool came) {
  const double p = probability_of(event_log_odds(head, inputs, physical));
  descend(head, inputs, static_cast<float>(p - (came ? 1 : 0)), kEventRate);
}

void learn_quantile(HeadWeights& head, const HeadVector& inputs, double now, double came,
                    double p) {
  const double below = came <= evaluate(head, inputs, now) ? 1 : 0;
  descend(head, inputs, static_cast<float>(below - p), kQuantileRate);
}

void quicken(HeadWeights& head) {
  for (float& squares : head.squares) squares /= 4;
  head.bias_squares /= 4;
}

}  // namespace rocktune
