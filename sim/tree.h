// Tree: the files of one column family with leveled compaction, as amounts: which compaction comes
// next, what it reads and writes, and the debt.
//
// Scores and picking are those of RocksDB (VersionStorageInfo::ComputeCompactionScore in its
// db/version_set.cc, LevelCompactionBuilder in db/compaction/compaction_picker_level.cc), targets
// and debt those of model/. Files of L0 are known one by one, deeper levels by their bytes: keys
// are taken to lie evenly, so that every file of L0 overlaps all of the base level - but those of
// files that hold appended keys only: they overlap nothing, and sink without being rewritten. Left
// out: compactions for a TTL, marked files, tombstones and what the host asks for. Pure.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "model/level_targets.h"

namespace rocktune::sim {

// Levels that a tree may have; RocksDB has 7 unless told otherwise.
inline constexpr std::size_t kMostTreeLevels = 12;

struct TreeOptions {
  std::size_t levels = 7;  // 2 to kMostTreeLevels
  LevelShape shape;
  double target_file_bytes = 64 << 20;  // of every level: target_file_size_multiplier 1
  // Since RocksDB 9.0 a small L0 above a large base level is compacted within itself.
  bool small_l0_stays = false;
  bool operator==(const TreeOptions&) const = default;
};

// What depends on the keys and values.
struct TreeLaws {
  // Bytes of the next level that a compaction reads for each byte that it takes down, over those
  // that lie within and at the edges of its range of keys: 1 if files were picked at random;
  // RocksDB picks those that overlap least (tests/unit/sim/overlap_test.cc makes it do so).
  double overlap = 0.58;
  double survival = 1;  // bytes written / bytes read: what merging drops
};

enum class CompactionKind { kL0, kWithinL0, kDeep };

struct Compaction {
  CompactionKind kind = CompactionKind::kDeep;
  int id = 0;
  std::size_t level = 0;         // that files are taken out of
  std::size_t output_level = 0;  // into which they go
  std::size_t files = 0;         // of L0
  double moved_bytes = 0;        // that leave `level`
  double appended_bytes = 0;     // of them, in files of appended keys
  double next_bytes = 0;         // of the output level, read with them
  bool trivial = false;          // files are moved, nothing is read

  [[nodiscard]] double input_bytes() const { return moved_bytes + next_bytes; }
};

class Tree {
 public:
  Tree(const TreeOptions& options, const TreeLaws& laws);

  void set_options(const TreeOptions& options);
  // Another state, with no compaction running: bytes by level, of which that of L0 lies evenly in
  // `l0_files`. Levels beyond those that the tree has must be empty.
  void restore(std::span<const double> level_bytes, std::size_t l0_files);

  enum class Keys { kSpread, kAppended };
  void add_l0_file(double bytes, Keys keys = Keys::kSpread);
  // The compaction that RocksDB would begin now; its files are busy until finish().
  std::optional<Compaction> pick();
  void finish(const Compaction& compaction);
  [[nodiscard]] double output_bytes(const Compaction& compaction) const;

  [[nodiscard]] std::size_t l0_files() const { return l0_.size(); }
  [[nodiscard]] double level_bytes(std::size_t level) const;
  [[nodiscard]] std::size_t levels() const { return options_.levels; }
  [[nodiscard]] std::size_t base_level() const { return base_; }
  [[nodiscard]] double bottom_bytes() const;  // of the last level that is not empty
  [[nodiscard]] std::uint64_t debt_bytes() const { return debt_; }

 private:
  struct File {
    double bytes = 0;
    int compaction = 0;  // that has it; 0: none
    Keys keys = Keys::kSpread;
  };
  struct Level {
    double bytes = 0;
    double appended_bytes = 0;  // of these, in files of appended keys that nothing was merged with
    double busy_bytes = 0;      // read by running compactions
  };
  struct Score {
    double value = 0;
    std::size_t level = 0;
  };
  using Scores = std::array<Score, kMostTreeLevels>;

  void retarget();
  void weigh();
  [[nodiscard]] double l0_score() const;
  [[nodiscard]] std::size_t rank(Scores& scores) const;
  [[nodiscard]] double free_l0_bytes() const;
  [[nodiscard]] bool is_l0_busy() const;
  std::optional<Compaction> pick_l0();
  std::optional<Compaction> pick_appended_l0();
  std::optional<Compaction> pick_small_l0();
  std::optional<Compaction> pick_within_l0();
  std::optional<Compaction> pick_deep(std::size_t level);
  [[nodiscard]] double overlapped(double ratio) const;
  Compaction take_newest(std::size_t files);

  TreeOptions options_;
  TreeLaws laws_;
  std::vector<File> l0_;                         // oldest first
  std::array<Level, kMostTreeLevels> levels_{};  // that of L0 is not used
  std::array<double, kMostTreeLevels> targets_{};
  std::size_t base_ = 1;
  std::uint64_t debt_ = 0;
  int last_id_ = 0;
};

}  // namespace rocktune::sim
