#include "policy/level0_merges.h"

#include <algorithm>
#include <utility>

namespace rocktune {
namespace {

// One doubling has to save this share of what flushes and compactions write, or it is not worth it.
constexpr double kLeastSaved = 0.05;
// The mean of what files are of their buffers is of about so many: a few compactions' worth. After
// so many that nobody saw come, those of level 0 are as good as any: there are hardly more.
constexpr double kMostFiles = 16;
constexpr std::uint64_t kUnseenFiles = 64;

}  // namespace

void Level0Merges::Family::follow(const ColumnFamilyReading& reading, double interval_seconds) {
  const auto buffers = static_cast<double>(*reading.flushes - flushes);
  const double nominal = buffers * static_cast<double>(*reading.write_buffer_bytes);
  const auto read = static_cast<double>(*reading.l0_compactions_input_bytes - l0_input_bytes);
  seconds += interval_seconds;  // a plain mean until the window is full
  const double weight = std::min(1.0, interval_seconds / std::min(seconds, kMergesSeconds));
  full_buffers += weight * (nominal / interval_seconds - full_buffers);
  merging.l0_input += weight * (read / interval_seconds - merging.l0_input);
  follow_files(reading, *reading.flushes - flushes);
  merging.flushed = merging.file_share * full_buffers;
}

void Level0Merges::Family::learn_share(double share, double of_files) {
  files = std::min(files + of_files, kMostFiles);
  merging.file_share +=
      std::min(1.0, of_files / files) * (std::min(1.0, share) - merging.file_share);
  merging.share_known = true;
  unseen = 0;
}

// A buffer makes a smaller file: compressed, and written before it is full where the WAL's size or
// a write buffer manager says so. Told by what level 0 grows by while no compaction takes of it.
// The first after a change of the size was begun before. Where nobody looks in time, by all that
// are in level 0 once they are of this size.
void Level0Merges::Family::follow_files(const ColumnFamilyReading& reading, std::uint64_t flushed) {
  const std::optional<LevelReading> before = level0;
  level0 = reading.levels.empty() ? std::nullopt : std::optional(reading.levels[0]);
  if (buffer_bytes != *reading.write_buffer_bytes) since_resized = unseen = 0;
  const bool settled = since_resized > 0;
  since_resized += flushed;
  buffer_bytes = *reading.write_buffer_bytes;
  if (!settled || flushed == 0 || !level0 || buffer_bytes == 0) return;
  unseen += flushed;
  const auto buffer = static_cast<double>(buffer_bytes), come = static_cast<double>(flushed);
  const bool grew =
      before && level0->files == before->files + flushed && level0->bytes > before->bytes;
  if (grew) {
    learn_share(static_cast<double>(level0->bytes - before->bytes) / (come * buffer), come);
  } else if (unseen >= kUnseenFiles && level0->files > 0 && level0->bytes > 0) {
    const auto count = static_cast<double>(level0->files);
    learn_share(static_cast<double>(level0->bytes) / (count * buffer), count);
  }
}

const Level0Merges::Family* Level0Merges::find(std::string_view name, std::size_t nearby) const {
  if (nearby < families_.size() && families_[nearby].name == name) return &families_[nearby];
  for (const Family& family : families_) {
    if (family.name == name) return &family;
  }
  return nullptr;
}

void Level0Merges::observe(const Features& f) {
  std::vector<Family> now;
  now.reserve(f.column_families.size());
  for (const ColumnFamilyReading& reading : f.column_families) {
    if (!reading.flushes || !reading.l0_compactions_input_bytes || !reading.write_buffer_bytes) {
      continue;
    }
    const Family* before = find(reading.name, now.size());
    Family& family = now.emplace_back(before != nullptr ? *before : Family());
    family.name = reading.name;
    const bool comparable = before != nullptr && f.interval_seconds > 0 &&
                            *reading.flushes >= family.flushes &&
                            *reading.l0_compactions_input_bytes >= family.l0_input_bytes;
    if (comparable) family.follow(reading, f.interval_seconds);
    family.flushes = *reading.flushes;
    family.l0_input_bytes = *reading.l0_compactions_input_bytes;
  }
  families_ = std::move(now);
  Value written;
  if (f.flush_bytes_per_second && f.compaction_write_bytes_per_second) {
    written = *f.flush_bytes_per_second + *f.compaction_write_bytes_per_second;
  }
  written_.note(f.at.tick, written);
  mean_written_ = written_.mean(kMergesSeconds);
  Value dropped;
  if (f.compaction_read_bytes_per_second && f.compaction_write_bytes_per_second) {
    dropped = *f.compaction_read_bytes_per_second - *f.compaction_write_bytes_per_second;
  }
  dropped_.note(f.at.tick, dropped);
  flushed_.note(f.at.tick, f.flush_bytes_per_second);
  const double of = flushed_.mean(kDroppedSeconds).value_or(0);
  const double less = dropped_.mean(kDroppedSeconds).value_or(0);
  dropped_share_ = of > 0 ? std::clamp(less / of, 0.0, 1.0) : 0;
}

const Level0Merging* Level0Merges::of(std::string_view column_family, std::size_t nearby) const {
  const Family* family = find(column_family, nearby);
  return family != nullptr ? &family->merging : nullptr;
}

bool Level0Merges::worth_doubling(const Level0Merging& merging) const {
  // The means of a column family decay, and keep their proportions long after the last write.
  const double written = mean_written_.value_or(merging.flushed),
               saved = merging.saved_by_doubling();
  return written > 0 && saved > 0 && saved >= kLeastSaved * std::max(written, merging.flushed);
}

}  // namespace rocktune
