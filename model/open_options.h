// OpenOptions: what a database was opened with, in RocksDB's own spelling. Plain data. Absent means
// that it was not told, which is not RocksDB's default.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace rocktune {

using OptionValues = std::map<std::string, std::string>;

struct OpenOptions {
  OptionValues database;
  std::map<std::string, OptionValues> column_families;  // by name
  std::uint64_t families_left_out = 0;                  // column families of which nothing is kept

  bool operator==(const OpenOptions&) const = default;
  [[nodiscard]] bool empty() const { return database.empty() && column_families.empty(); }
};

}  // namespace rocktune
