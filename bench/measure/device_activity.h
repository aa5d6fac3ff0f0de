// What a block device did between two looks at its counters (/sys/block/*/stat, or the file of the
// same form that an emulated device publishes).
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/device/stat.h"
#include "model/result.h"

namespace rocktune::bench {

// The counters at a moment, in seconds of a clock that all looks share.
struct DeviceLook {
  BlockStat stat;
  double at_seconds = 0;
};

// Eleven fields at least (before Linux 4.18), seventeen since 5.5. `where` names the text.
Result<BlockStat> parse_block_stat(const std::string& text, const std::string& where);

// Reads the file now. What an emulated device publishes ten times a second counts from when it was
// published; the kernel's own from now.
Result<DeviceLook> look_at_device(const std::string& stat_path);

// The kernel's stat file of the device that holds `path`; nothing where it has none of its own, as
// on an overlay or a tmpfs.
std::optional<std::string> kernel_stat_path(const std::string& path);

// read_bytes_per_second, write_bytes_per_second, read_iops, write_iops; utilisation (share of the
// time with any request in flight); read_await_ms, write_await_ms (null without requests of the
// kind); queue (requests in flight, on average); read_bytes, write_bytes. Null when no time passed.
nlohmann::json device_activity(const DeviceLook& before, const DeviceLook& after);

}  // namespace rocktune::bench
