#include "tools/sweep_text.h"

#include "tools/sweep_tables.h"
#include "tools/text.h"

namespace rocktune::tools {

std::vector<std::string> sweep_lines(const SweepResult& result) {
  std::vector<std::string> lines;
  if (!result.is_closed_loop()) {
    lines = table(decisions_table(result));
    lines.emplace_back();
    lines.push_back("Over " + compared_text(result) + ".");
    lines.push_back(alarms_text(result));
    lines.emplace_back(result.claims());
    return lines;
  }
  const auto best = best_of(result);
  if (!best) return {"No database came through all of its simulations."};
  lines = table(best->table);
  lines.emplace_back();
  lines.push_back(best->basis);
  if (!best->concordance.empty()) lines.push_back(best->concordance);
  lines.insert(lines.end(), best->doubts.begin(), best->doubts.end());
  lines.emplace_back(result.claims());
  return lines;
}

}  // namespace rocktune::tools
