#include "tools/advise_text.h"

#include <algorithm>
#include <string_view>

#include "advice/rules.h"
#include "model/text.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using advice::Advice;
using advice::Confidence;
using advice::Remark;
using advice::Unit;

constexpr std::size_t kWidth = 100;
constexpr std::size_t kLabel = 14;
constexpr std::size_t kRuleLabel = 24;  // beyond the longest rule's name
constexpr std::size_t kMostNames = 6;   // column families that one remark lists; JSON has all

std::string_view confidence_name(Confidence confidence) {
  switch (confidence) {
    case Confidence::kHigh:
      return "high";
    case Confidence::kMedium:
      return "medium";
    case Confidence::kLow:
      break;
  }
  return "low";
}

struct UnitText {
  std::string_view name;  // in JSON
  std::string (*text)(double);
};

std::string times_text(double value) {
  return number_text(value) + "x";
}

UnitText unit_text(Unit unit) {
  switch (unit) {
    case Unit::kTimes:
      return {"times", times_text};
    case Unit::kRatio:
      return {"ratio", percent_text};
    case Unit::kBytes:
      return {"bytes", bytes_text};
    case Unit::kBytesPerSecond:
      return {"bytes_per_second", rate_text};
    case Unit::kMicroseconds:
      return {"microseconds", microseconds_text};
    case Unit::kSeconds:
      return {"seconds", seconds_text};
    case Unit::kCount:
      break;
  }
  return {"count", number_text};
}

// "from 12.3x to between 3.1x and 4.6x".
std::string effect_text(const advice::Effect& effect) {
  const UnitText unit = unit_text(effect.unit);
  const std::string low = unit.text(effect.low);
  const std::string high = unit.text(effect.high);
  return effect.measure + ": " + (effect.now ? "from " + unit.text(*effect.now) + " " : "") +
         "to " + (low == high ? low : "between " + low + " and " + high) + "; " + effect.reason;
}

// The words after a label, in lines of kWidth; later ones indented below the first.
void add_labelled(std::vector<std::string>& lines, std::string_view label, std::string_view words,
                  std::size_t column = kLabel) {
  std::string line = "   " + std::string(label);
  line.resize(std::max(line.size() + 1, column), ' ');
  const std::size_t indent = line.size();
  bool first = true;
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    words.remove_prefix(std::min(end + 1, words.size()));
    if (!first && display_width(line) + 1 + display_width(word) > kWidth) {
      lines.push_back(line);
      line.assign(indent, ' ');
      first = true;
    }
    line += (first ? "" : " ") + std::string(word);
    first = false;
  }
  lines.push_back(line);
}

std::string steps_text(const Advice& one) {
  std::string out;
  for (const advice::Step& step : one.steps) {
    out += (out.empty() ? "" : ", ") + step.option + "=" + step.value;
  }
  const bool open = std::any_of(one.steps.begin(), one.steps.end(),
                                [](const advice::Step& step) { return step.needs_open; });
  out += open ? " (at the next open)" : " (while it runs, or at the next open)";
  return one.how.empty() ? out : out + "; " + one.how;
}

std::string in_family(const std::string& name) {
  return name.empty() ? "" : "column family " + name + ": ";
}

void add_advice(std::vector<std::string>& lines, const Advice& one, std::size_t number) {
  lines.emplace_back();
  lines.push_back(std::to_string(number) + ". " + in_family(printable(one.column_family)) +
                  one.title + "   [" + one.rule + "]");
  std::string evidence;
  for (const advice::Fact& fact : one.evidence) {
    evidence += (evidence.empty() ? "" : "; ") + fact.text;
  }
  add_labelled(lines, "evidence", evidence);
  add_labelled(lines, "expect", effect_text(one.effect));
  add_labelled(lines, "confidence",
               std::string(confidence_name(one.confidence)) + ": " + one.confidence_reason);
  add_labelled(lines, "risk", one.risk);
  add_labelled(lines, "how", steps_text(one));
  add_labelled(lines, "source", one.source);
}

std::string families_text(const std::vector<std::string>& names) {
  std::string out;
  for (std::size_t i = 0; i < std::min(names.size(), kMostNames); ++i) {
    out += (i == 0 ? "" : ", ") + printable(names[i]);
  }
  if (names.size() > kMostNames) {
    out += " and " + std::to_string(names.size() - kMostNames) + " more";
  }
  return out;
}

// Names only where they tell: a database has other column families too.
std::string remark_text(const AdvisedDatabase& database, const Remark& remark) {
  const bool all = remark.column_families.size() == database.evidence.families.size();
  if (remark.column_families.empty() || all) return remark.why;
  return families_text(remark.column_families) + ": " + remark.why;
}

void add_remarks(std::vector<std::string>& lines, const AdvisedDatabase& database,
                 const std::vector<Remark>& remarks, const std::string& title) {
  if (remarks.empty()) return;
  lines.emplace_back();
  lines.push_back(title);
  for (const Remark& remark : remarks) {
    add_labelled(lines, remark.rule, remark_text(database, remark), kRuleLabel);
  }
}

std::string span_text(const AdvisedDatabase& database) {
  const advice::Evidence& e = database.evidence;
  std::string out = text::rfc3339(e.first_wall) + " to " + text::rfc3339(e.last_wall) + ", of it " +
                    seconds_text(e.seconds) + " with rates, in " + std::to_string(e.samples) +
                    " samples";
  if (!e.opening.rocksdb_version.empty()) out += "; RocksDB " + e.opening.rocksdb_version;
  if (e.begun_anew > 0) {
    out += "; opened with other options " + std::to_string(e.begun_anew) +
           (e.begun_anew == 1 ? " time" : " times") + ": what was before is left out";
  }
  return out;
}

// "write_buffer_size of default is 64 MiB in the file and 4 MiB as recorded".
std::string difference_text(const OptionDifference& one) {
  const std::string family = printable(one.column_family);
  if (one.option.empty()) return "the file has no column family " + family;
  return one.option + " of " + family + " is " + one.in_file + " in the file and " + one.recorded +
         " as recorded";
}

// What of the advice rests on a file that may be another database's.
void add_options_file(std::vector<std::string>& lines, const AdvisedDatabase& database) {
  if (database.options_file.empty()) return;
  add_labelled(lines, "options", printable(database.options_file));
  if (database.differences.empty()) return;
  std::string text =
      "the options file may be of another database, or of another opening, or "
      "rocktuned changed it meanwhile:";
  const std::size_t told = std::min(database.differences.size(), kMostNames);
  for (std::size_t i = 0; i < told; ++i) {
    text += (i == 0 ? " " : "; ") + difference_text(database.differences[i]);
  }
  if (const std::size_t more = database.differences.size() - told; more > 0) {
    text += "; and " + std::to_string(more) + " more";
  }
  add_labelled(lines, "warning", text);
}

void add_words(std::vector<std::string>& lines, const std::string& words) {
  lines.emplace_back();
  for (std::string& line : wrapped(words, kWidth)) lines.push_back(std::move(line));
}

// Nothing that was judged: the reason once, where it is the same for every rule.
void add_nothing_judged(std::vector<std::string>& lines, const AdvisedDatabase& database) {
  const std::vector<Remark>& remarks = database.report.not_judged;
  const bool same = std::all_of(remarks.begin(), remarks.end(), [&](const Remark& one) {
    return one.why == remarks.front().why && one.column_families.empty();
  });
  std::string words = "Nothing could be judged";
  words += same && !remarks.empty() ? ": " + remarks.front().why + "." : ".";
  if (database.evidence.seconds < advice::kLeastSeconds) {
    words += " Record for longer, or give more traces of this database: they count together.";
  }
  add_words(lines, words);
  if (!same) add_remarks(lines, database, remarks, "Why:");
}

void add_findings(std::vector<std::string>& lines, const AdvisedDatabase& database) {
  const advice::Report& report = database.report;
  if (report.advice.empty() && report.content.empty()) return add_nothing_judged(lines, database);
  if (report.advice.empty()) {
    add_words(lines, std::string("No advice: what ") +
                         (report.not_judged.empty() ? "was recorded" : "could be judged") +
                         " gives no reason to change anything.");
  }
  for (std::size_t i = 0; i < report.advice.size(); ++i) add_advice(lines, report.advice[i], i + 1);
  add_remarks(lines, database, report.not_judged, "Not judged, and why:");
  add_remarks(lines, database, report.content, "Judged, and nothing to advise:");
}

void add_database(std::vector<std::string>& lines, const AdvisedDatabase& database) {
  if (!lines.empty()) lines.emplace_back();
  lines.push_back(printable(database.name) +
                  (database.name == database.path ? "" : "  (" + printable(database.path) + ")"));
  add_labelled(lines, "recorded", span_text(database));
  for (const std::string& trace : database.traces) add_labelled(lines, "trace", printable(trace));
  if (database.apart) {
    add_labelled(lines, "apart",
                 "traces of one path do not count together where their host is not told and they "
                 "have no opening in common: they may be of several machines");
  }
  add_options_file(lines, database);
  add_findings(lines, database);
}

Json advice_object(const Advice& one) {
  Json evidence = Json::array();
  for (const advice::Fact& fact : one.evidence) {
    evidence.push_back({{"name", fact.name}, {"value", fact.value}, {"text", fact.text}});
  }
  Json steps = Json::array();
  for (const advice::Step& step : one.steps) {
    steps.push_back(
        {{"option", step.option}, {"value", step.value}, {"needs_open", step.needs_open}});
  }
  return {{"rule", one.rule},
          {"column_family", one.column_family},
          {"title", one.title},
          {"evidence", std::move(evidence)},
          {"effect",
           {{"measure", one.effect.measure},
            {"unit", unit_text(one.effect.unit).name},
            {"now", one.effect.now ? Json(*one.effect.now) : Json()},
            {"low", one.effect.low},
            {"high", one.effect.high},
            {"reason", one.effect.reason}}},
          {"confidence", confidence_name(one.confidence)},
          {"confidence_reason", one.confidence_reason},
          {"risk", one.risk},
          {"steps", std::move(steps)},
          {"how", one.how},
          {"source", one.source}};
}

Json remarks_json(const std::vector<Remark>& remarks) {
  Json out = Json::array();
  for (const Remark& remark : remarks) {
    out.push_back(
        {{"rule", remark.rule}, {"column_families", remark.column_families}, {"why", remark.why}});
  }
  return out;
}

Json database_json(const AdvisedDatabase& database) {
  const advice::Evidence& e = database.evidence;
  Json object{
      {"name", database.name},
      {"path", database.path},
      {"host", database.host},
      {"traces", database.traces},
      {"first", text::rfc3339(e.first_wall)},
      {"last", text::rfc3339(e.last_wall)},
      {"seconds", e.seconds},
      {"samples", e.samples},
      {"rocksdb_version", e.opening.rocksdb_version},
      {"opened_with_other_options", e.begun_anew},
      {"options_file", database.options_file.empty() ? Json() : Json(database.options_file)},
      {"options_differ", Json::array()},
      {"advice", Json::array()}};
  for (const OptionDifference& one : database.differences) {
    object["options_differ"].push_back({{"column_family", one.column_family},
                                        {"option", one.option.empty() ? Json() : Json(one.option)},
                                        {"file", one.in_file},
                                        {"recorded", one.recorded}});
  }
  for (const Advice& one : database.report.advice) object["advice"].push_back(advice_object(one));
  object["not_judged"] = remarks_json(database.report.not_judged);
  object["content"] = remarks_json(database.report.content);
  return object;
}

}  // namespace

std::vector<std::string> advice_lines(const std::vector<AdvisedDatabase>& databases) {
  std::vector<std::string> lines;
  for (const AdvisedDatabase& database : databases) add_database(lines, database);
  return lines;
}

Json advice_json(const std::vector<AdvisedDatabase>& databases) {
  Json out{{"schema", "rocktune-advice/1"}, {"databases", Json::array()}};
  for (const AdvisedDatabase& database : databases) {
    out["databases"].push_back(database_json(database));
  }
  return out;
}

}  // namespace rocktune::tools
