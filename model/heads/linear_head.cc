#include "model/heads/linear_head.h"

#include <algorithm>
#include <cmath>

namespace rocktune {
namespace {

// Of the prototypes: AdaGrad 0.1, L2 1e-5 for events. Quantile losses have gradients of size 1
// whatever the error, hence smaller steps.
constexpr double kEventRate = 0.1;
constexpr double kQuantileRate = 0.03;
constexpr double kDecay = 1e-5;
// What a weight counts as having seen before its first gradient: its first steps are no leaps.
constexpr double kFirstSquares = 1;
constexpr float kMostWeight = 8;
constexpr float kMostSquares = 1e30F;  // far beyond what years of steps add up to

void step(float& weight, float& squares, double gradient, double rate) {
  squares += static_cast<float>(gradient * gradient);
  const double moved = rate * gradient / std::sqrt(kFirstSquares + static_cast<double>(squares));
  weight = std::clamp(weight - static_cast<float>(moved), -kMostWeight, kMostWeight);
}

}  // namespace

bool is_sound(const HeadWeights& head) {
  const auto weight = [](float value) { return std::abs(value) <= kMostWeight; };
  const auto square = [](float value) { return value >= 0 && value <= kMostSquares; };
  return std::all_of(head.weights.begin(), head.weights.end(), weight) && weight(head.bias) &&
         std::all_of(head.squares.begin(), head.squares.end(), square) && square(head.bias_squares);
}

double evaluate(const HeadWeights& head, const HeadVector& inputs, double offset) {
  float sum = head.bias;
  for (std::size_t i = 0; i < kHeadInputs; ++i) sum += head.weights[i] * inputs[i];
  return offset + static_cast<double>(sum);
}

void descend(HeadWeights& head, const HeadVector& inputs, double gradient, double rate) {
  for (std::size_t i = 0; i < kHeadInputs; ++i) {
    if (inputs[i] == 0) continue;
    const double of_weight =
        gradient * static_cast<double>(inputs[i]) + kDecay * static_cast<double>(head.weights[i]);
    step(head.weights[i], head.squares[i], of_weight, rate);
  }
  step(head.bias, head.bias_squares, gradient, rate);
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
  descend(head, inputs, p - (came ? 1 : 0), kEventRate);
}

void learn_quantile(HeadWeights& head, const HeadVector& inputs, double now, double came,
                    double p) {
  descend(head, inputs, (came <= evaluate(head, inputs, now) ? 1 : 0) - p, kQuantileRate);
}

void quicken(HeadWeights& head) {
  for (float& squares : head.squares) squares /= 4;
  head.bias_squares /= 4;
}

}  // namespace rocktune
