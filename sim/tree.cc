#include "sim/tree.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "model/compaction_debt.h"

namespace rocktune::sim {
namespace {

// kMinFilesForIntraL0Compaction (compaction_picker_level.cc).
constexpr std::size_t kFewestWithinL0 = 4;
// max_compaction_bytes is this many target files unless set.
constexpr double kFilesPerCompaction = 25;
// kScoreScale (ComputeCompactionScore).
constexpr double kScoreScale = 10;
// Tree::overlapped: what picking by least overlap comes to in tests/unit/sim/overlap_test.cc.
constexpr double kCoversKeys = 1.3, kEdges = 0.85;

double within(double bytes) {
  return std::max(bytes, 0.0);
}

// What is left busy by so much less. Several compactions of one level end in another order than
// they began: what rounding leaves of them, less than a byte, would keep level 0 waiting for ever.
double released(double busy, double bytes) {
  const double left = busy - bytes;
  return left < 1 ? 0 : left;
}

}  // namespace

Tree::Tree(const TreeOptions& options, const TreeLaws& laws) : options_(options), laws_(laws) {
  assert(options.levels >= 2 && options.levels <= kMostTreeLevels);
  retarget();
}

void Tree::set_options(const TreeOptions& options) {
  options_ = options;
  retarget();
}

void Tree::restore(std::span<const double> level_bytes, std::size_t l0_files) {
  levels_.fill({});
  l0_.clear();
  for (std::size_t level = 1; level < std::min(level_bytes.size(), options_.levels); ++level) {
    levels_.at(level).bytes = level_bytes[level];
  }
  if (l0_files > 0) {
    l0_.assign(l0_files, {level_bytes.front() / static_cast<double>(l0_files)});
  }
  retarget();
}

void Tree::add_l0_file(double bytes, Keys keys) {
  l0_.push_back({bytes, 0, keys});
  weigh();
}

double Tree::level_bytes(std::size_t level) const {
  if (level > 0) return levels_.at(level).bytes;
  double bytes = 0;
  for (const File& file : l0_) bytes += file.bytes;
  return bytes;
}

double Tree::bottom_bytes() const {
  for (std::size_t level = options_.levels; level-- > 0;) {
    if (const double bytes = level_bytes(level); bytes > 0) return bytes;
  }
  return 0;
}

void Tree::retarget() {
  std::array<double, kMostTreeLevels> bytes{};
  for (std::size_t level = 1; level < options_.levels; ++level) {
    bytes.at(level) = levels_.at(level).bytes;
  }
  base_ = level_targets(options_.shape, std::span(bytes).first(options_.levels),
                        std::span(targets_).first(options_.levels));
  weigh();
}

// The debt, which is asked for far more often than a file comes or goes.
void Tree::weigh() {
  std::vector<std::uint64_t> bytes(options_.levels);
  for (std::size_t level = 0; level < bytes.size(); ++level) {
    bytes[level] = static_cast<std::uint64_t>(level_bytes(level));
  }
  debt_ = compaction_debt_bytes(options_.shape, l0_.size(), bytes);
}

double Tree::free_l0_bytes() const {
  double bytes = 0;
  for (const File& file : l0_) bytes += file.compaction == 0 ? file.bytes : 0;
  return bytes;
}

bool Tree::is_l0_busy() const {
  return std::any_of(l0_.begin(), l0_.end(), [](const File& file) { return file.compaction != 0; });
}

double Tree::l0_score() const {
  const auto free =
      std::count_if(l0_.begin(), l0_.end(), [](const File& file) { return file.compaction == 0; });
  const double bytes = free_l0_bytes();
  const auto base = static_cast<double>(options_.shape.max_bytes_for_level_base);
  const auto trigger = static_cast<double>(options_.shape.level0_compaction_trigger);
  double score = static_cast<double>(free) / std::max(trigger, 1.0);
  if (!options_.shape.dynamic_level_bytes) return std::max(score, bytes / base);
  if (bytes >= base) score = std::max(score, 1.01);
  const double target = targets_.at(base_);
  if (bytes > target) score = std::max(score, bytes / std::max(levels_.at(base_).bytes, target));
  return score > 1 ? score * kScoreScale : score;
}

// All levels that files may be taken out of, highest score first, of equals the upper one; returns
// how many.
std::size_t Tree::rank(Scores& scores) const {
  std::size_t count = 0;
  scores.at(count++) = {l0_score(), 0};
  double arriving = level_bytes(0);
  for (std::size_t level = base_; level + 1 < options_.levels; ++level) {
    const Level& own = levels_.at(level);
    const double target = targets_.at(level);
    double score = within(own.bytes - own.busy_bytes) / target;
    if (options_.shape.dynamic_level_bytes && score >= 1) {
      score = score * target / (target + arriving) * kScoreScale;
    }
    arriving += within(own.bytes - target);
    scores.at(count++) = {score, level};
  }
  std::sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(count),
            [](const Score& one, const Score& other) {
              return one.value != other.value ? one.value > other.value : one.level < other.level;
            });
  return count;
}

std::optional<Compaction> Tree::pick() {
  Scores scores;
  const std::size_t count = rank(scores);
  bool l0_waits = false;
  for (std::size_t i = 0; i < count && scores.at(i).value >= 1; ++i) {
    const std::size_t level = scores.at(i).level;
    if (level > 0) {
      // A compaction out of L0 waits for the base level: nothing more may take files of it.
      if (l0_waits && level == base_) continue;
      if (auto picked = pick_deep(level)) return picked;
      continue;
    }
    if (auto picked = pick_l0()) return picked;
    if (auto picked = pick_within_l0()) return picked;
    l0_waits = true;
  }
  return std::nullopt;
}

std::optional<Compaction> Tree::pick_l0() {
  if (is_l0_busy() || l0_.empty()) return std::nullopt;
  if (auto picked = pick_appended_l0()) return picked;
  if (auto picked = pick_small_l0()) return picked;
  Level& base = levels_.at(base_);
  if (base.busy_bytes > 0) return std::nullopt;
  Compaction compaction = take_newest(l0_.size());
  compaction.kind = CompactionKind::kL0;
  compaction.output_level = base_;
  compaction.next_bytes = base.busy_bytes = base.bytes;
  base.appended_bytes = 0;
  compaction.trivial = compaction.files == 1 && base.bytes == 0;
  return compaction;
}

// One file that overlaps neither the others nor the base level is moved (IsTrivialMove).
std::optional<Compaction> Tree::pick_appended_l0() {
  const auto file = std::find_if(l0_.begin(), l0_.end(),
                                 [](const File& one) { return one.keys == Keys::kAppended; });
  if (file == l0_.end()) return std::nullopt;
  Compaction compaction;
  compaction.kind = CompactionKind::kL0;
  compaction.id = file->compaction = ++last_id_;
  compaction.output_level = base_;
  compaction.files = 1;
  compaction.moved_bytes = compaction.appended_bytes = file->bytes;
  compaction.trivial = true;
  return compaction;
}

// PickSizeBasedIntraL0Compaction: below a twentieth of the base level, merging with it would write
// far more than it takes down.
std::optional<Compaction> Tree::pick_small_l0() {
  const auto fewest = std::max<std::uint64_t>(2, options_.shape.level0_compaction_trigger);
  if (!options_.small_l0_stays || l0_.size() < fewest) return std::nullopt;
  const double ratio = 2 * std::max(10.0, options_.shape.max_bytes_for_level_multiplier);
  if (levels_.at(base_).bytes <= level_bytes(0) * ratio) return std::nullopt;
  return take_newest(l0_.size());
}

// PickIntraL0Compaction and FindIntraL0Compaction: as many of the newest files as make the work for
// each file that goes smaller.
std::optional<Compaction> Tree::pick_within_l0() {
  if (l0_.size() < options_.shape.level0_compaction_trigger + 2) return std::nullopt;
  double bytes = 0;
  double per_file = std::numeric_limits<double>::max();
  std::size_t files = 0;
  for (auto file = l0_.rbegin(); file != l0_.rend(); ++file) {
    bytes += file->bytes;
    if (file->compaction != 0) break;
    if (files > 0) {
      const double now = bytes / static_cast<double>(files);
      if (now > per_file || bytes > kFilesPerCompaction * options_.target_file_bytes) break;
      per_file = now;
    }
    ++files;
  }
  if (files < kFewestWithinL0) return std::nullopt;
  return take_newest(files);
}

// Bytes of the next level per byte that is taken down, where it is `ratio` times as large: for as
// long as its files leave some of the keys free, one is found that overlaps none; then the range of
// one covers those of so many, and parts of those at both ends.
double Tree::overlapped(double ratio) const {
  return ratio < kCoversKeys ? 0 : laws_.overlap * (ratio + kEdges);
}

std::optional<Compaction> Tree::pick_deep(std::size_t level) {
  Level& own = levels_.at(level);
  Level& next = levels_.at(level + 1);
  // Files that overlap least are picked first.
  const double appended = std::min(options_.target_file_bytes, own.appended_bytes);
  const double moved =
      appended > 0 ? appended : std::min(options_.target_file_bytes, own.bytes - own.busy_bytes);
  if (!(moved > 0)) return std::nullopt;
  const double free_next = within(next.bytes - next.busy_bytes);
  if (appended == 0 && next.bytes > 0 && !(free_next > 0)) return std::nullopt;
  Compaction compaction;
  compaction.id = ++last_id_;
  compaction.level = level;
  compaction.output_level = level + 1;
  compaction.moved_bytes = moved;
  compaction.appended_bytes = appended;
  own.appended_bytes -= appended;
  if (appended == 0) {
    compaction.next_bytes = std::min(overlapped(next.bytes / own.bytes) * moved, free_next);
  }
  compaction.trivial = compaction.next_bytes == 0;
  // Of those that are free, which are the ones that are read.
  if (free_next > 0) next.appended_bytes *= 1 - compaction.next_bytes / free_next;
  own.busy_bytes += compaction.moved_bytes;
  next.busy_bytes += compaction.next_bytes;
  return compaction;
}

// Within L0, unless the caller says otherwise.
Compaction Tree::take_newest(std::size_t files) {
  Compaction compaction;
  compaction.kind = CompactionKind::kWithinL0;
  compaction.id = ++last_id_;
  compaction.files = files;
  for (std::size_t i = l0_.size() - files; i < l0_.size(); ++i) {
    l0_[i].compaction = compaction.id;
    compaction.moved_bytes += l0_[i].bytes;
  }
  return compaction;
}

double Tree::output_bytes(const Compaction& compaction) const {
  return compaction.trivial ? compaction.moved_bytes : compaction.input_bytes() * laws_.survival;
}

void Tree::finish(const Compaction& compaction) {
  const double output = output_bytes(compaction);
  if (compaction.level == 0) {
    const auto is_input = [&](const File& file) { return file.compaction == compaction.id; };
    const auto first = std::find_if(l0_.begin(), l0_.end(), is_input);
    const auto last = std::find_if_not(first, l0_.end(), is_input);
    const auto place = l0_.erase(first, last);
    if (compaction.kind == CompactionKind::kWithinL0) l0_.insert(place, {output});
  } else {
    Level& own = levels_.at(compaction.level);
    own.bytes = within(own.bytes - compaction.moved_bytes);
    own.busy_bytes = released(own.busy_bytes, compaction.moved_bytes);
  }
  if (compaction.output_level > 0) {
    Level& next = levels_.at(compaction.output_level);
    next.bytes = within(next.bytes - compaction.next_bytes) + output;
    next.appended_bytes += compaction.appended_bytes;
    next.busy_bytes = released(next.busy_bytes, compaction.next_bytes);
  }
  retarget();
}

}  // namespace rocktune::sim
