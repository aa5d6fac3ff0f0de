#include "scenario/workload/backlog.h"

namespace rocktune::scenario {

std::string backlog_text(const Backlog& backlog) {
  if (backlog.level0_files == 0) return "";
  return ", leaving " + std::to_string(backlog.level0_files) + " files in level 0";
}

void read_backlog(MapReader& map, const std::string& key, Problems& problems, Backlog& out) {
  const auto node = map.node(key);
  if (!node) return;
  MapReader entry(*node, problems, map.qualified(key) + ".");
  entry.integer("level0_files", out.level0_files, {0, 1000});
  entry.finish();
}

}  // namespace rocktune::scenario
