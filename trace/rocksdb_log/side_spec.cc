// How a mapping of side CSV columns is written.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "trace/rocksdb_log/side_csv.h"

namespace rocktune::trace::rocksdb_log {
namespace {

Error wrong(const std::string& text, const std::string& what) {
  return {ErrorCode::kInvalidArgument, "side CSV \"" + text + "\": " + what +
                                           "; write FILE:time=COLUMN,FIELD=COLUMN,... as in "
                                           "io.csv:time=secs,process_write_bytes=write_bytes"};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  while (true) {
    const auto at = text.find(separator);
    parts.push_back(trimmed(text.substr(0, at)));
    if (at == std::string_view::npos) return parts;
    text.remove_prefix(at + 1);
  }
}

// "rate(x)" without the function; nullopt when it is not called.
std::optional<std::string_view> inside(std::string_view text, std::string_view function) {
  if (!text.starts_with(function) || !text.ends_with(')')) return std::nullopt;
  text.remove_prefix(function.size());
  if (!text.starts_with('(')) return std::nullopt;
  return trimmed(text.substr(1, text.size() - 2));
}

std::optional<SideColumn::Term> parse_term(std::string_view text) {
  SideColumn::Term term;
  if (const auto star = text.rfind('*'); star != std::string_view::npos) {
    const std::string_view factor = trimmed(text.substr(star + 1));
    const auto parsed = std::from_chars(factor.data(), factor.data() + factor.size(), term.factor);
    if (parsed.ec != std::errc{} || parsed.ptr != factor.data() + factor.size() ||
        !std::isfinite(term.factor)) {
      return std::nullopt;
    }
    text = trimmed(text.substr(0, star));
  }
  term.column = std::string(text);
  if (term.column.empty()) return std::nullopt;
  return term;
}

}  // namespace

std::vector<std::string> side_fields() {
  std::vector<std::string> names;
  const auto add = [&](const std::string& prefix, const auto& reading) {
    std::decay_t<decltype(reading)>::visit_fields(
        reading, [&](const char* name, const auto&) { names.push_back(prefix + name); });
  };
  add("", DatabaseReading{});
  add("", HostReading{});
  add("device_", DeviceReading{});
  return names;
}

Result<SideSpec> parse_side_spec(const std::string& text) {
  const auto colon = text.rfind(":time=");
  if (colon == std::string::npos || colon == 0) {
    return tl::unexpected(wrong(text, "it does not say which column is the time"));
  }
  SideSpec spec;
  spec.path = text.substr(0, colon);
  const std::vector<std::string> known = side_fields();
  for (const std::string_view part : split(std::string_view(text).substr(colon + 1), ',')) {
    const auto equals = part.find('=');
    if (equals == std::string_view::npos) {
      return tl::unexpected(wrong(text, "\"" + std::string(part) + "\" has no \"=\""));
    }
    SideColumn column;
    column.field = std::string(trimmed(part.substr(0, equals)));
    std::string_view value = trimmed(part.substr(equals + 1));
    if (column.field == "time") {
      const auto epoch = inside(value, "epoch");
      spec.epoch = epoch.has_value();
      spec.time_column = std::string(epoch.value_or(value));
      if (spec.time_column.empty()) return tl::unexpected(wrong(text, "\"time\" names no column"));
      continue;
    }
    if (std::find(known.begin(), known.end(), column.field) == known.end()) {
      return tl::unexpected(wrong(text, "samples have no field \"" + column.field + "\""));
    }
    const auto rate = inside(value, "rate");
    column.rate = rate.has_value();
    for (const std::string_view term : split(rate.value_or(value), '+')) {
      auto parsed = parse_term(term);
      if (!parsed) return tl::unexpected(wrong(text, "\"" + std::string(term) + "\" is no column"));
      column.terms.push_back(std::move(*parsed));
    }
    spec.columns.push_back(std::move(column));
  }
  if (spec.columns.empty()) return tl::unexpected(wrong(text, "it maps no field"));
  return spec;
}

}  // namespace rocktune::trace::rocksdb_log
