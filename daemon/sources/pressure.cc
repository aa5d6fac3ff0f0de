#include "daemon/sources/pressure.h"

#include "files/text_file.h"
#include "files/words.h"

namespace rocktune::daemon {
namespace {

// "some avg10=0.00 avg60=0.00 avg300=0.00 total=123" -> 123
Counter total_of(std::string_view line) {
  for (const std::string_view word : split_words(line)) {
    if (word.substr(0, 6) == "total=") return parse_unsigned(word.substr(6));
  }
  return std::nullopt;
}

// The group's own, or else the machine's.
Result<PressureTotals> one_of(const Result<PressureTotals>& machine, const CgroupDirs& cgroup,
                              const std::string& resource) {
  if (!cgroup.v2.empty()) {
    const Result<std::string> own = read_text_file(cgroup.v2 + "/" + resource + ".pressure");
    if (own) {
      if (Result<PressureTotals> totals = parse_pressure(*own)) return totals;
    }
  }
  return machine;
}

Result<PressureTotals> read_one(const std::string& proc_root, const std::string& resource) {
  const std::string file = proc_root + "/pressure/" + resource;
  const Result<std::string> text = read_text_file(file);
  if (!text) return tl::unexpected<Error>(text.error());
  Result<PressureTotals> totals = parse_pressure(*text);
  if (!totals) return tl::unexpected<Error>(totals.error().within(file));
  return totals;
}

}  // namespace

Result<PressureTotals> parse_pressure(std::string_view text) {
  PressureTotals totals;
  for (const std::string_view line : split_lines(text)) {
    if (line.substr(0, 5) == "some ") totals.some_us = total_of(line);
    if (line.substr(0, 5) == "full ") totals.full_us = total_of(line);
  }
  if (!totals.some_us) return fail(ErrorCode::kCorrupt, "has no `some ... total=` line");
  return totals;
}

Pressure read_pressure(const std::string& proc_root) {
  return {read_one(proc_root, "cpu"), read_one(proc_root, "io"), read_one(proc_root, "memory")};
}

Result<void> take_pressure(const Pressure& machine, const CgroupDirs& cgroup,
                           HostReading& reading) {
  const Result<PressureTotals> cpu = one_of(machine.cpu, cgroup, "cpu");
  const Result<PressureTotals> io = one_of(machine.io, cgroup, "io");
  const Result<PressureTotals> memory = one_of(machine.memory, cgroup, "memory");
  if (cpu) reading.cpu_pressure_some_us = cpu->some_us;
  if (io) {
    reading.io_pressure_some_us = io->some_us;
    reading.io_pressure_full_us = io->full_us;
  }
  if (memory) {
    reading.memory_pressure_some_us = memory->some_us;
    reading.memory_pressure_full_us = memory->full_us;
  }
  for (const Result<PressureTotals>* part : {&cpu, &io, &memory}) {
    if (!*part) return tl::unexpected<Error>(part->error());
  }
  return {};
}

}  // namespace rocktune::daemon
