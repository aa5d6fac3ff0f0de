#include "tools/alert_score.h"

#include <algorithm>
#include <chrono>
#include <numeric>

#include "model/text.h"
#include "score/events.h"
#include "score/quantile.h"
#include "score/tally.h"
#include "tools/json_fields.h"
#include "tools/text.h"
#include "trace/journal_json.h"

namespace rocktune::tools {
namespace {

constexpr const char* kKnows =
    "Of the log alone: a second event while one alert stands, events that rocktuned did not see, "
    "and other thresholds are not known; rocktune score reads those from a trace.";

std::optional<bool> bool_at(const Json& line, const char* key) {
  const auto found = line.find(key);
  if (found == line.end() || !found->is_boolean()) return std::nullopt;
  return found->get<bool>();
}

std::string two_digits(const std::optional<double>& value) {
  return value ? text::number(*value, 2) : "-";
}

// Over less time a single false alarm would be hundreds a day.
constexpr double kLeastDays = 0.25;

std::string per_day(double count, double days) {
  return days >= kLeastDays ? text::number(count / days, 1) : "-";
}

std::string count_cell(std::uint64_t count) {
  return std::to_string(count);
}

std::vector<std::string> totals_row(const std::string& indicator, const AlertTotals& totals,
                                    double days) {
  const auto cleared = std::accumulate(totals.fates.begin(), totals.fates.end(), std::uint64_t{0});
  const auto p10 = score::quantile(totals.leads, 0.1), p50 = score::quantile(totals.leads, 0.5);
  std::vector<std::string> row = {printable(indicator),
                                  count_cell(cleared),
                                  count_cell(totals.count(AlertFate::kTrue)),
                                  count_cell(totals.false_alarms()),
                                  per_day(static_cast<double>(totals.false_alarms()), days),
                                  two_digits(totals.precision()),
                                  count_cell(totals.events())};
  for (const std::size_t lead : score::kRecallLeads) {
    row.push_back(two_digits(totals.recall(static_cast<double>(lead))));
  }
  row.push_back(p10 ? text::number(*p10, 1) + "/" + text::number(*p50, 1) + " s" : "-");
  row.push_back(count_cell(totals.count(AlertFate::kUnwarned)));
  row.push_back(count_cell(totals.count(AlertFate::kUnknown)));
  row.push_back(count_cell(totals.open));
  return row;
}

Json number_or_null(const std::optional<double>& value) {
  return value ? Json(*value) : Json(nullptr);
}

Json totals_json(const std::string& indicator, const AlertTotals& totals, double days) {
  Json one{{"indicator", indicator},
           {"true", totals.count(AlertFate::kTrue)},
           {"late", totals.count(AlertFate::kLate)},
           {"early", totals.count(AlertFate::kEarly)},
           {"no_event", totals.count(AlertFate::kNoEvent)},
           {"unwarned", totals.count(AlertFate::kUnwarned)},
           {"unknown", totals.count(AlertFate::kUnknown)},
           {"open", totals.open},
           {"false_alarms", totals.false_alarms()},
           {"false_alarms_per_day", nullptr},
           {"events", totals.events()},
           {"precision", number_or_null(totals.precision())},
           {"recall", Json::object()},
           {"lead_p10_seconds", number_or_null(score::quantile(totals.leads, 0.1))},
           {"lead_p50_seconds", number_or_null(score::quantile(totals.leads, 0.5))}};
  if (days >= kLeastDays) {
    one["false_alarms_per_day"] = static_cast<double>(totals.false_alarms()) / days;
  }
  for (const std::size_t lead : score::kRecallLeads) {
    one["recall"][std::to_string(lead)] = number_or_null(totals.recall(static_cast<double>(lead)));
  }
  return one;
}

}  // namespace

AlertFate alert_fate(const Json& clearing) {
  const auto came = bool_at(clearing, "event_came");
  if (!came) return AlertFate::kUnknown;
  if (!*came) {
    return bool_at(clearing, "valid").value_or(true) ? AlertFate::kNoEvent : AlertFate::kUnknown;
  }
  const auto lead = number_at(clearing, "lead_seconds");
  const auto horizon = number_at(clearing, "horizon_seconds");
  if (!lead) return AlertFate::kUnknown;
  if (*lead <= 0) return AlertFate::kUnwarned;
  if (*lead < static_cast<double>(score::kShortestLead)) return AlertFate::kLate;
  if (horizon && *lead > *horizon) return AlertFate::kEarly;
  return AlertFate::kTrue;
}

std::uint64_t AlertTotals::count(AlertFate fate) const {
  return fates.at(static_cast<std::size_t>(fate));
}

std::uint64_t AlertTotals::false_alarms() const {
  return count(AlertFate::kLate) + count(AlertFate::kEarly) + count(AlertFate::kNoEvent);
}

std::uint64_t AlertTotals::events() const {
  return count(AlertFate::kTrue) + count(AlertFate::kLate) + count(AlertFate::kEarly) +
         count(AlertFate::kUnwarned);
}

std::optional<double> AlertTotals::precision() const {
  const std::uint64_t judged = count(AlertFate::kTrue) + false_alarms();
  if (judged == 0) return std::nullopt;
  return static_cast<double>(count(AlertFate::kTrue)) / static_cast<double>(judged);
}

std::optional<double> AlertTotals::recall(double lead) const {
  if (events() == 0) return std::nullopt;
  const auto enough =
      std::count_if(leads.begin(), leads.end(), [lead](double one) { return one >= lead; });
  return static_cast<double>(enough) / static_cast<double>(events());
}

void AlertScorer::add(std::string_view line) {
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const Json object = Json::parse(line, nullptr, false);
  if (!object.is_object() || text_at(object, "kind").empty() ||
      !trace::parse_rfc3339(text_at(object, "time"))) {
    ++malformed_;
    return;
  }
  note_time(object);
  if (text_at(object, "kind") == "alert") note_alert(object);
}

// An event line may lie before the lines above it: time never runs backwards here.
void AlertScorer::note_time(const Json& line) {
  const Nanoseconds time = *trace::parse_rfc3339(text_at(line, "time"));
  if (last_ && time > *last_ && !stopped_) watched_ += time - *last_;
  last_ = last_ ? std::max(*last_, time) : time;
  stopped_ = text_at(line, "kind") == "daemon" && text_at(line, "id") == "stopped";
}

void AlertScorer::note_alert(const Json& line) {
  const std::string indicator = text_at(line, "indicator");
  const std::string key = text_at(line, "target") + '\n' + text_at(line, "id");
  targets_.insert(text_at(line, "target"));
  AlertTotals& totals = totals_[indicator];
  take_back(indicator, key);
  if (text_at(line, "state") != "ok") {
    open_[indicator].insert(key);
    return;
  }
  open_[indicator].erase(key);
  Ended& end = ended_[indicator][key];
  end.fate = alert_fate(line);
  ++totals.fates.at(static_cast<std::size_t>(end.fate));
  if (end.fate != AlertFate::kTrue) return;
  end.lead = number_at(line, "lead_seconds");
  totals.leads.push_back(*end.lead);
}

void AlertScorer::take_back(const std::string& indicator, const std::string& key) {
  AlertTotals& totals = totals_[indicator];
  auto& ended = ended_[indicator];
  const auto found = ended.find(key);
  if (found == ended.end()) return;
  const Ended end = found->second;
  ended.erase(found);
  --totals.fates.at(static_cast<std::size_t>(end.fate));
  if (end.lead) totals.leads.erase(std::ranges::find(totals.leads, *end.lead));
}

double AlertScorer::days() const {
  return std::chrono::duration<double>(watched_).count() / 86400;
}

std::map<std::string, AlertTotals> AlertScorer::totals() const {
  std::map<std::string, AlertTotals> all = totals_;
  for (const auto& [indicator, open] : open_) all[indicator].open = open.size();
  return all;
}

std::vector<std::string> AlertScorer::lines() const {
  const auto all = totals();
  std::vector<std::string> out = {
      "the log covers " +
      (days() < 1 ? text::duration(days() * 86400) : text::number(days(), 2) + " days") +
      (targets_.size() > 1 ? " of " + std::to_string(targets_.size()) + " databases" : "")};
  if (all.empty()) {
    out.emplace_back("no alert in it: nothing to score");
    return out;
  }
  std::vector<std::vector<std::string>> rows = {
      {"indicator", "cleared", "true", "false", "false/day", "precision", "events", "recall@2",
       "@5", "@10", "@20", "@30", "lead p10/p50", "not warned", "unknown", "open"}};
  for (const auto& [indicator, totals] : all) {
    rows.push_back(totals_row(indicator, totals, days()));
  }
  for (std::string& line : table(rows)) out.push_back(std::move(line));
  out.emplace_back(kKnows);
  return out;
}

Json AlertScorer::json() const {
  Json out{{"kind", "alert_score"},
           {"days", days()},
           {"targets", targets_.size()},
           {"indicators", Json::array()},
           {"knows", kKnows}};
  for (const auto& [indicator, totals] : totals()) {
    out["indicators"].push_back(totals_json(indicator, totals, days()));
  }
  return out;
}

}  // namespace rocktune::tools
