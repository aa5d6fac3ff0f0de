#include "tools/report/marks.h"

#include <utility>

namespace rocktune::tools {

void MarkList::add(double seconds, const std::string& kind, std::string text) {
  OfKind& of = kinds_[kind];
  if (of.seen++ % of.stride != 0) return;
  if (of.kept.size() == kMostOfKind) {  // every other one goes
    for (std::size_t i = 1; 2 * i < of.kept.size(); ++i) of.kept[i] = std::move(of.kept[2 * i]);
    of.kept.resize((of.kept.size() + 1) / 2);
    of.stride *= 2;
    if ((of.seen - 1) % of.stride != 0) return;
  }
  of.kept.push_back({seconds, "", std::move(text), kind});
}

std::vector<std::string> MarkList::kinds() {
  return {mark_kind::kAlert, mark_kind::kDecision, mark_kind::kBetter,
          mark_kind::kWorse, mark_kind::kOther,    mark_kind::kManual};
}

std::vector<page::Mark> MarkList::marks() const {
  std::vector<page::Mark> all;
  for (const auto& [kind, of] : kinds_) all.insert(all.end(), of.kept.begin(), of.kept.end());
  return all;
}

std::uint64_t MarkList::left_out() const {
  std::uint64_t count = 0;
  for (const auto& [kind, of] : kinds_) count += of.seen - of.kept.size();
  return count;
}

}  // namespace rocktune::tools
