// A prior as text.
#include <charconv>
#include <cmath>

#include "prior/format.h"
#include "prior/prior.h"

namespace rocktune {
namespace {

using prior_format::kBias;

constexpr std::string_view kFirstWords = "# What the heads of rocktune's early warnings begin with";

template <class Number>
std::string shortest(Number value) {
  std::array<char, 32> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return error == std::errc() ? std::string(buffer.data(), end) : std::string("nan");
}

std::string of_optional(const std::optional<double>& value) {
  return value ? shortest(*value) : std::string("null");
}

// "name:   [a, b]", the lists under each other.
template <class Number>
void put_row(std::string& out, std::string_view indent, std::string_view name,
             const std::vector<Number>& numbers) {
  constexpr std::size_t kNameWidth = 22;
  std::string key = std::string(name) + ":";
  key.resize(std::max(key.size() + 1, kNameWidth), ' ');
  out += std::string(indent) + key + "[";
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    out += (i > 0 ? ", " : "") + shortest(numbers[i]);
  }
  out += "]\n";
}

void put_heads(std::string& out, std::string_view indent,
               const std::vector<const HeadWeights*>& heads) {
  const std::string deeper = std::string(indent) + "  ";
  const auto put = [&](const char* part, auto of_bias, auto of_input) {
    out += std::string(indent) + part + ":\n";
    std::vector<float> row(heads.size());
    for (std::size_t i = 0; i < heads.size(); ++i) row[i] = of_bias(*heads[i]);
    put_row(out, deeper, kBias, row);
    for (std::size_t input = 0; input < kHeadInputs; ++input) {
      for (std::size_t i = 0; i < heads.size(); ++i) row[i] = of_input(*heads[i], input);
      put_row(out, deeper, head_input_specs().at(input).name, row);
    }
  };
  put(
      "weights", [](const HeadWeights& head) { return head.bias; },
      [](const HeadWeights& head, std::size_t input) { return head.weights.at(input); });
  put(
      "squares", [](const HeadWeights& head) { return head.bias_squares; },
      [](const HeadWeights& head, std::size_t input) { return head.squares.at(input); });
}

void put_indicator(std::string& out, IndicatorKind kind, const LearntIndicator& learnt) {
  out += "  " + std::string(to_string(kind)) + ":\n";
  out += "    seconds: " + std::to_string(learnt.seconds) + "\n";
  out += "    onsets: " + std::to_string(learnt.onsets) + "\n";
  out += "    threshold_log_odds: " + shortest(learnt.threshold_log_odds) + "  # probability " +
         shortest(std::round(probability_of(learnt.threshold_log_odds) * 1000) / 1000) + "\n";
  out += "    moments:  # [readings, mean, variance]\n";
  for (std::size_t input = 0; input < kHeadInputs; ++input) {
    const Moments& one = learnt.moments.at(input);
    put_row(out, "      ", head_input_specs().at(input).name,
            std::vector<double>{one.count, one.mean, one.variance});
  }
  std::vector<const HeadWeights*> heads;
  heads.reserve(learnt.events.size());
  for (const HeadWeights& head : learnt.events) heads.push_back(&head);
  out += "    event:  # within [10, 30, 60] s, in log odds per deviation\n";
  put_heads(out, "      ", heads);
  out += "    values:  # the largest within 10, 30, 60 s: [median, 90%] each\n";
  for (const auto& of_value : learnt.values) {
    heads.clear();
    for (const auto& of_horizon : of_value) {
      for (const HeadWeights& head : of_horizon) heads.push_back(&head);
    }
    out += "      -\n";
    put_heads(out, "        ", heads);
  }
}

void put_trained_on(std::string& out, const std::vector<TrainedOn>& all) {
  out += all.empty() ? "trained_on: []\n" : "trained_on:\n";
  for (const TrainedOn& one : all) {
    out += "  - {trace: " + prior_format::quoted(one.trace) +
           ", seconds: " + std::to_string(one.seconds) + ", onsets: {";
    for (std::size_t i = 0; i < one.onsets.size(); ++i) {
      out += (i > 0 ? ", " : "") + std::string(to_string(prior_format::kKinds.at(i))) + ": " +
             std::to_string(one.onsets.at(i));
    }
    out += "}}\n";
  }
}

void put_scored(std::string& out, const std::vector<PriorScore>& all) {
  out += all.empty() ? "scored: []\n" : "scored:\n";
  for (const PriorScore& one : all) {
    out += "  - {indicator: " + std::string(to_string(one.kind)) +
           ", horizon_seconds: " + std::to_string(one.horizon_seconds) +
           ", detector: " + prior_format::quoted(one.detector) +
           ", events: " + std::to_string(one.events) +
           ", false_alarms_per_hour: " + of_optional(one.false_alarms_per_hour) +
           ", recall_10: " + of_optional(one.recall_10) +
           ", recall_20: " + of_optional(one.recall_20) +
           ", brier_skill: " + of_optional(one.brier_skill) + "}\n";
  }
}

}  // namespace

bool is_prior_text(std::string_view text) {
  return text.starts_with(kFirstWords);
}

std::string prior_text(const Prior& prior) {
  const PriorNotes& notes = prior.notes;
  std::string out = std::string(kFirstWords) +
                    " (docs/train.md). Inputs are\n# standardised by their moments; weights say "
                    "what one deviation of an input adds.\n";
  out += "version: " + std::to_string(Learnt::kVersion) + "\n";
  out += "made_by: " + prior_format::quoted(notes.made_by) + "\n";
  if (!notes.database.empty()) out += "database: " + prior_format::quoted(notes.database) + "\n";
  put_trained_on(out, notes.trained_on);
  put_scored(out, notes.scored);
  out += "indicators:\n";
  for (const IndicatorKind kind : prior_format::kKinds) {
    put_indicator(out, kind, prior.learnt.indicators.at(static_cast<std::size_t>(kind)));
  }
  return out;
}

}  // namespace rocktune
