#include "tools/indicator_rows.h"

#include <algorithm>

#include "tools/alert_text.h"
#include "tools/json_fields.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

std::string driver_text(const Json& driver) {
  const std::string feature = text_at(driver, "feature");
  std::string text = feature;
  if (const auto value = number_at(driver, "value")) text += " " + feature_text(feature, *value);
  if (const auto limit = number_at(driver, "limit")) text += of_limit(feature, *limit);
  return text;
}

// Raised, and improbable by now: a state is kept for some seconds, so that it does not flicker.
bool is_only_kept(const Json& indicator) {
  const auto near = number_at(indicator, "near_probability");
  const auto warns_from = number_at(indicator, "warn_probability");
  return text_at(indicator, "state") != "ok" && near && warns_from && *near < *warns_from;
}

std::string when_text(const Json& indicator) {
  if (indicator.value("event", false)) return "now";
  if (is_too_soon(indicator)) {
    return "over for " + seconds_text(number_at(indicator, "seconds_since_event").value_or(0));
  }
  if (is_only_kept(indicator)) return "unlikely again";
  const auto eta = number_at(indicator, "eta_seconds");
  const bool warns = text_at(indicator, "state") != "ok";  // what is not warned of has no time
  return eta && warns ? "in " + seconds_text(*eta) : "";
}

// Why it stands so: while the event holds how things are, of a forecast what speaks for it.
std::string reason_text(const Json& indicator) {
  if (indicator.value("event", false)) return text_at(indicator, "sentence");
  const bool warns = text_at(indicator, "state") != "ok";
  if (!warns || is_too_soon(indicator) || is_only_kept(indicator)) return "";
  for (const Json& driver : indicator.value("evidence", Json::array())) {
    if (number_at(driver, "weight").value_or(0) < 0) continue;  // speaks against it
    return "strongest evidence " + driver_text(driver);         // it need not be one of the cause
  }
  return "";
}

std::vector<std::string> indicator_row(const Json& indicator) {
  const std::string name = text_at(indicator, "indicator");
  if (!indicator.value("valid", false)) {
    return {name, "not known", "", "", text_at(indicator, "why_invalid")};
  }
  std::string state = text_at(indicator, "state");
  if (state != "ok") std::transform(state.begin(), state.end(), state.begin(), ::toupper);
  const std::string likely = is_too_soon(indicator) ? "too soon" : likelihood_text(indicator);
  std::string why = text_at(indicator, "cause");
  if (const std::string reason = reason_text(indicator); !reason.empty()) {
    why += (why.empty() ? "" : "; ") + reason;
  }
  return {name, state, likely, when_text(indicator), why};
}

}  // namespace

std::vector<std::vector<std::string>> indicator_rows(const Json& indicators) {
  if (indicators.empty()) return {};
  std::vector<std::vector<std::string>> rows = {
      {"early warning", "state", "new event", "when", "cause"}};
  for (const Json& indicator : indicators) rows.push_back(indicator_row(indicator));
  return rows;
}

}  // namespace rocktune::tools
