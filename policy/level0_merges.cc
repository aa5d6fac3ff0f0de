#include "policy/level0_merges.h"

#include <algorithm>
#include <utility>

#include "policy/others_work.h"

namespace rocktune {
namespace {

// One doubling has to save this share of what flushes and compactions write, or it is not worth it:
// of all column families together, of which each saves little where they are many. Then it is for
// those that save half of the mean and more.
constexpr double kLeastSaved = 0.05, kLeastOfMean = 0.5;
// The mean of what files are of their buffers is of about so many: a few compactions' worth. After
// so many that nobody saw come, those of level 0 are as good as any: there are hardly more.
constexpr double kMostFiles = 16;
constexpr std::uint64_t kUnseenFiles = 64;
// Means over whole cycles need so many ends of compactions, and go back no further than that.
constexpr std::size_t kLeastEnds = 3;
constexpr double kLongestMeanSeconds = 600;  // but for one cycle, however long it is
// They hold for so many times as long again, since a larger batch comes later; and while buffers
// are flushed: after so many times the usual time without one nothing is written any more.
constexpr double kMeansHold = 2, kMissedFlushes = 3, kLongestHoldSeconds = 4 * 3600;
// A memtable at this share of its buffer fills it. One that is looked at when it may be anywhere
// between empty and full is below that half of the time, and in all of so many looks hardly ever
// (1 of 256), and not for long.
constexpr double kFillsShare = 0.5;
constexpr std::uint64_t kLooksAtFlushes = 8;

}  // namespace

Level0Merges::Means Level0Merges::Totals::means_since(const Totals& before) const {
  const double took = seconds - before.seconds;
  const double known = written_seconds - before.written_seconds;
  Means out{(full_buffers - before.full_buffers) / took, (l0_input - before.l0_input) / took, {}};
  if (known > 0) out.written = (written - before.written) / known;
  return out;
}

void Level0Merges::Cycles::measure(const Totals& now) {
  if (count_ < kLeastEnds) return;
  std::size_t oldest = 0;
  while (oldest + 2 < count_ && now.seconds - ends_.at(oldest).seconds > kLongestMeanSeconds) {
    ++oldest;
  }
  const Totals& since = ends_.at(oldest);
  span_ = now.seconds - since.seconds;
  means_.reset();
  if (span_ <= kMergesSeconds || now.full_buffers <= since.full_buffers) return;
  means_ = now.means_since(since);
  holds_until_ = now.seconds + std::min(kMeansHold * span_, kLongestHoldSeconds);
}

void Level0Merges::Cycles::follow(const Totals& now, bool ended, double buffer) {
  if (now.full_buffers > flushed_) {
    flushed_ = now.full_buffers;
    flushed_seconds_ = now.seconds;
  }
  if (ended) {
    if (count_ == kMostEnds) {
      std::move(ends_.begin() + 1, ends_.end(), ends_.begin());
      --count_;
    }
    ends_.at(count_++) = now;
    slow_ = now.seconds - ended_seconds_ > kMergesSeconds;
    ended_seconds_ = now.seconds;
    measure(now);
  }
  if (!means_) return;
  const double usual = buffer / means_->full_buffers;  // between two flushes
  const bool silent =
      now.seconds - flushed_seconds_ > std::max(kMergesSeconds, kMissedFlushes * usual);
  if (silent || now.seconds > holds_until_) means_.reset();
}

// What is merged again for each batch stays: until whole cycles of the new size were seen it is
// taken to come so many times less often. More often it is not taken to come before it is seen:
// after a smaller buffer or trigger came back that had promised more than any device could write.
void Level0Merges::Cycles::resize(double times, double file_share, double now_seconds) {
  count_ = 0;
  if (times < 1) means_.reset();
  if (!means_) return;
  const double flushed = file_share * means_->full_buffers;
  if (means_->l0_input > flushed) {
    means_->l0_input = flushed + (means_->l0_input - flushed) / times;
  }
  span_ *= times;
  holds_until_ = now_seconds + std::min(kMeansHold * span_, kLongestHoldSeconds);
}

void Level0Merges::Family::follow(const ColumnFamilyReading& reading, double interval_seconds,
                                  const Value& written) {
  const std::uint64_t flushed = *reading.flushes - flushes;
  const double nominal =
      static_cast<double>(flushed) * static_cast<double>(*reading.write_buffer_bytes);
  const std::uint64_t input = *reading.l0_compactions_input_bytes - l0_input_bytes;
  const std::uint64_t other = reading.l0_compactions_other_bytes.value_or(0) - l0_other_bytes;
  const auto read = static_cast<double>(input - std::min(input, other));
  totals.seconds += interval_seconds;  // a plain mean until the window is full
  totals.full_buffers += nominal;
  totals.l0_input += read;
  if (written) {
    totals.written += *written * interval_seconds;
    totals.written_seconds += interval_seconds;
  }
  const double weight = std::min(1.0, interval_seconds / std::min(totals.seconds, kMergesSeconds));
  recent.full_buffers += weight * (nominal / interval_seconds - recent.full_buffers);
  recent.l0_input += weight * (read / interval_seconds - recent.l0_input);
  follow_size(reading);
  follow_memtable(reading, flushed);
  follow_files(reading, flushed);
  cycles.follow(totals, read > 0, static_cast<double>(buffer_bytes));
  const Means& means = cycles.means() ? *cycles.means() : recent;
  // What a compaction of a minute read is counted in the second of its end: alone it tells nothing.
  merging.known = cycles.means() || !cycles.slow();
  merging.flushed = merging.file_share * means.full_buffers;
  merging.l0_input = merging.known ? means.l0_input : merging.flushed;
  merging.written = means.written;
}

void Level0Merges::Family::follow_size(const ColumnFamilyReading& reading) {
  if (reading.level0_compaction_trigger) trigger = *reading.level0_compaction_trigger;
  const std::uint64_t size = *reading.write_buffer_bytes;
  const double brings =
      static_cast<double>(std::max<std::uint64_t>(trigger, 1)) * static_cast<double>(size);
  const bool other_batch = batch > 0 && brings > 0 && brings != batch;
  if (other_batch) cycles.resize(brings / batch, merging.file_share, totals.seconds);
  batch = brings;
  if (size == buffer_bytes) return;
  doubted = buffer_bytes > 0 && !is_seen_filled();
  since_resized = unseen = fullest = looks_at_flushes = 0;
  buffer_bytes = size;
}

bool Level0Merges::Family::is_seen_filled() const {
  return static_cast<double>(fullest) >= kFillsShare * static_cast<double>(buffer_bytes);
}

// Where memtables are not read, not even the arena of an empty one, nobody can tell.
void Level0Merges::Family::follow_memtable(const ColumnFamilyReading& reading,
                                           std::uint64_t flushed) {
  const std::uint64_t active = reading.active_memtable_bytes.value_or(0);
  if (active == 0) return;
  fullest = std::max(fullest, active);
  if (flushed > 0) ++looks_at_flushes;
  merging.never_fills = !is_seen_filled() && looks_at_flushes >= kLooksAtFlushes;
  merging.fills = is_seen_filled() || (!doubted && !merging.never_fills);
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
  const bool settled = since_resized > 0;
  since_resized += flushed;
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
  const Value written = background_writes(f);
  std::vector<Family> now;
  now.reserve(f.column_families.size());
  for (const ColumnFamilyReading& reading : f.column_families) {
    if (!reading.flushes || !reading.l0_compactions_input_bytes || !reading.write_buffer_bytes) {
      continue;
    }
    const std::uint64_t other_bytes = reading.l0_compactions_other_bytes.value_or(0);
    const Family* before = find(reading.name, now.size());
    Family& family = now.emplace_back(before != nullptr ? *before : Family());
    family.name = reading.name;
    const bool comparable = before != nullptr && f.interval_seconds > 0 &&
                            *reading.flushes >= family.flushes &&
                            *reading.l0_compactions_input_bytes >= family.l0_input_bytes &&
                            other_bytes >= family.l0_other_bytes;
    if (comparable) family.follow(reading, f.interval_seconds, written);
    family.flushes = *reading.flushes;
    family.l0_input_bytes = *reading.l0_compactions_input_bytes;
    family.l0_other_bytes = other_bytes;
  }
  families_ = std::move(now);
  saved_ = 0;
  double saving = 0;
  for (const Family& family : families_) {
    const double saved = family.merging.saved_by_doubling();
    saved_ += saved;
    if (saved > 0) ++saving;
  }
  mean_saved_ = saved_ / std::max(saving, 1.0);
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
  const Value all = merging.written ? merging.written : mean_written_;
  const double written = all.value_or(merging.flushed), saved = merging.saved_by_doubling();
  return written > 0 && saved > 0 && saved >= kLeastOfMean * mean_saved_ &&
         std::max(saved_, saved) >= kLeastSaved * std::max(written, merging.flushed);
}

}  // namespace rocktune
