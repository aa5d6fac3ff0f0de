#include "trace/learnt_json.h"

#include <array>
#include <charconv>
#include <stdexcept>

namespace rocktune::trace {
namespace {

// A float as the shortest decimal that reads back as it: 0.1 and not 0.10000000149011612.
double short_decimal(float value) {
  std::array<char, 32> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), value).ptr;
  double shortened = 0;
  std::from_chars(text.data(), end, shortened);
  return static_cast<float>(shortened) == value ? shortened : static_cast<double>(value);
}

// Both ways through the same order: put(number) or take() for each.
template <class Head, class Visit>
void visit_head(Head& head, Visit visit) {
  for (auto& weight : head.weights) visit(weight);
  visit(head.bias);
  for (auto& square : head.squares) visit(square);
  visit(head.bias_squares);
}

template <class Indicator, class Visit>
void visit_heads(Indicator& indicator, Visit visit) {
  for (auto& head : indicator.events) visit_head(head, visit);
  for (auto& of_value : indicator.values) {
    for (auto& of_horizon : of_value) {
      for (auto& head : of_horizon) visit_head(head, visit);
    }
  }
}

template <class Indicator, class Visit>
void visit_moments(Indicator& indicator, Visit visit) {
  for (auto& one : indicator.moments) {
    visit(one.count);
    visit(one.mean);
    visit(one.variance);
  }
}

// Gives a list's numbers one by one; finish() sees that none is left.
class Numbers {
 public:
  explicit Numbers(const Json& list) : list_(list) {
    if (!list.is_array()) throw std::invalid_argument("prior: a list was expected");
  }
  template <class Number>
  void operator()(Number& out) {
    out = list_.at(next_++).template get<Number>();
  }
  void finish() const {
    if (next_ != list_.size()) throw std::invalid_argument("prior: a list is too long");
  }

 private:
  const Json& list_;
  std::size_t next_ = 0;
};

LearntIndicator indicator_from_json(const Json& object) {
  LearntIndicator out;
  out.seconds = object.at("seconds").get<std::uint64_t>();
  out.onsets = object.at("onsets").get<std::uint64_t>();
  out.threshold_log_odds = object.at("threshold_log_odds").get<double>();
  Numbers moments(object.at("moments"));
  visit_moments(out, [&](double& number) { moments(number); });
  moments.finish();
  Numbers heads(object.at("heads"));
  visit_heads(out, [&](float& number) { heads(number); });
  heads.finish();
  return out;
}

}  // namespace

Json learnt_json(const Learnt& learnt) {
  Json indicators = Json::array();
  for (const LearntIndicator& indicator : learnt.indicators) {
    Json moments = Json::array();
    visit_moments(indicator, [&](double number) { moments.push_back(number); });
    Json heads = Json::array();
    visit_heads(indicator, [&](float number) { heads.push_back(short_decimal(number)); });
    indicators.push_back({{"seconds", indicator.seconds},
                          {"onsets", indicator.onsets},
                          {"threshold_log_odds", indicator.threshold_log_odds},
                          {"moments", std::move(moments)},
                          {"heads", std::move(heads)}});
  }
  return {{"version", Learnt::kVersion}, {"indicators", std::move(indicators)}};
}

std::optional<Learnt> learnt_from(const Json& object) {
  if (object.at("version").get<int>() != Learnt::kVersion) return std::nullopt;
  const Json& indicators = object.at("indicators");
  Learnt out;
  if (indicators.size() != out.indicators.size()) {
    throw std::invalid_argument("prior: not one entry for each indicator");
  }
  for (std::size_t i = 0; i < out.indicators.size(); ++i) {
    out.indicators.at(i) = indicator_from_json(indicators.at(i));
  }
  if (!is_sound(out)) throw std::invalid_argument("prior: not sound");
  return out;
}

}  // namespace rocktune::trace
