#include "trace/rocksdb_log/family_files.h"

#include <algorithm>

namespace rocktune::trace::rocksdb_log {
namespace {

// 64 PiB of files of 64 MiB; some 100 bytes each here.
constexpr std::size_t kMostFiles = 1'000'000;

}  // namespace

FamilyFiles::Level& FamilyFiles::at(std::size_t level) {
  if (levels_.size() <= level) levels_.resize(level + 1);
  return levels_[level];
}

void FamilyFiles::remove(std::uint64_t file) {
  const auto known = files_.find(file);
  if (known == files_.end()) return;
  Level& level = at(known->second.level);
  --level.files;
  level.bytes -= known->second.bytes;
  files_.erase(known);
}

void FamilyFiles::add(std::size_t level, std::uint64_t file, std::uint64_t bytes) {
  remove(file);
  if (files_.size() >= kMostFiles) {
    at(level).unknown_bytes += bytes;
    return;
  }
  files_[file] = {level, bytes};
  Level& entry = at(level);
  ++entry.files;
  entry.bytes += bytes;
}

void FamilyFiles::remove(std::size_t level, const std::vector<std::uint64_t>& files,
                         std::uint64_t unknown_bytes) {
  for (const std::uint64_t file : files) remove(file);
  Level& entry = at(level);
  entry.unknown_bytes -= std::min(entry.unknown_bytes, unknown_bytes);
}

void FamilyFiles::move(std::uint64_t file, std::size_t level) {
  const auto known = files_.find(file);
  if (known != files_.end()) add(level, file, known->second.bytes);
}

void FamilyFiles::calibrate(std::size_t level, std::uint64_t files, std::uint64_t bytes) {
  Level& entry = at(level);
  entry.unknown_bytes = files > entry.files && bytes > entry.bytes ? bytes - entry.bytes : 0;
}

std::optional<std::uint64_t> FamilyFiles::bytes_of(std::uint64_t file) const {
  const auto known = files_.find(file);
  if (known == files_.end()) return std::nullopt;
  return known->second.bytes;
}

std::uint64_t FamilyFiles::level_bytes(std::size_t level) const {
  return level < levels_.size() ? levels_[level].bytes + levels_[level].unknown_bytes : 0;
}

}  // namespace rocktune::trace::rocksdb_log
