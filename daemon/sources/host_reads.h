// HostReads: what HostSource reads, once for each poll: all databases share what is the machine's,
// those of one process what is the process's. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "daemon/sources/host_source.h"
#include "model/clock.h"

namespace rocktune::daemon {

class HostReads {
 public:
  // `poll`: the tick of the poll that the reading is for, the same for all of its samples; the rest
  // as HostSource has it, whose roots are always the same.
  const HostRead& read(Nanoseconds poll, const std::string& proc_root, const std::string& sys_root,
                       std::int64_t pid, const std::string& device) {
    if (poll != poll_) {
      processes_.clear();
      machine_.reset();
      poll_ = poll;
    }
    const auto [process, anew] = processes_.try_emplace({pid, device});
    if (!anew) return process->second;
    if (!machine_) machine_ = read_machine(proc_root);
    return process->second = HostSource(proc_root, sys_root, pid, device).read(*machine_);
  }

 private:
  std::optional<Nanoseconds> poll_;
  std::optional<MachineRead> machine_;
  std::map<std::pair<std::int64_t, std::string>, HostRead> processes_;  // by pid and device
};

}  // namespace rocktune::daemon
