#include "files/units.h"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>

namespace rocktune {
namespace {

struct Unit {
  std::string_view name;
  double factor;
};

constexpr std::array<Unit, 9> kSizes{{{"B", 1.0},
                                      {"KB", 1e3},
                                      {"MB", 1e6},
                                      {"GB", 1e9},
                                      {"TB", 1e12},
                                      {"KiB", 1024.0},
                                      {"MiB", 1048576.0},
                                      {"GiB", 1073741824.0},
                                      {"TiB", 1099511627776.0}}};
constexpr std::array<Unit, 7> kDurations{{{"us", 1e3},
                                          {"ms", 1e6},
                                          {"s", 1e9},
                                          {"m", 60e9},
                                          {"min", 60e9},
                                          {"h", 3600e9},
                                          {"d", 86400e9}}};

std::string_view trim(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

struct Split {
  double number = 0;
  std::string_view unit;
};

// "64 MiB" -> {64, "MiB"}. `what` and `example` word the error.
Result<Split> split(std::string_view text, std::string_view what, std::string_view example) {
  text = trim(text);
  Split parts;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, parts.number, std::chars_format::fixed);
  if (error != std::errc{} || !std::isfinite(parts.number)) {
    return fail(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is not a " +
                                                 std::string(what) + "; write for example " +
                                                 std::string(example));
  }
  parts.unit = trim(std::string_view(rest, static_cast<std::size_t>(end - rest)));
  if (parts.number < 0) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) + "' is negative; a " + std::string(what) +
                    " cannot be; write for example " + std::string(example));
  }
  if (parts.unit.empty() && parts.number != 0) {
    return fail(
        ErrorCode::kInvalidArgument,
        "'" + std::string(text) + "' has no unit; write for example " + std::string(example));
  }
  return parts;
}

template <std::size_t N>
std::string names(const std::array<Unit, N>& units, std::string_view suffix) {
  std::string list;
  for (const Unit& unit : units) {
    if (!list.empty()) list += ", ";
    list += std::string(unit.name) + std::string(suffix);
  }
  return list;
}

template <std::size_t N>
Result<double> parse_with(std::string_view text, const std::array<Unit, N>& units,
                          std::string_view suffix, std::string_view what,
                          std::string_view example) {
  const Result<Split> parts = split(text, what, example);
  if (!parts) return tl::unexpected<Error>(parts.error());
  if (parts->unit.empty()) return 0.0;
  for (const Unit& unit : units) {
    if (parts->unit == std::string(unit.name) + std::string(suffix)) {
      const double value = parts->number * unit.factor;
      if (value < 9.0e18) return value;
      return fail(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is too large");
    }
  }
  return fail(ErrorCode::kInvalidArgument,
              "'" + std::string(text) + "': '" + std::string(parts->unit) + "' is no unit of a " +
                  std::string(what) + "; the units are " + names(units, suffix) + ", as in " +
                  std::string(example));
}

// The largest unit in which `value` is a whole number.
template <std::size_t N>
std::string format_with(double value, const std::array<Unit, N>& units) {
  const Unit* best = &units.front();
  for (const Unit& unit : units) {
    if (value >= unit.factor && std::fmod(value, unit.factor) == 0 && unit.factor > best->factor) {
      best = &unit;
    }
  }
  return format_number(value / best->factor) + std::string(best->name);
}

}  // namespace

Result<Nanoseconds> parse_duration(std::string_view text) {
  return parse_with(text, kDurations, "", "duration", "500ms").map([](double value) {
    return Nanoseconds(static_cast<std::int64_t>(std::llround(value)));
  });
}

Result<Bytes> parse_bytes(std::string_view text) {
  return parse_with(text, kSizes, "", "size", "64MiB").map([](double value) {
    return Bytes{static_cast<std::int64_t>(std::llround(value))};
  });
}

Result<BytesPerSecond> parse_rate(std::string_view text) {
  return parse_with(text, kSizes, "/s", "rate", "200MB/s").map([](double value) {
    return BytesPerSecond{value};
  });
}

Result<std::int64_t> parse_integer(std::string_view text) {
  text = trim(text);
  std::int64_t value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || rest != end) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) + "' is not a whole number; write for example 8");
  }
  return value;
}

Result<double> parse_number(std::string_view text) {
  text = trim(text);
  double value = 0;
  const char* const begin = text.data();
  const char* const end = begin + text.size();
  const auto [rest, error] = std::from_chars(begin, end, value);
  if (error != std::errc{} || rest != end || !std::isfinite(value)) {
    return fail(ErrorCode::kInvalidArgument,
                "'" + std::string(text) + "' is not a number; write for example 0.8");
  }
  return value;
}

std::string format_number(double number) {
  std::array<char, 64> buffer{};
  const auto [end, error] = std::to_chars(buffer.data(), buffer.data() + buffer.size(), number);
  return error == std::errc{} ? std::string(buffer.data(), end) : std::string("?");
}

std::string format_duration(Nanoseconds duration) {
  return format_with(static_cast<double>(duration.count()), kDurations);
}
std::string format_bytes(Bytes bytes) {
  return format_with(static_cast<double>(bytes.value), kSizes);
}
std::string format_rate(BytesPerSecond rate) {
  return format_with(rate.value, kSizes) + "/s";
}

}  // namespace rocktune
