#include "bench/device/stat.h"

#include <cinttypes>
#include <cstdio>

namespace rocktune::bench {

std::string format_block_stat(const BlockStat& s) {
  char line[512];
  // block/genhd.c, part_stat_show()
  const int length = std::snprintf(
      line, sizeof line,
      "%8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
      " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 " %8" PRIu64
      " %8" PRIu64 " %8" PRIu64 " %8" PRIu64 "\n",
      s.read_ios, s.read_merges, s.read_sectors, s.read_ms, s.write_ios, s.write_merges,
      s.write_sectors, s.write_ms, s.in_flight, s.busy_ms, s.queue_ms, s.discard_ios,
      s.discard_merges, s.discard_sectors, s.discard_ms, s.flush_ios, s.flush_ms);
  return std::string(line, static_cast<std::size_t>(length));
}

}  // namespace rocktune::bench
