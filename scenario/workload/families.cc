#include "scenario/workload/families.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "model/text.h"
#include "scenario/workload/generator.h"

namespace rocktune::scenario {

std::string families_text(const std::vector<Family>& families) {
  if (families.size() == 1) return families.front().name;
  std::string out;
  for (const Family& family : families) {
    out += (out.empty() ? "" : ", ") + family.name + " " + text::number(family.share, 4);
  }
  return out;
}

void read_families(MapReader& map, const std::string& key, Problems& problems,
                   std::vector<Family>& out) {
  const auto list = map.node(key);
  if (!list) return;
  if (!list->IsSequence() || list->size() == 0) {
    map.problem(key, "must be a list of {name, share}");
    return;
  }
  std::vector<Family> families;
  std::set<std::string> names;
  double sum = 0;
  for (std::size_t i = 0; i < list->size(); ++i) {
    MapReader entry((*list)[i], problems, map.qualified(key) + "[" + std::to_string(i) + "].");
    Family family;
    if (!entry.text("name", family.name) && entry.is_map()) entry.missing("name");
    if (!names.insert(family.name).second) entry.problem("name", "is given twice");
    if (!entry.number("share", family.share, {1e-6, 1}) && entry.is_map() && !entry.node("share")) {
      entry.missing("share");
    }
    entry.finish();
    sum += family.share;
    families.push_back(std::move(family));
  }
  if (std::abs(sum - 1) > 1e-6) {
    map.problem(key, "the shares must add up to 1, not " + std::to_string(sum));
  }
  out = std::move(families);
}

FamilyMap::FamilyMap(const std::vector<Family>& families, std::uint64_t records)
    : records_(records) {
  double sum = 0;
  for (const Family& family : families) {
    sum += family.share;
    upto_.push_back(static_cast<std::uint64_t>(std::llround(sum * static_cast<double>(records))));
  }
  upto_.back() = records;
}

std::size_t FamilyMap::of(std::uint64_t record) const {
  if (upto_.size() == 1) return 0;
  if (record >= records_) record = fnv_hash(record) % records_;
  return static_cast<std::size_t>(std::upper_bound(upto_.begin(), upto_.end(), record) -
                                  upto_.begin());
}

}  // namespace rocktune::scenario
