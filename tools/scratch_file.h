// The scratch file of `rocktune probe-device`: new, of nobody else's, and without a name from the
// start, so that nothing is left of it however the process ends.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune::tools {

// What statvfs() says of a file system.
struct Room {
  std::int64_t total_bytes = 0;
  std::int64_t free_bytes = 0;  // to be had without privileges
};

// Refuses when the disk would be more than 90% full, or when less than twice the size or than 5% of
// it is free now.
Result<void> check_room(const Room& room, std::int64_t size_bytes);

class ScratchFile {
 public:
  // In the directory `place`, or in that of the file `place`, which is not touched.
  // kInvalidArgument: it is a device, or there is not enough room.
  static Result<ScratchFile> create(const std::string& place, std::int64_t size_bytes);
  ~ScratchFile();
  ScratchFile(ScratchFile&& other) noexcept;
  ScratchFile& operator=(ScratchFile&&) = delete;

  [[nodiscard]] int descriptor() const { return descriptor_; }
  [[nodiscard]] const std::string& directory() const { return directory_; }
  // Whether the file system takes O_DIRECT (tmpfs does not).
  [[nodiscard]] bool takes_direct_io() const;
  // The block device under it as /sys/dev/block names it; empty: it has none.
  [[nodiscard]] std::string device() const;

 private:
  ScratchFile(int descriptor, std::string directory)
      : descriptor_(descriptor), directory_(std::move(directory)) {}
  int descriptor_ = -1;
  std::string directory_;
};

}  // namespace rocktune::tools
