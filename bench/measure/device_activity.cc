#include "bench/measure/device_activity.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <filesystem>

#include "bench/text_file.h"

namespace rocktune::bench {
namespace {

constexpr std::size_t kOldestFields = 11;
constexpr double kSectorBytes = 512;

double seconds_of(const timespec& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) / 1e9;
}

nlohmann::json per_request(std::uint64_t milliseconds, std::uint64_t requests) {
  if (requests == 0) return nullptr;
  return static_cast<double>(milliseconds) / static_cast<double>(requests);
}

}  // namespace

Result<BlockStat> parse_block_stat(const std::string& text, const std::string& where) {
  BlockStat s;
  const std::array<std::uint64_t*, 17> fields = {
      &s.read_ios,     &s.read_merges,   &s.read_sectors,   &s.read_ms,         &s.write_ios,
      &s.write_merges, &s.write_sectors, &s.write_ms,       &s.in_flight,       &s.busy_ms,
      &s.queue_ms,     &s.discard_ios,   &s.discard_merges, &s.discard_sectors, &s.discard_ms,
      &s.flush_ios,    &s.flush_ms};
  const char* at = text.data();
  const char* end = text.data() + text.size();
  std::size_t read = 0;
  while (read < fields.size()) {
    while (at != end && *at == ' ') ++at;
    const auto [next, error] = std::from_chars(at, end, *fields[read]);
    if (error != std::errc{}) break;
    at = next;
    ++read;
  }
  if (read < kOldestFields) {
    return fail(ErrorCode::kCorrupt, where + ": is not a block device's stat file");
  }
  return s;
}

Result<DeviceLook> look_at_device(const std::string& stat_path) {
  struct stat info{};
  // Before the content: a file that is replaced meanwhile is then newer than it says, not older.
  if (::stat(stat_path.c_str(), &info) != 0) {
    return fail(ErrorCode::kNotFound, stat_path + ": " + std::strerror(errno));
  }
  const auto text = read_text_file(stat_path);
  if (!text) return tl::unexpected(text.error());
  auto stat = parse_block_stat(*text, stat_path);
  if (!stat) return tl::unexpected(stat.error());
  timespec now = info.st_mtim;
  if (stat_path.starts_with("/sys/")) clock_gettime(CLOCK_REALTIME, &now);
  return DeviceLook{*stat, seconds_of(now)};
}

std::optional<std::string> kernel_stat_path(const std::string& path) {
  struct stat info{};
  if (::stat(path.c_str(), &info) != 0) return std::nullopt;
  std::string file = "/sys/dev/block/" + std::to_string(major(info.st_dev)) + ":" +
                     std::to_string(minor(info.st_dev)) + "/stat";
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored)) return std::nullopt;
  return file;
}

nlohmann::json device_activity(const DeviceLook& before, const DeviceLook& after) {
  const double seconds = after.at_seconds - before.at_seconds;
  if (seconds <= 0) return nullptr;
  const BlockStat& a = before.stat;
  const BlockStat& b = after.stat;
  const auto rate = [seconds](std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(to - from) / seconds;
  };
  const auto bytes = [](std::uint64_t from, std::uint64_t to) {
    return static_cast<double>(to - from) * kSectorBytes;
  };
  return {{"seconds", seconds},
          {"read_bytes", bytes(a.read_sectors, b.read_sectors)},
          {"write_bytes", bytes(a.write_sectors, b.write_sectors)},
          {"read_bytes_per_second", bytes(a.read_sectors, b.read_sectors) / seconds},
          {"write_bytes_per_second", bytes(a.write_sectors, b.write_sectors) / seconds},
          {"read_iops", rate(a.read_ios, b.read_ios)},
          {"write_iops", rate(a.write_ios, b.write_ios)},
          {"utilisation", rate(a.busy_ms, b.busy_ms) / 1e3},
          {"read_await_ms", per_request(b.read_ms - a.read_ms, b.read_ios - a.read_ios)},
          {"write_await_ms", per_request(b.write_ms - a.write_ms, b.write_ios - a.write_ios)},
          {"queue", rate(a.queue_ms, b.queue_ms) / 1e3}};
}

}  // namespace rocktune::bench
