#include "tools/change_text.h"

#include <charconv>
#include <string_view>

#include "tools/json_fields.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr std::string_view kWentFrom = " went from ";  // policy/outcomes.cc

// "FEATURE went from 6115.463 to 6314.043 (tolerance 611.546)" and whatever follows, with numbers
// in the feature's unit; empty when it does not begin so.
std::string measured_words(std::string_view reason) {
  const auto head = reason.find(kWentFrom);
  if (head == std::string_view::npos) return "";
  const std::string_view feature = reason.substr(0, head);
  if (feature.find(' ') != std::string_view::npos) return "";
  std::string text(reason.substr(0, head + kWentFrom.size()));
  reason.remove_prefix(text.size());
  for (const std::string_view after : {" to ", " (tolerance ", ")"}) {
    double value = 0;
    const auto [end, error] = std::from_chars(reason.data(), reason.data() + reason.size(), value);
    if (error != std::errc()) return "";
    reason.remove_prefix(static_cast<std::size_t>(end - reason.data()));
    if (!reason.starts_with(after)) return "";
    reason.remove_prefix(after.size());
    text += feature_text(feature, value) + std::string(after);
  }
  return text + std::string(reason);
}

}  // namespace

std::string knob_called(const Json& decision) {
  const std::string family = text_at(decision, "column_family");
  return text_at(decision, "knob") + (family.empty() ? "" : " of " + family);
}

std::string knob_value_at(const Json& line, const char* key, const std::string& knob) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_number_integer()) return "?";
  return knob_text(knob, found->get<std::int64_t>());
}

std::string done_words(const Json& actuation, const std::string& knob) {
  const std::string before = knob_value_at(actuation, "before", knob);
  const bool stays = actuation.value("before", Json()) == actuation.value("after", Json());
  return text_at(actuation, "status") +
         (stays ? ", stays at " + before
                : " " + before + " -> " + knob_value_at(actuation, "after", knob));
}

std::string actuation_text(const Json& actuation, const std::string& knob) {
  const std::string reason = text_at(actuation, "reason");
  return done_words(actuation, knob) + (reason.empty() ? "" : ": " + reason);
}

std::string outcome_text(const Json& outcome) {
  std::string text = text_at(outcome, "result");
  const std::string reason = text_at(outcome, "reason");
  if (reason.empty()) return text;
  const std::string measured = measured_words(reason);
  return text + ": " + (measured.empty() ? reason : measured);
}

}  // namespace rocktune::tools
