// Loop devices and the file system on one: thin words for what the kernel does with them.
#pragma once

#include <optional>
#include <string>

#include "model/result.h"

namespace rocktune::bench {

struct LoopNumber {
  int number = -1;
  [[nodiscard]] std::string path() const { return "/dev/loop" + std::to_string(number); }
  [[nodiscard]] std::string stat_path() const {
    return "/sys/block/loop" + std::to_string(number) + "/stat";
  }
};

// Whether this process may make loop devices and format them; if not, what is missing and what to
// do about it.
Result<void> check_loop_possible();

// A sparse file of so many bytes.
Result<void> make_sparse_file(const std::string& path, std::int64_t bytes);

// Attaches a file to a free loop device, with direct I/O to the file below.
Result<LoopNumber> attach_loop(const std::string& image);
void detach_loop(LoopNumber loop);
// The file behind it; nothing when it is free.
std::optional<std::string> backing_file(LoopNumber loop);
// The loop device that has this file behind it.
std::optional<LoopNumber> find_loop(const std::string& image);
// "MAJOR:MINOR"
Result<std::string> device_number(LoopNumber loop);

Result<void> make_ext4(LoopNumber loop);
Result<void> mount_ext4(LoopNumber loop, const std::string& mount_point);
// Waits for files that are about to be closed; leaves what others hold to be unmounted when they
// let go of it.
void unmount(const std::string& mount_point);

}  // namespace rocktune::bench
