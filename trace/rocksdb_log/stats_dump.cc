#include "trace/rocksdb_log/stats_dump.h"

#include <charconv>
#include <cmath>
#include <utility>

namespace rocktune::trace::rocksdb_log {
namespace {

constexpr std::size_t kMostDumpedFamilies = 4096;  // bounds what one dump may take
constexpr std::size_t kMostDumpedLevels = 32'768;  // of all its families
constexpr std::size_t kMostLevels = 64;
constexpr double kMostBytes = 1e18;

std::optional<double> take_real(std::string_view& text) {
  text = trimmed(text);
  double value = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
  if (parsed.ec != std::errc{} || !std::isfinite(value)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(parsed.ptr - text.data()));
  return value;
}

// "54.27 MB" at the beginning, which is taken off.
std::optional<double> take_size(std::string_view& text) {
  const auto value = take_real(text);
  text = trimmed(text);
  if (!value || text.size() < 2) return std::nullopt;
  double unit = 1;
  for (const char letter : std::string_view("KMGTP")) {
    unit *= 1024;
    if (text[0] == letter && text[1] == 'B') {
      text.remove_prefix(2);
      return *value * unit;
    }
  }
  return std::nullopt;
}

// "00:01:5.250 H:M:S" in seconds.
std::optional<double> parse_clock(std::string_view text) {
  double seconds = 0;
  for (int part = 0; part < 3; ++part) {
    const auto value = take_real(text);
    if (!value) return std::nullopt;
    seconds = seconds * 60 + *value;
    if (text.starts_with(':')) text.remove_prefix(1);
  }
  return seconds;
}

}  // namespace

std::optional<double> parse_count(std::string_view text) {
  auto value = take_real(text);
  if (!value) return std::nullopt;
  if (text.starts_with('K')) *value *= 1e3;
  if (text.starts_with('M')) *value *= 1e6;
  if (text.starts_with('G')) *value *= 1e9;
  return value;
}

// "  L0      3/0      5.06 MB   0.8 ...": files, those being compacted, size, score.
bool StatsDumpReader::add_level(std::string_view line) {
  line = trimmed(line);
  line.remove_prefix(1);
  const auto level = take_number(line);
  if (!level || *level >= kMostLevels) return false;
  line = trimmed(line);
  const auto files = take_number(line);
  if (!files || !line.starts_with('/')) return false;
  line.remove_prefix(1);
  if (!take_number(line)) return false;
  const auto bytes = take_size(line);
  const auto score = take_real(line);
  if (!bytes || !score || *bytes < 0 || *bytes > kMostBytes) return false;
  auto& levels = table_.levels;
  if (levels.size() <= *level) levels.resize(*level + 1);  // empty ones are not in the table
  levels[*level] = {*files, static_cast<std::uint64_t>(*bytes), *score};
  return true;
}

// The row below the levels. RocksDB cuts a dump off after 64 KiB: what has none may lack levels.
bool StatsDumpReader::end_levels() {
  FamilyStats whole = std::exchange(table_, {});
  if (whole.levels.empty() || levels_ + whole.levels.size() > kMostDumpedLevels ||
      dump_.families.size() >= kMostDumpedFamilies) {
    return false;
  }
  levels_ += whole.levels.size();
  dump_.families[family_] = std::move(whole);
  return true;
}

// "Stalls(count): 3 level0_slowdown, 0 ..." and, from RocksDB 8 on, "Write Stall (count): name: 3,
// ...".
bool StatsDumpReader::add_stalls(std::string_view line) {
  bool any = false;
  line = between(line, "(count):", "").value_or("");
  while (!line.empty()) {
    const auto comma = line.find(',');
    std::string_view part = trimmed(line.substr(0, comma));
    line = comma == std::string_view::npos ? std::string_view{} : line.substr(comma + 1);
    std::string_view name;
    std::optional<std::uint64_t> count;
    if (const auto colon = part.rfind(": "); colon != std::string_view::npos) {
      name = part.substr(0, colon);
      part.remove_prefix(colon + 2);
      count = take_number(part);
    } else {
      count = take_number(part);
      name = trimmed(part);
    }
    if (!count || name.empty() || name.starts_with("interval") || name.size() > 100) continue;
    if (dump_.numbers.size() > 200) return any;
    dump_.numbers["stalls " + std::string(name)] += static_cast<double>(*count);
    any = true;
  }
  return any;
}

bool StatsDumpReader::add(std::string_view line) {
  const auto keep = [&](const char* name, std::optional<double> value) {
    if (value) dump_.numbers[name] = *value;
    return value.has_value();
  };
  if (const auto name = between(line, "** Compaction Stats [", "] **")) {
    family_ = name->substr(0, 1024);
    by_level_ = false;
    table_ = {};
    return true;
  }
  if (line.starts_with("Level ")) return by_level_ = true;
  if (line.starts_with("Priority ")) return !(by_level_ = false);
  if (by_level_ && trimmed(line).starts_with('L')) return add_level(line);
  if (by_level_ && trimmed(line).starts_with("Sum ")) return end_levels();
  if (line.starts_with("Estimated pending compaction bytes: ")) {
    const auto bytes = number_after(line, "bytes: ");
    const auto family = dump_.families.find(family_);
    if (bytes && family != dump_.families.end()) family->second.pending_bytes = bytes;
    return bytes.has_value();
  }
  if (line.starts_with("Uptime(secs): ")) {
    return keep("uptime_seconds", parse_count(line.substr(14)));
  }
  if (line.starts_with("Cumulative writes: ")) {
    keep("cumulative_writes", parse_count(line.substr(19)));
    keep("cumulative_ingest_gb", parse_count(between(line, "ingest: ", " GB").value_or("")));
    return keep("cumulative_keys", parse_count(between(line, "writes, ", " keys").value_or("")));
  }
  if (line.starts_with("Cumulative stall: ")) {
    return keep("cumulative_stall_seconds", parse_clock(line.substr(18)));
  }
  if (line.starts_with("Stalls(count):") || line.starts_with("Write Stall (count):")) {
    return add_stalls(line);
  }
  return false;
}

}  // namespace rocktune::trace::rocksdb_log
