// FamilyFiles: which table files a column family has, and how large its levels are, as far as a LOG
// tells. Files that were there before the LOG begins are known by their number at most: a stats
// dump tells how large they are together. Bounded. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace rocktune::trace::rocksdb_log {

class FamilyFiles {
 public:
  void add(std::size_t level, std::uint64_t file, std::uint64_t bytes);
  void remove(std::uint64_t file);  // if it is known
  // Files that are not known take their share of `unknown_bytes` with them.
  void remove(std::size_t level, const std::vector<std::uint64_t>& files,
              std::uint64_t unknown_bytes);
  void move(std::uint64_t file, std::size_t level);
  // A dump says how much a level has: what of it is not known by file is kept as a sum.
  void calibrate(std::size_t level, std::uint64_t files, std::uint64_t bytes);

  [[nodiscard]] std::optional<std::uint64_t> bytes_of(std::uint64_t file) const;
  [[nodiscard]] std::uint64_t level_bytes(std::size_t level) const;

 private:
  struct File {
    std::size_t level = 0;
    std::uint64_t bytes = 0;
  };
  struct Level {
    std::uint64_t files = 0, bytes = 0;  // of the known ones
    std::uint64_t unknown_bytes = 0;
  };
  Level& at(std::size_t level);

  std::map<std::uint64_t, File> files_;
  std::vector<Level> levels_;
};

}  // namespace rocktune::trace::rocksdb_log
