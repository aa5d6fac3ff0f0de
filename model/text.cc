#include "model/text.h"

#include <array>
#include <charconv>
#include <chrono>
#include <cmath>
#include <cstdint>

namespace rocktune::text {
namespace {

// One decimal below ten of a unit, none above: "9.5", "17"; a trailing ".0" is dropped.
std::string short_number(double value) {
  std::string out = number(value, std::abs(value) < 9.95 ? 1 : 0);
  if (out.size() > 2 && out.ends_with(".0")) out.resize(out.size() - 2);
  return out;
}

// With leading zeros: "07".
std::string digits(std::int64_t value, std::size_t width) {
  const std::string text = std::to_string(value);
  return text.size() < width ? std::string(width - text.size(), '0') + text : text;
}

}  // namespace

std::string number(double value, int decimals) {
  if (!std::isfinite(value) || std::abs(value) >= 1e15) return value < 0 ? "-huge" : "huge";
  std::array<char, 64> buffer{};
  auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value,
                           std::chars_format::fixed, decimals);
  std::string out(buffer.data(), end.ptr);
  return out == "-0" || out == "-0.0" ? out.substr(1) : out;
}

std::string amount(double value) {
  if (value != 0 && std::abs(value) < 0.095) return number(value, 2);
  return short_number(value);
}

std::string exact(double value) {
  std::array<char, 32> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value);
  return {buffer.data(), end.ptr};
}

std::string bytes(double value) {
  constexpr std::array<const char*, 6> kUnits{"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  while (std::abs(value) >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return short_number(value) + " " + kUnits[unit];
}

std::string rate(double bytes_per_second) {
  return bytes(bytes_per_second) + "/s";
}

std::string microseconds(double value) {
  if (value < 1000) return short_number(value) + " us";
  if (value < 1e6) return short_number(value / 1e3) + " ms";
  return short_number(value / 1e6) + " s";
}

std::string duration(double seconds) {
  if (seconds < 0.95) return short_number(seconds) + " s";
  if (seconds < 120) return number(std::round(seconds), 0) + " s";
  if (seconds < 7200) return number(std::round(seconds / 60), 0) + " min";
  return short_number(seconds / 3600) + " h";
}

std::string percent(double ratio) {
  return short_number(ratio * 100) + "%";
}

std::string rfc3339(Nanoseconds wall) {
  using namespace std::chrono;
  const sys_time<milliseconds> time{floor<milliseconds>(wall)};
  const auto day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{time - day};
  return digits(static_cast<int>(date.year()), 4) + "-" +
         digits(static_cast<unsigned>(date.month()), 2) + "-" +
         digits(static_cast<unsigned>(date.day()), 2) + "T" + digits(clock.hours().count(), 2) +
         ":" + digits(clock.minutes().count(), 2) + ":" + digits(clock.seconds().count(), 2) + "." +
         digits(clock.subseconds().count(), 3) + "Z";
}

std::string moment(Nanoseconds wall) {
  std::string text = rfc3339(wall).substr(2);  // "26-11-28T08:55:11.628Z"
  text.pop_back();
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  text[text.find('T')] = '-';
  return text;
}

std::string in_family(const std::string& column_family) {
  return column_family.empty() ? "" : " in column family " + column_family;
}

}  // namespace rocktune::text
