#include "trace/rocksdb_log/log_line.h"

#include <charconv>
#include <cstdint>

namespace rocktune::trace::rocksdb_log {
namespace {

constexpr std::size_t kTimeLength = 26;  // "2026/11/21-23:49:36.522834"
constexpr std::string_view kOriginal = "(Original Log Time ";
constexpr Micros kMostLate = std::chrono::hours(1);  // of a buffered line; more is damage
constexpr int kFirstYear = 2010;
constexpr int kLastYear = 2200;

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  int value = 0;
  for (const char c : text.substr(at, count)) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + (c - '0');
  }
  return value;
}

std::optional<Micros> parse_time(std::string_view text) {
  if (text.size() < kTimeLength || text[4] != '/' || text[7] != '/' || text[10] != '-' ||
      text[13] != ':' || text[16] != ':' || text[19] != '.') {
    return std::nullopt;
  }
  const auto year = digits(text, 0, 4), month = digits(text, 5, 2), day = digits(text, 8, 2);
  const auto hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
  const auto micros = digits(text, 20, 6);
  if (!year || !month || !day || !hour || !minute || !second || !micros) return std::nullopt;
  if (*year < kFirstYear || *year > kLastYear || *hour > 23 || *minute > 59 || *second > 60) {
    return std::nullopt;
  }
  const std::chrono::year_month_day date{std::chrono::year(*year),
                                         std::chrono::month(static_cast<unsigned>(*month)),
                                         std::chrono::day(static_cast<unsigned>(*day))};
  if (!date.ok()) return std::nullopt;
  return std::chrono::sys_days(date).time_since_epoch() + std::chrono::hours(*hour) +
         std::chrono::minutes(*minute) + std::chrono::seconds(*second) + Micros(*micros);
}

// "[WARN] [db/flush_job.cc:12] [cf] text": a bracket is a level, a source, or the name of a column
// family (whatever else it is, "[JOB 7]" apart).
void take_brackets(LogLine& line) {
  bool source_seen = false;
  while (line.text.starts_with('[')) {
    const auto end = line.text.find(']');
    if (end == std::string_view::npos) return;
    const std::string_view inside = line.text.substr(1, end - 1);
    const bool level = inside == "DEBUG" || inside == "INFO" || inside == "WARN" ||
                       inside == "ERROR" || inside == "FATAL";
    const bool source = !source_seen && inside.find(".cc:") != std::string_view::npos;
    if (!level && !source) {
      if (inside.starts_with("JOB ")) return;
      line.family = inside;
    }
    source_seen = source_seen || source;
    line.text.remove_prefix(end + 1);
    if (line.text.starts_with(':')) line.text.remove_prefix(1);
    line.text = trimmed(line.text);
    if (!level && !source) return;
  }
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<std::string_view> between(std::string_view text, std::string_view before,
                                        std::string_view after) {
  const auto start = text.find(before);
  if (start == std::string_view::npos) return std::nullopt;
  const std::string_view rest = text.substr(start + before.size());
  if (after.empty()) return rest;
  const auto end = rest.find(after);
  if (end == std::string_view::npos) return std::nullopt;
  return rest.substr(0, end);
}

std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return value;
}

std::optional<std::uint64_t> number_after(std::string_view text, std::string_view before) {
  auto rest = between(text, before, "");
  return rest ? take_number(*rest) : std::nullopt;
}

std::optional<LogLine> parse_log_line(std::string_view text) {
  const auto written = parse_time(text);
  if (!written || text.size() <= kTimeLength || text[kTimeLength] != ' ') return std::nullopt;
  LogLine line;
  line.written = line.at = *written;
  text.remove_prefix(kTimeLength + 1);
  const auto thread_end = text.find(' ');
  line.thread = text.substr(0, thread_end);
  text = thread_end == std::string_view::npos ? std::string_view{} : text.substr(thread_end + 1);
  text = trimmed(text);
  if (text.starts_with(kOriginal)) {
    const auto original = parse_time(text.substr(kOriginal.size()));
    const auto end = text.find(") ");
    if (original && end != std::string_view::npos) {
      const Micros late = *written - *original;
      if (late > -kMostLate && late < kMostLate) line.at = *original;
      text.remove_prefix(end + 2);
    }
  }
  line.text = text;
  take_brackets(line);
  return line;
}

}  // namespace rocktune::trace::rocksdb_log
