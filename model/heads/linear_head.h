// The two kinds of heads: linear in the standardised inputs, on top of an offset that physics (or
// persistence) gives, learnt online by AdaGrad (Duchi, Hazan, Singer 2011): each weight has a step
// of its own, which shrinks with the gradients that it has seen. With all weights 0 a head says
// what its offset says. Pure, no allocation.
#pragma once

#include <array>

#include "model/heads/moments.h"

namespace rocktune {

struct HeadWeights {
  HeadVector weights{}, squares{};  // squares: sums of squared gradients
  float bias = 0, bias_squares = 0;
  bool operator==(const HeadWeights&) const = default;
};

// Weights as learning bounds them, squares not negative; nothing else than finite numbers.
[[nodiscard]] bool is_sound(const HeadWeights& head);

// The offset plus what was learnt.
[[nodiscard]] double evaluate(const HeadWeights& head, const HeadVector& inputs, double offset);

// One step against `gradient` of the loss with respect to evaluate()'s value.
void descend(HeadWeights& head, const HeadVector& inputs, float gradient, float rate);

// Log odds are kept within these, so that probabilities stay off 0 and 1.
inline constexpr double kMostLogOdds = 7;
double log_odds(double probability);
double probability_of(double log_odds);

// The probability that an event comes: logistic loss. `physical` is in log odds, as the result.
double event_log_odds(const HeadWeights& head, const HeadVector& inputs, double physical);
void learn_event(HeadWeights& head, const HeadVector& inputs, double physical, bool came);

// The p-quantile of the largest value to come, which is `now` or more: pinball loss.
void learn_quantile(HeadWeights& head, const HeadVector& inputs, double now, double came, double p);

// Forgets how much was seen, so that weights move faster again (after a drift).
void quicken(HeadWeights& head);

}  // namespace rocktune
