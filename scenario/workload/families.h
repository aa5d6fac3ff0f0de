// Which column family does a record live in? Families get shares of the loaded records in key
// order, so that with the distribution hot_set the first family can hold just what is hot (source
// 003's hot and cold column families). Inserted records are spread by a hash, in the same shares.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/located_yaml.h"

namespace rocktune::scenario {

struct Family {
  std::string name;
  double share = 1;  // of the records; all families' shares add up to 1
  bool operator==(const Family&) const = default;
};

// "default", or "hot 0.2, cold 0.8": names them, and how records are spread.
std::string families_text(const std::vector<Family>& families);

// Leaves `out` alone when the key is absent or wrong.
void read_families(MapReader& map, const std::string& key, Problems& problems,
                   std::vector<Family>& out);

class FamilyMap {
 public:
  FamilyMap(const std::vector<Family>& families, std::uint64_t records);
  // The index of the record's family.
  [[nodiscard]] std::size_t of(std::uint64_t record) const;

 private:
  std::uint64_t records_;
  std::vector<std::uint64_t> upto_;  // the first record that is not in this family
};

}  // namespace rocktune::scenario
