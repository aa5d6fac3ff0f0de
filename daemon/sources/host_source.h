// The host source: pressure, CPU, memory and the database's process, from /proc and the process's
// control groups. Each part fails alone: its fields stay absent and its error is kept.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "daemon/sources/pressure.h"
#include "model/result.h"
#include "model/sample.h"

namespace rocktune::daemon {

struct HostRead {
  HostReading reading;
  std::vector<std::string> errors;  // one sentence per part that failed
};

// What is the same for every process.
struct MachineRead {
  HostRead of_all;  // CPU and memory
  Pressure pressure;
};
MachineRead read_machine(const std::string& proc_root);

class HostSource {
 public:
  // `pid` 0: the machine only. `device`: the number of the block device whose limits count; may be
  // empty.
  HostSource(std::string proc_root, std::string sys_root, std::int64_t pid, std::string device = {})
      : proc_root_(std::move(proc_root)),
        sys_root_(std::move(sys_root)),
        pid_(pid),
        device_(std::move(device)) {}
  [[nodiscard]] HostRead read() const { return read(read_machine(proc_root_)); }
  [[nodiscard]] HostRead read(const MachineRead& machine) const;

 private:
  std::string proc_root_, sys_root_;
  std::int64_t pid_;
  std::string device_;
};

// The parts, on a file's text. `hz` is the kernel's USER_HZ.
Result<void> parse_cpu(std::string_view proc_stat, std::uint64_t hz, HostReading& reading);
Result<void> parse_memory(std::string_view meminfo, HostReading& reading);
Result<void> parse_process_stat(std::string_view text, std::uint64_t hz, std::uint64_t page_bytes,
                                HostReading& reading);
Result<void> parse_process_io(std::string_view text, HostReading& reading);
// How many of those that the process may use are online: its list has those that might come, too.
// Where `online` (the list of /sys/devices/system/cpu/online) is none, all of them.
Result<std::uint64_t> parse_allowed_cpus(std::string_view status, std::string_view online);
Result<std::uint64_t> parse_host_cpus(std::string_view proc_stat);  // how many are online

}  // namespace rocktune::daemon
