#include "daemon/sources/host_source.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "daemon/sources/cgroup.h"
#include "daemon/sources/cgroup_io.h"
#include "files/text_file.h"
#include "files/words.h"

namespace rocktune::daemon {
namespace {

std::uint64_t positive(long value, std::uint64_t otherwise) {
  return value > 0 ? static_cast<std::uint64_t>(value) : otherwise;
}

// "Name:   123 kB" -> 123; absent when there is no such line.
std::optional<std::string_view> field_of(std::string_view text, std::string_view name) {
  for (const std::string_view line : split_lines(text)) {
    if (line.substr(0, name.size()) != name) continue;
    const std::vector<std::string_view> words = split_words(line.substr(name.size()));
    if (!words.empty()) return words[0];
  }
  return std::nullopt;
}

Counter number_of(std::string_view text, std::string_view name) {
  const auto word = field_of(text, name);
  return word ? parse_unsigned(*word) : std::nullopt;
}

// The smaller of the machine's memory and what the control groups allow, of each.
void limit_memory(const CgroupMemory& group, HostReading& reading) {
  const auto limit = [](Counter& value, const std::optional<std::uint64_t>& most) {
    if (value && most) value = std::min(*value, *most);
  };
  limit(reading.memory_total_bytes, group.limit_bytes);
  limit(reading.memory_available_bytes, group.available_bytes);
}

// "0-3,8" -> {0, 1, 2, 3, 8}
Result<std::set<std::uint64_t>> parse_list(std::string_view list) {
  std::set<std::uint64_t> cpus;
  std::size_t begin = 0;
  while (begin < list.size()) {
    const std::size_t comma = std::min(list.find(',', begin), list.size());
    const std::string_view part = list.substr(begin, comma - begin);
    const std::size_t dash = part.find('-');
    const auto first = parse_unsigned(part.substr(0, dash));
    const auto last =
        dash == std::string_view::npos ? first : parse_unsigned(part.substr(dash + 1));
    if (!first || !last || *last < *first || *last > 65535) {
      return fail(ErrorCode::kCorrupt, "'" + std::string(list) + "' is no list of CPUs");
    }
    for (std::uint64_t cpu = *first; cpu <= *last; ++cpu) cpus.insert(cpus.end(), cpu);
    begin = comma + 1;
  }
  if (cpus.empty()) return fail(ErrorCode::kCorrupt, "the list of CPUs is empty");
  return cpus;
}

// One part: read the file, parse it, keep the error.
struct Part {
  const std::string& proc_root;
  std::vector<std::string>& errors;
  template <class Parse>
  void operator()(const std::string& file, Parse parse) const {
    const Result<std::string> text = read_text_file(proc_root + file);
    if (!text) {
      errors.push_back(text.error().message);
    } else if (const Result<void> parsed = parse(*text); !parsed) {
      errors.push_back(parsed.error().within(proc_root + file).message);
    }
  }
};

}  // namespace

Result<void> parse_cpu(std::string_view proc_stat, std::uint64_t hz, HostReading& reading) {
  for (const std::string_view line : split_lines(proc_stat)) {
    if (line.substr(0, 4) != "cpu ") continue;
    // user nice system idle iowait irq softirq steal; guest time is part of user already.
    const std::vector<std::string_view> words = split_words(line);
    std::array<std::uint64_t, 8> ticks{};
    if (words.size() < ticks.size() + 1) break;
    for (std::size_t i = 0; i < ticks.size(); ++i) {
      const auto value = parse_unsigned(words[i + 1]);
      if (!value) return fail(ErrorCode::kCorrupt, "cpu line: not a number: " + std::string(line));
      ticks[i] = *value;
    }
    const auto us = [hz](std::uint64_t count) { return count * 1'000'000 / hz; };
    reading.cpu_busy_us = us(ticks[0] + ticks[1] + ticks[2] + ticks[5] + ticks[6] + ticks[7]);
    reading.cpu_idle_us = us(ticks[3]);
    reading.cpu_iowait_us = us(ticks[4]);
    return {};
  }
  return fail(ErrorCode::kCorrupt, "no complete `cpu` line");
}

Result<void> parse_memory(std::string_view meminfo, HostReading& reading) {
  const Counter total = number_of(meminfo, "MemTotal:");
  const Counter available = number_of(meminfo, "MemAvailable:");
  if (!total || !available) {
    return fail(ErrorCode::kCorrupt, "no readable MemTotal and MemAvailable lines");
  }
  reading.memory_total_bytes = *total * 1024;
  reading.memory_available_bytes = *available * 1024;
  return {};
}

Result<void> parse_process_stat(std::string_view text, std::uint64_t hz, std::uint64_t page_bytes,
                                HostReading& reading) {
  // The command in parentheses may hold blanks and parentheses: count from the last one.
  const std::size_t close = text.rfind(')');
  const std::vector<std::string_view> words = close == std::string_view::npos
                                                  ? std::vector<std::string_view>{}
                                                  : split_words(text.substr(close + 1));
  // proc_pid_stat(5): the word after ')' is field 3; utime 14, stime 15, rss 24.
  if (words.size() < 22) return fail(ErrorCode::kCorrupt, "too few fields");
  const auto user = parse_unsigned(words[11]);
  const auto system = parse_unsigned(words[12]);
  const auto pages = parse_unsigned(words[21]);
  if (!user || !system || !pages) return fail(ErrorCode::kCorrupt, "a field is no number");
  reading.process_cpu_us = (*user + *system) * 1'000'000 / hz;
  reading.process_rss_bytes = *pages * page_bytes;
  return {};
}

Result<void> parse_process_io(std::string_view text, HostReading& reading) {
  const Counter read = number_of(text, "read_bytes:");
  const Counter written = number_of(text, "write_bytes:");
  if (!read || !written) return fail(ErrorCode::kCorrupt, "no read_bytes and write_bytes lines");
  reading.process_read_bytes = read;
  reading.process_write_bytes = written;
  return {};
}

Result<std::uint64_t> parse_allowed_cpus(std::string_view status, std::string_view online) {
  const auto list = field_of(status, "Cpus_allowed_list:");
  if (!list) return fail(ErrorCode::kCorrupt, "no Cpus_allowed_list line");
  const auto allowed = parse_list(*list);
  if (!allowed) return tl::unexpected<Error>(allowed.error());
  const std::vector<std::string_view> words = split_words(online);
  const auto there = parse_list(words.size() == 1 ? words[0] : std::string_view());
  const auto runs = [&](std::uint64_t cpu) { return !there || there->contains(cpu); };
  const auto count = std::count_if(allowed->begin(), allowed->end(), runs);
  // None of them: a moment between two readings.
  return count > 0 ? static_cast<std::uint64_t>(count) : allowed->size();
}

// proc_stat(5): a line "cpuN ..." for each CPU that is online, after the sum in "cpu ...".
Result<std::uint64_t> parse_host_cpus(std::string_view proc_stat) {
  std::uint64_t cpus = 0;
  for (const std::string_view line : split_lines(proc_stat)) {
    const std::vector<std::string_view> words = split_words(line);
    if (!words.empty() && words.front().starts_with("cpu") && words.front() != "cpu") ++cpus;
  }
  if (cpus == 0) return fail(ErrorCode::kCorrupt, "no cpuN line");
  return cpus;
}

MachineRead read_machine(const std::string& proc_root) {
  MachineRead machine{{}, read_pressure(proc_root)};
  HostReading& reading = machine.of_all.reading;
  const std::uint64_t hz = positive(::sysconf(_SC_CLK_TCK), 100);
  const Part part{proc_root, machine.of_all.errors};
  part("/stat", [&](std::string_view text) { return parse_cpu(text, hz, reading); });
  part("/meminfo", [&](std::string_view text) { return parse_memory(text, reading); });
  return machine;
}

HostRead HostSource::read(const MachineRead& machine) const {
  HostRead result = machine.of_all;
  HostReading& reading = result.reading;
  const std::uint64_t hz = positive(::sysconf(_SC_CLK_TCK), 100);
  const std::uint64_t page = positive(::sysconf(_SC_PAGESIZE), 4096);
  const Part part{proc_root_, result.errors};

  CgroupDirs groups;
  if (pid_ > 0) {
    const std::string process = "/" + std::to_string(pid_);
    part(process + "/stat",
         [&](std::string_view text) { return parse_process_stat(text, hz, page, reading); });
    part(process + "/io", [&](std::string_view text) { return parse_process_io(text, reading); });
    part(process + "/status", [&](std::string_view text) {
      const Result<std::string> online = read_text_file(sys_root_ + "/devices/system/cpu/online");
      const Result<std::uint64_t> allowed = parse_allowed_cpus(text, online.value_or(""));
      if (allowed) reading.cpus = *allowed;
      return allowed.map([](std::uint64_t) {});
    });
    const Result<CgroupDirs> found = find_cgroups(proc_root_, sys_root_, pid_);
    if (found) groups = *found;
    if (!found) result.errors.push_back(found.error().message);
    limit_memory(cgroup_memory(groups), reading);
    if (const auto quota = cgroup_cpus(groups); quota && reading.cpus) {
      const auto whole = static_cast<std::uint64_t>(std::ceil(*quota));
      reading.cpus = std::clamp<std::uint64_t>(whole, 1, *reading.cpus);
      reading.cpu_quota_millis = static_cast<std::uint64_t>(std::llround(*quota * 1e3));
    }
    read_cgroup_io(groups, device_, reading);
  }
  const Result<void> pressure = take_pressure(machine.pressure, groups, reading);
  if (!pressure) result.errors.push_back(pressure.error().message);
  return result;
}

}  // namespace rocktune::daemon
