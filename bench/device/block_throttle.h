// Limits what this process may read from and write to one block device, through a control group of
// its own: blkio.throttle.* of cgroup v1, io.max of cgroup v2, whichever is there.
//
// The process is moved into a child of the control group that it is in, and back when the throttle
// goes. Of cgroup v1 only direct I/O is slowed down on its way to the device: buffered writes are
// the kernel's own. Not thread-safe.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/result.h"

namespace rocktune::bench {

struct BlockLimits {
  std::uint64_t read_bytes_per_second = 0;  // 0: no limit
  std::uint64_t write_bytes_per_second = 0;
  std::uint64_t read_iops = 0;
  std::uint64_t write_iops = 0;
};

// What is to be written into which files of a control group to limit `device` ("MAJOR:MINOR").
std::vector<std::pair<std::string, std::string>> limit_values(bool unified,
                                                              const std::string& device,
                                                              const BlockLimits& limits);

// Where a process's control group for block I/O is.
struct BlockGroup {
  bool unified = false;   // cgroup v2
  std::string directory;  // that the process is in
  std::string parent;     // under which a group for it can be made
};

// `proc_root` is /proc, or a test's tree. Says what is missing where there is none.
Result<BlockGroup> find_block_group(const std::string& proc_root);

class BlockThrottle {
 public:
  // Makes the group `name`; `device` is "MAJOR:MINOR". Nobody is moved or limited yet.
  static Result<BlockThrottle> create(const BlockGroup& group, const std::string& name,
                                      const std::string& device);
  ~BlockThrottle();  // leaves and removes the group
  BlockThrottle(BlockThrottle&& other) noexcept;
  BlockThrottle& operator=(BlockThrottle&&) = delete;

  // Moves this process, with all its threads, into the group.
  Result<void> enter();
  Result<void> limit(const BlockLimits& limits);
  [[nodiscard]] const std::string& directory() const { return directory_; }

 private:
  BlockThrottle(BlockGroup group, std::string directory, std::string device);
  BlockGroup group_;
  std::string directory_;  // empty: moved from
  std::string device_;
  bool entered_ = false;
};

// Removes an empty control group; it takes the kernel a moment to see that its processes have gone.
void remove_group(const std::string& directory);

}  // namespace rocktune::bench
