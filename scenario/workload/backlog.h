// What a load leaves to compactions. A load at full speed ends in their midst, with level 0 beyond
// its slowdown trigger. What it leaves by itself hangs on its speed and on chance; this leaves as
// much to every run.
#pragma once

#include <cstdint>
#include <string>

#include "scenario/located_yaml.h"

namespace rocktune::scenario {

struct Backlog {
  // Files of uniformly drawn updates in level 0, each three quarters of a write buffer; beside
  // those that a settled load has there: fewer than start a compaction, one of them with its mark.
  std::int64_t level0_files = 0;

  bool operator==(const Backlog&) const = default;
};

// "" when there is none, else ", leaving 8 files in level 0".
std::string backlog_text(const Backlog& backlog);

// A map; leaves `out` alone when the key is absent or wrong.
void read_backlog(MapReader& map, const std::string& key, Problems& problems, Backlog& out);

}  // namespace rocktune::scenario
