#include "tools/event_text.h"

#include <algorithm>
#include <optional>
#include <set>

#include "model/text.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr std::size_t kKindWidth = 16;

// The numbers and words of an event; remembers which were used.
class Fields {
 public:
  explicit Fields(const Json& event) {
    for (const char* part : {"numbers", "words"}) {
      const auto found = event.find(part);
      if (found == event.end() || !found->is_object()) continue;
      for (const auto& [name, value] : found->items()) values_.emplace_back(name, value);
    }
  }

  std::optional<std::int64_t> number(const char* name) {
    for (const auto& [key, value] : values_) {
      if (key != name || !value.is_number_integer()) continue;
      used_.insert(name);
      return value.get<std::int64_t>();
    }
    return std::nullopt;
  }

  std::string word(const char* name) {
    for (const auto& [key, value] : values_) {
      if (key != name || !value.is_string()) continue;
      used_.insert(name);
      return printable(value.get<std::string>());
    }
    return {};
  }

  [[nodiscard]] std::string rest() const {
    std::string text;
    for (const auto& [name, value] : values_) {
      if (used_.count(name) > 0) continue;
      const std::string shown = value.is_string() ? value.get<std::string>() : value.dump();
      if (!shown.empty()) text += " " + printable(name) + "=" + printable(shown);
    }
    return text;
  }

 private:
  std::vector<std::pair<std::string, Json>> values_;
  std::set<std::string> used_;
};

std::string with(const std::string& before, const std::string& text,
                 const std::string& after = "") {
  return text.empty() ? "" : before + text + after;
}

std::string size(Fields& fields, const char* bytes) {
  const auto value = fields.number(bytes);
  return value ? bytes_text(static_cast<double>(*value)) : "";
}

std::string duration(Fields& fields, const char* name) {
  const auto us = fields.number(name);
  return us ? microseconds_text(static_cast<double>(*us)) : "";
}

std::string job(Fields& fields) {
  const auto number = fields.number("job");
  std::string text = number ? "job " + std::to_string(*number) : "";
  const auto from = fields.number("input_level");
  const auto to = fields.number("output_level");
  if (from && to) text += " L" + std::to_string(*from) + " -> L" + std::to_string(*to);
  text += with(" (", fields.word("reason"), ")");
  const std::string input = size(fields, "input_bytes");
  const std::string output = size(fields, "output_bytes");
  text += with(" ", input) + with(input.empty() ? " " : " -> ", output);
  text += with(" in ", duration(fields, "elapsed_us"));
  const std::string status = fields.word("status");
  return text + (status == "OK" ? "" : with(" ", status));
}

std::string stall(Fields& fields) {
  std::string text = fields.word("before");
  text += with(text.empty() ? "" : " -> ", fields.word("condition"));
  const std::string cause = fields.word("cause"), told_by = fields.word("told_by");
  text += with(" (", cause, ")");
  text += with(" after ", duration(fields, "before_us"));
  if (!fields.word("late").empty()) text += ", told late: over already";
  return text + (cause == "unknown" ? with(", told by ", told_by) : "");
}

std::string change(Fields& fields) {
  const std::string knob = fields.word("knob");
  std::string text = knob;
  const auto before = fields.number("before");
  const auto after = fields.number("after");
  if (before) text += " " + knob_text(knob, *before);
  if (after && after != before) text += " -> " + knob_text(knob, *after);
  return text + with(" ", fields.word("status")) + with(" (", fields.word("why"), ")");
}

std::string error(Fields& fields) {
  const std::string phase = fields.word("phase");
  const std::string reason = fields.word("reason");
  return phase + (phase.empty() || reason.empty() ? "" : " ") + reason +
         with(": ", fields.word("status"));
}

std::string content(const std::string& kind, Fields& fields) {
  if (kind.ends_with("_begin") || kind.ends_with("_end")) return job(fields);
  if (kind == "stall") return stall(fields);
  if (kind == "change") return change(fields);
  if (kind == "background_error" || kind == "error_recovery") return error(fields);
  return {};
}

}  // namespace

std::string event_text(const Json& event) {
  const auto wall = event.find("wall_ns");
  std::string text = wall != event.end() && wall->is_number_integer()
                         ? text::rfc3339(Nanoseconds(wall->get<std::int64_t>()))
                         : "?";
  std::replace(text.begin(), text.end(), 'T', ' ');
  const std::string kind = printable(event.value("kind", std::string("?")));
  text += "  " + kind;
  if (kind.size() < kKindWidth) text.append(kKindWidth - kind.size(), ' ');
  const std::string family = printable(event.value("column_family", std::string()));
  text += "  " + (family.empty() ? std::string("-") : family) + "  ";
  Fields fields(event);
  text += content(kind, fields);
  text += fields.rest();
  return text;
}

}  // namespace rocktune::tools
