#include "tools/knobs_text.h"

#include <set>

#include "tools/text.h"

namespace rocktune::tools {
namespace {

using Row = std::vector<std::string>;

bool is_switch(const Json& knob) {
  return knob.value("type", std::string()) == "boolean";
}

// As the agent says, which may be newer than this program.
std::string value_text(const Json& knob, std::int64_t value) {
  return value_in(is_switch(knob) ? "switch" : knob.value("unit", std::string()), value);
}

std::string range_text(const Json& knob) {
  if (is_switch(knob)) return "off, on";
  std::string text = value_text(knob, knob.at("min").get<std::int64_t>()) + " to " +
                     value_text(knob, knob.at("max").get<std::int64_t>());
  if (knob.contains("special")) {
    text += ", or " + std::to_string(knob["special"].get<std::int64_t>()) + " (" +
            printable(knob.value("special_means", std::string())) + ")";
  }
  return text;
}

// " jobs", " job"; empty where the value says it.
std::string unit_text(const Json& knob, std::int64_t value) {
  std::string unit = knob.value("unit", std::string());
  if (unit.empty() || unit == "bytes" || unit == "bytes/s") return "";
  if (value == 1 && unit.ends_with('s')) unit.pop_back();
  return " " + printable(unit);
}

Row knob_row(const Json& knob) {
  const auto value = knob.at("value").get<std::int64_t>();
  const auto found = knob.at("found").get<std::int64_t>();
  const bool changeable = knob.value("changeable", false);
  const auto name = knob.at("name").get<std::string>();
  const std::string_view off = off_text(name, value), found_off = off_text(name, found);
  return {
      printable(name),
      !off.empty() ? std::string(off) : value_text(knob, value) + unit_text(knob, value),
      found == value
          ? ""
          : "found " + (found_off.empty() ? value_text(knob, found) : std::string(found_off)),
      printable(knob.at("owner").get<std::string>()),
      changeable ? range_text(knob) : "fixed: " + printable(knob.value("reason", std::string()))};
}

void add_details(const Json& knob, std::vector<std::string>& lines) {
  for (const char* key : {"relations", "cost", "side_effects"}) {
    std::string text = printable(knob.value(key, std::string()));
    if (text.empty()) continue;
    std::string label = key;
    if (label == "side_effects") label = "side effects";
    lines.push_back(std::string("      ").append(label).append(": ").append(text));
  }
}

Error no_such_family(const std::string& name, const std::set<std::string>& known) {
  std::string names;
  for (const std::string& one : known) names += (names.empty() ? "" : ", ") + printable(one);
  return {ErrorCode::kNotFound, "no column family is called " + name +
                                    (names.empty() ? "; there is none" : "; there are " + names)};
}

}  // namespace

Result<std::vector<std::string>> knob_lines(const Json& answer, const KnobsView& view) {
  try {
    std::vector<std::string> families;  // in the order of the answer; the database's own is ""
    std::set<std::string> known;
    std::vector<Row> rows;
    std::vector<const Json*> shown;
    for (const Json& knob : answer.at("knobs")) {
      const auto family = knob.at("column_family").get<std::string>();
      if (!family.empty()) known.insert(family);
      if (!family.empty() && !view.column_family.empty() && family != view.column_family) continue;
      families.push_back(family);
      rows.push_back(knob_row(knob));
      shown.push_back(&knob);
    }
    if (!view.column_family.empty() && !known.contains(view.column_family)) {
      return tl::unexpected(no_such_family(view.column_family, known));
    }
    const std::vector<std::string> aligned = table(rows);
    std::vector<std::string> lines;
    for (std::size_t i = 0; i < aligned.size(); ++i) {
      const bool another = i == 0 ? !families[0].empty() : families[i] != families[i - 1];
      if (another) lines.push_back("  column family " + printable(families[i]));
      lines.push_back(aligned[i]);
      if (view.details) add_details(*shown[i], lines);
    }
    if (lines.empty()) lines.emplace_back("  no knobs");
    return lines;
  } catch (const Json::exception& problem) {
    return fail(ErrorCode::kProtocol,
                std::string("the agent answered what this rocktune does not understand: ") +
                    problem.what());
  }
}

}  // namespace rocktune::tools
