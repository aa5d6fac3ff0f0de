// What a load leaves to compactions. A load at full speed ends in their midst: with level 0 near
// its slowdown trigger and deeper levels over their targets. What it leaves by itself hangs on its
// speed and on chance; this leaves the same to every run.
#pragma once

#include <cstdint>
#include <string>

#include "bench/config/located_yaml.h"

namespace rocktune::bench {

struct Backlog {
  // Files of uniformly drawn updates in level 0, each three quarters of a write buffer.
  std::int64_t level0_files = 0;
  // The load comes to rest under level targets of so many times the configuration's.
  std::int64_t level_excess = 1;

  [[nodiscard]] bool none() const { return level0_files == 0 && level_excess == 1; }
  bool operator==(const Backlog&) const = default;
};

// "" when there is none, else ", leaving 8 files in level 0 and levels of 4 times their targets".
std::string backlog_text(const Backlog& backlog);

// A map of the two; leaves `out` alone when the key is absent or wrong.
void read_backlog(MapReader& map, const std::string& key, Problems& problems, Backlog& out);

}  // namespace rocktune::bench
