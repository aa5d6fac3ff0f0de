#include "tools/stats_text.h"

#include <algorithm>

#include "tools/text.h"

namespace rocktune::tools {
namespace {

using Lines = std::vector<std::string>;
using Rows = std::vector<std::vector<std::string>>;

void add_table(const std::string& title, const Rows& rows, Lines& lines) {
  if (rows.empty()) return;
  lines.push_back("  " + title);
  const Lines aligned = table(rows, "    ");
  lines.insert(lines.end(), aligned.begin(), aligned.end());
}

void add_derived(const Json& answer, Lines& lines) {
  Rows rows;
  for (const Json& figure : answer.at("derived")) {
    const std::string name = printable(figure.at("name").get<std::string>());
    std::string formula = "= " + printable(figure.at("formula").get<std::string>());
    if (figure.contains("value")) {
      rows.push_back({name, number_text(figure["value"].get<double>()), formula});
    } else {
      formula.append("; ").append(printable(figure.value("reason", std::string())));
      rows.push_back({name, "-", formula});
    }
  }
  add_table("derived, since the database was opened", rows, lines);
}

// By name: sizes say what they are.
std::string amount(const std::string& name, double value) {
  const bool bytes = name.ends_with("bytes") || name.ends_with(".bytes.read") ||
                     name.ends_with(".bytes.write") || name == "bytes.read" ||
                     name == "bytes.written";
  if (bytes) return bytes_text(value);
  if (name.ends_with(".micros") || name.ends_with(".time")) return microseconds_text(value);
  return count_text(value);
}

void add_memory(const Json& answer, Lines& lines) {
  Rows rows;
  for (const auto& [name, value] : answer.at("memory").items()) {
    rows.push_back({printable(name), bytes_text(value.get<double>())});
  }
  add_table("memory", rows, lines);
}

// A number of RocksDB's map property, or "-".
std::string entry(const Json& level, const char* name, bool bytes = false) {
  const auto found = level.find(name);
  if (found == level.end() || !found->is_number()) return "-";
  return bytes ? bytes_text(found->get<double>()) : number_text(found->get<double>());
}

void add_levels(const Json& answer, Lines& lines) {
  for (const Json& family : answer.at("column_families")) {
    Rows rows;
    for (const auto& [name, level] : family.at("levels").items()) {
      if (entry(level, "NumFiles") == "0" && entry(level, "CompCount") == "0") continue;
      rows.push_back({printable(name), entry(level, "NumFiles"), entry(level, "SizeBytes", true),
                      entry(level, "Score"), entry(level, "WriteAmp"), entry(level, "CompCount")});
    }
    if (rows.empty()) continue;
    rows.insert(rows.begin(), {"level", "files", "size", "score", "write amp", "compactions"});
    add_table("levels of " + printable(family.at("name").get<std::string>()), rows, lines);
  }
}

// The `top` entries with the greatest keys, which are not 0.
template <class Key>
std::vector<std::pair<std::string, const Json*>> largest(const Json& entries, std::size_t top,
                                                         Key key) {
  std::vector<std::pair<std::string, const Json*>> all;
  for (const auto& [name, value] : entries.items()) {
    if (key(value) > 0) all.emplace_back(name, &value);
  }
  std::stable_sort(all.begin(), all.end(),
                   [&](const auto& a, const auto& b) { return key(*a.second) > key(*b.second); });
  all.resize(std::min(all.size(), top));
  return all;
}

void add_histograms(const Json& answer, std::size_t top, Lines& lines) {
  Rows rows;
  const auto count = [](const Json& value) { return value.at("count").get<double>(); };
  for (const auto& [name, value] : largest(answer.at("histograms"), top, count)) {
    std::vector<std::string> row{printable(name), count_text(count(*value))};
    for (const char* field : {"average", "p50", "p95", "p99", "max"}) {
      row.push_back(amount(name, value->at(field).get<double>()));
    }
    rows.push_back(std::move(row));
  }
  if (!rows.empty()) {
    rows.insert(rows.begin(), {"", "count", "average", "p50", "p95", "p99", "max"});
  }
  add_table("histograms, by count", rows, lines);
}

void add_tickers(const Json& answer, std::size_t top, Lines& lines) {
  Rows rows;
  const auto value_of = [](const Json& value) { return value.get<double>(); };
  for (const auto& [name, value] : largest(answer.at("tickers"), top, value_of)) {
    rows.push_back({printable(name), amount(name, value_of(*value))});
  }
  add_table("tickers, the largest", rows, lines);
}

}  // namespace

Result<std::vector<std::string>> statistics_lines(const Json& answer, std::size_t top) {
  try {
    Lines lines;
    add_derived(answer, lines);
    add_memory(answer, lines);
    add_levels(answer, lines);
    add_histograms(answer, top, lines);
    add_tickers(answer, top, lines);
    for (const Json& sentence : answer.value("left_out", Json::array())) {
      lines.push_back("  not read: " + printable(sentence.get<std::string>()));
    }
    return lines;
  } catch (const Json::exception& problem) {
    return fail(ErrorCode::kProtocol,
                std::string("the agent answered what this rocktune does not understand: ") +
                    problem.what());
  }
}

}  // namespace rocktune::tools
