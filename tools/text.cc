#include "tools/text.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <limits>
#include <numeric>
#include <sstream>
#include <utility>

#include "model/heads/evidence.h"
#include "model/indicators.h"
#include "model/knobs.h"

namespace rocktune::tools {
namespace {

template <class... Values>
std::string format(const char* pattern, Values... values) {
  std::array<char, 96> buffer{};
  std::snprintf(buffer.data(), buffer.size(), pattern, values...);
  return buffer.data();
}

// Three significant digits: 1.23, 12.3, 123.
std::string three_digits(double value) {
  const double size = std::fabs(value);
  return format(size < 9.995 ? "%.2f" : size < 99.95 ? "%.1f" : "%.0f", value);
}

// RocksDB's own "never": FIFO sets both triggers of level 0 to it.
constexpr std::int64_t kNever = std::numeric_limits<std::int32_t>::max();
// As good as none: what no database reaches, and what INT64_MAX becomes as a double.
constexpr std::int64_t kMostBytes = std::int64_t{1} << 62;
constexpr std::string_view kNoLimit = "no limit";
constexpr std::string_view kMaxOpenFiles = "max_open_files";

bool is_continuation(char c) {
  return (static_cast<unsigned char>(c) & 0xc0) == 0x80;
}

}  // namespace

std::string bytes_text(double bytes) {
  static constexpr std::array kUnits = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  std::size_t unit = 0;
  while (std::fabs(bytes) >= 1023.95 && unit + 1 < kUnits.size()) {
    bytes /= 1024;
    ++unit;
  }
  if (unit == 0 || bytes == std::floor(bytes)) return format("%.0f %s", bytes, kUnits[unit]);
  return format("%.1f %s", bytes, kUnits[unit]);
}

std::string rate_text(double bytes_per_second) {
  return bytes_text(bytes_per_second) + "/s";
}

std::string count_text(double count) {
  static constexpr std::array kUnits = {"", "k", "M", "G", "T"};
  if (std::fabs(count) < 999.5) {
    return count == std::floor(count) ? format("%.0f", count) : format("%.1f", count);
  }
  std::size_t unit = 0;
  while (std::fabs(count) >= 999.5 && unit + 1 < kUnits.size()) {
    count /= 1000;
    ++unit;
  }
  return three_digits(count) + kUnits[unit];
}

std::string seconds_text(double seconds) {
  if (seconds < 0) return "-" + seconds_text(-seconds);
  if (seconds < 0.9995) return format("%.0f ms", seconds * 1000);
  if (seconds < 99.95) return format("%.1f s", seconds);
  const auto whole = static_cast<long long>(std::llround(std::min(seconds, 1e15)));
  if (whole < 3600) return format("%lldm %02llds", whole / 60, whole % 60);
  if (whole < 86400) return format("%lldh %02lldm", whole / 3600, whole / 60 % 60);
  return format("%lldd %lldh", whole / 86400, whole / 3600 % 24);
}

std::string microseconds_text(double us) {
  if (us < 999.5) return format("%.0f us", us);
  if (us < 999'500) return format("%.1f ms", us / 1000);
  return format("%.2f s", us / 1e6);
}

std::string percent_text(double ratio) {
  const double percent = ratio * 100;
  return format(percent != 0 && std::fabs(percent) < 9.95 ? "%.1f %%" : "%.0f %%", percent);
}

std::string number_text(double value) {
  return format("%.4g", value);
}

std::string knob_text(std::string_view knob, std::int64_t value) {
  if (const std::string_view off = off_text(knob, value); !off.empty()) return std::string(off);
  return value_in(knob_unit(knob), value);
}

std::string value_in(std::string_view unit, std::int64_t value) {
  const auto number = static_cast<double>(value);
  if (unit == "bytes/s") return value >= kUnlimitedBytesPerSecond ? "unlimited" : rate_text(number);
  if (unit == "bytes" && value >= 0) return value >= kMostBytes ? "unlimited" : bytes_text(number);
  if (unit == "switch") return value == 0 ? "off" : "on";
  return std::to_string(value);
}

std::string_view off_text(std::string_view knob, std::int64_t value) {
  if (knob == knob::kRateLimit && value <= 0) return "none";
  if (knob == knob::kRateLimit || knob == knob::kDelayedWriteRate) {
    return value >= kUnlimitedBytesPerSecond ? "unlimited" : "";
  }
  if (knob == knob::kL0Slowdown || knob == knob::kL0Stop) {
    return value <= 0 || value >= kNever ? kNoLimit : "";
  }
  if (knob == kMaxOpenFiles) return value < 0 ? kNoLimit : "";
  if (knob == knob::kSoftPending || knob == knob::kHardPending) {
    return value <= 0 || value >= kMostBytes ? kNoLimit : "";
  }
  return "";
}

bool is_limit(std::string_view feature, double limit) {
  const bool files = feature.starts_with("l0_") && feature.ends_with("_files");
  const bool pending = feature.starts_with("pending_") && feature.ends_with("_bytes");
  if (!files && !pending) return true;
  return limit > 0 && limit < static_cast<double>(files ? kNever : kMostBytes);
}

std::string limit_text(std::string_view feature, double limit) {
  return is_limit(feature, limit) ? feature_text(feature, limit) : std::string(kNoLimit);
}

std::string of_limit(const std::string& feature, double limit) {
  const std::string text = limit_text(feature, limit);
  return is_limit(feature, limit) ? " of " + text : " (" + text + ")";
}

std::string feature_text(std::string_view feature, double value) {
  // What physics says of an indicator is a probability (docs/alerts.md).
  const bool is_indicator = feature == to_string(IndicatorKind::kP99) ||
                            feature == to_string(IndicatorKind::kCompactionBacklog) ||
                            feature == to_string(IndicatorKind::kDeviceSaturation);
  if (is_indicator || feature == kForecastFeature) return percent_text(value);
  if (feature == "limiter_rate") return rate_text(value);
  if (feature.ends_with("_bytes_per_second")) return rate_text(value);
  if (feature.ends_with("_per_second")) return count_text(value) + "/s";
  if (feature.ends_with("_bytes")) return bytes_text(value);
  if (feature.ends_with("_us")) return microseconds_text(value);
  if (feature.ends_with("_ms")) return microseconds_text(value * 1000);
  if (feature.ends_with("_seconds") || feature.starts_with("seconds_since_")) {
    return seconds_text(value);
  }
  return number_text(value);
}

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !is_continuation(c); }));
}

std::string clipped(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  const std::size_t keep = width > 3 ? width - 3 : 0;
  std::size_t end = 0;
  for (std::size_t shown = 0; end < text.size(); ++end) {
    if (is_continuation(text[end])) continue;
    if (shown++ == keep) break;
  }
  return std::string(text.substr(0, end)) + std::string(std::min<std::size_t>(width, 3), '.');
}

std::vector<std::string> table(const std::vector<std::vector<std::string>>& rows,
                               std::string_view indent) {
  std::vector<std::size_t> widths;
  for (const auto& row : rows) {
    if (row.size() > widths.size()) widths.resize(row.size());
    for (std::size_t i = 0; i < row.size(); ++i) {
      widths[i] = std::max(widths[i], display_width(row[i]));
    }
  }
  std::vector<std::string> lines;
  for (const auto& row : rows) {
    std::string line(indent);
    for (std::size_t i = 0; i < row.size(); ++i) {
      line += row[i];
      if (i + 1 < row.size()) line.append(widths[i] - display_width(row[i]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> wrapped(const std::string& words, std::size_t width) {
  std::istringstream rest(words);
  std::vector<std::string> lines;
  std::string line;
  for (std::string word; rest >> word;) {
    if (!line.empty() && line.size() + 1 + word.size() > width) {
      lines.push_back(std::exchange(line, ""));
    }
    line += (line.empty() ? "" : " ") + word;
  }
  if (!line.empty()) lines.push_back(line);
  return lines;
}

std::string closest(std::string_view word, const std::vector<std::string>& known) {
  std::string best;
  std::size_t best_distance = (word.size() + 1) / 2 + 1;
  for (const std::string& candidate : known) {
    // Levenshtein's distance, one row at a time.
    std::vector<std::size_t> row(candidate.size() + 1);
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= word.size(); ++i) {
      std::size_t diagonal = std::exchange(row[0], i);
      for (std::size_t j = 1; j <= candidate.size(); ++j) {
        const std::size_t substituted = diagonal + (word[i - 1] == candidate[j - 1] ? 0 : 1);
        diagonal = std::exchange(row[j], std::min({row[j] + 1, row[j - 1] + 1, substituted}));
      }
    }
    if (row.back() < best_distance) {
      best_distance = row.back();
      best = candidate;
    }
  }
  return best;
}

}  // namespace rocktune::tools
