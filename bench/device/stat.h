// One line of /sys/block/<device>/stat, as Linux's Documentation/block/stat.rst describes it:
// 17 unsigned decimal fields since 5.5; sectors are 512 bytes, times milliseconds.
#pragma once

#include <cstdint>
#include <string>

namespace rocktune::bench {

struct BlockStat {
  std::uint64_t read_ios = 0, read_merges = 0, read_sectors = 0, read_ms = 0;
  std::uint64_t write_ios = 0, write_merges = 0, write_sectors = 0, write_ms = 0;
  std::uint64_t in_flight = 0;  // requests now, not a counter
  std::uint64_t busy_ms = 0;    // time with any request in flight
  std::uint64_t queue_ms = 0;   // time of all requests added up
  std::uint64_t discard_ios = 0, discard_merges = 0, discard_sectors = 0, discard_ms = 0;
  std::uint64_t flush_ios = 0, flush_ms = 0;
  bool operator==(const BlockStat&) const = default;
};

// The line as the kernel prints it, with its newline.
std::string format_block_stat(const BlockStat& stat);

}  // namespace rocktune::bench
