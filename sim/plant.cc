#include "sim/plant.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "model/compaction_pressure.h"
#include "policy/job_slots.h"

namespace rocktune::sim {
namespace {

// Less than this is rounding.
constexpr double kNothing = 1;  // bytes
constexpr double kNoOperations = 1e-3;
constexpr std::size_t kMostCompactions = 256;
constexpr double kMostPieces = 64;  // of one compaction; more CPUs than that nobody gives it
// Of a compaction that only moves files: an edit of the manifest.
constexpr double kMoveSeconds = 0.02;
// A memtable with more than this share of keys among the others spans all of them.
constexpr double kFewSpread = 1e-3;

StallGauges gauges(const Tree& tree, std::size_t immutable_memtables) {
  return {static_cast<std::int64_t>(immutable_memtables),
          static_cast<std::int64_t>(tree.l0_files()), tree.debt_bytes()};
}

}  // namespace

Plant::Plant(const PlantOptions& options, const Laws& laws, std::uint64_t seed)
    : options_(options),
      laws_(laws),
      cached_bytes_(options.cache_bytes),
      miss_ratio_(miss_ratio(laws.reads, cached_bytes_)),
      random_(seed, 0),
      control_(options.families.size(), options.delayed_write_rate) {
  for (const FamilyOptions& family : options.families) {
    families_.push_back({Tree(family.tree, laws.tree), 0, 0, {}, 0, {}});
  }
  if (options.limit_tunes_itself) {
    tuning_.emplace(options.rate_limit);
    options_.rate_limit = tuning_->rate();
  }
}

void Plant::restore(std::span<const FamilyState> states, std::uint64_t delayed_rate) {
  assert(states.size() == families_.size());
  flushes_.clear();
  compactions_.clear();
  for (std::size_t i = 0; i < families_.size(); ++i) {
    Family& family = families_[i];
    const FamilyState& state = states[i];
    family.tree.restore(state.level_bytes, state.l0_files);
    family.active_bytes = family.active_spread_bytes = state.active_bytes;
    family.flushing = 0;
    const double bytes = options_.families[i].write_buffer_bytes * laws_.memtable_fill;
    family.waiting.assign(state.immutable_memtables, {bytes * laws_.flush_output});
    control_.restore(i, options_.families[i].limits, gauges(family.tree, state.immutable_memtables),
                     delayed_rate);
  }
  schedule();
}

void Plant::set_options(const PlantOptions& options) {
  assert(options.families.size() == families_.size());
  if (options.delayed_write_rate != options_.delayed_write_rate) {
    control_.set_max_delayed_rate(options.delayed_write_rate);
  }
  if (tuning_ && options.rate_limit != options_.rate_limit) tuning_->set_rate(options.rate_limit);
  options_ = options;
  cached_bytes_ = std::min(cached_bytes_, options.cache_bytes);
  miss_ratio_ = miss_ratio(laws_.reads, cached_bytes_);
  for (std::size_t i = 0; i < families_.size(); ++i) {
    families_[i].tree.set_options(options.families[i].tree);
    install(i);
  }
  settle();
}

void Plant::set_arrivals(const Arrivals& arrivals) {
  if (arrivals.anew || !arrivals.catches_up || arrivals.closed) give_up_backlog();
  arrivals_ = arrivals;
}

void Plant::give_up_backlog() {
  const ArrivalClock& writers = arrivals_.one_queue ? read_clock_ : write_clock_;
  read_latency_.give_up(read_backlog_, read_clock_.wait_seconds(totals_.seconds));
  write_latency_.give_up(write_backlog_, writers.wait_seconds(totals_.seconds));
  read_backlog_ = write_backlog_ = 0;
  read_clock_.clear(totals_.seconds);
  write_clock_.clear(totals_.seconds);
}

std::size_t Plant::immutable_memtables(std::size_t family) const {
  const Family& own = families_.at(family);
  return own.waiting.size() + own.flushing;
}

// User bytes that the active memtable still takes.
double Plant::memtable_room(const Family& family, std::size_t index) const {
  const double full = options_.families[index].write_buffer_bytes * laws_.memtable_fill;
  return std::max(full - family.active_bytes, 0.0);
}

double Plant::next_event() const {
  double seconds = std::numeric_limits<double>::infinity();
  const auto ends = [&seconds](double left, double speed) {
    if (speed > 0) seconds = std::min(seconds, left / speed);
  };
  const double bytes =
      rates_.writes_per_second * laws_.bytes_per_write / static_cast<double>(families_.size());
  for (std::size_t i = 0; i < families_.size(); ++i) ends(memtable_room(families_[i], i), bytes);
  for (const Flush& flush : flushes_) ends(flush.left_bytes, flush.speed);
  for (const RunningCompaction& one : compactions_) ends(one.left, one.speed);
  if (owed_bytes_ > 0) ends(owed_bytes_, -owing_per_second());
  ends(cache_step_bytes(), cached_per_second());
  if (tuning_ && limited_bytes_per_second() > 0) seconds = std::min(seconds, tuning_->due());
  if (arrivals_.catches_up && !arrivals_.closed) {
    // The longer the queue the later its operations are: in steps, while it changes.
    const double reads = rates_.reads_per_second - arrivals_.reads_per_second;
    const double writes = rates_.writes_per_second - arrivals_.writes_per_second;
    if (std::abs(reads) + std::abs(writes) > kNoOperations) {
      seconds = std::min(seconds, kQueueSeconds);
    }
    if (read_backlog_ > 0) ends(read_backlog_, reads);
    if (write_backlog_ > 0) ends(write_backlog_, writes);
  }
  return seconds;
}

void Plant::pass(double seconds) {
  totals_.seconds += seconds;
  if (tuning_) {
    tuning_->pass(seconds, limited_bytes_per_second());
    options_.rate_limit = tuning_->rate();
  }
  // For at most a second's worth (FairBudget).
  owed_bytes_ = std::clamp(owed_bytes_ + owing_per_second() * seconds, 0.0,
                           options_.limit_flushes ? 0 : options_.rate_limit);
  pass_foreground(seconds);
  pass_cache(seconds);
  for (Flush& flush : flushes_) {
    const double done = std::min(flush.speed * seconds, flush.left_bytes);
    flush.left_bytes -= done;
    totals_.flush_bytes_written += done;
  }
  for (RunningCompaction& one : compactions_) {
    const double done = std::min(one.speed * seconds, one.left);
    one.left -= done;
    if (one.what.trivial) continue;
    totals_.compaction_bytes_read += done;
    totals_.cache_misses += done * laws_.reads.compaction_misses;
    totals_.cache_hits += done * (laws_.reads.compaction_lookups - laws_.reads.compaction_misses);
    totals_.compaction_bytes_written += done * one.written_ratio;
  }
  if (control_.state() == WriteState::kDelayed) totals_.delayed_seconds += seconds;
  if (control_.state() == WriteState::kStopped) totals_.stopped_seconds += seconds;
}

void Plant::pass_foreground(double seconds) {
  // No more than what stands there and arrives, however short the queue and fast the threads.
  const auto at_most = [&](double rate, double backlog, double arriving) {
    const double most =
        arrivals_.catches_up && !arrivals_.closed ? backlog + arriving * seconds : rate * seconds;
    return std::min(rate * seconds, most);
  };
  const double reads = at_most(rates_.reads_per_second, read_backlog_, arrivals_.reads_per_second);
  const double writes =
      at_most(rates_.writes_per_second, write_backlog_, arrivals_.writes_per_second);
  totals_.keys_read += reads;
  totals_.keys_written += writes;
  const double misses = reads * misses_per_read();
  totals_.cache_misses += misses;
  const double lookups = reads * lookups_per_read(laws_.reads, l0_files_per_family());
  totals_.cache_hits += std::max(lookups - misses, 0.0);
  const double bytes = writes * laws_.bytes_per_write;
  totals_.user_bytes_written += bytes;
  for (Family& family : families_) {
    const double own = bytes / static_cast<double>(families_.size());
    family.active_bytes += own;
    family.active_spread_bytes += own * (1 - arrivals_.appended);
  }
  read_latency_.add(reads, rates_.read);
  write_latency_.add(writes, rates_.write);
  // Closed loops ask for as many as they can do.
  const double unheld = rates_.unheld_writes_per_second;
  const double asked =
      (arrivals_.closed ? unheld : std::min(unheld, arrivals_.writes_per_second)) * seconds;
  if (control_.state() != WriteState::kNormal && asked > writes) {
    totals_.writers_seconds += (1 - writes / asked) * seconds;
  }
  // Those who stood before a stop are done when it ends, however few they are.
  if (control_.state() == WriteState::kStopped && asked > 0) {
    stop_seconds_ += seconds;
  } else if (stop_seconds_ > 0) {
    LatencyMix stopped;
    stopped.fast_seconds = stop_seconds_;
    write_latency_.add(arrivals_.threads, stopped);
    stop_seconds_ = 0;
  }
  pass_queues(seconds, reads, writes);
}

// `reads` and `writes` were done of what stood there and arrived.
void Plant::pass_queues(double seconds, double reads, double writes) {
  if (!arrivals_.catches_up || arrivals_.closed) {
    give_up_backlog();
    return;
  }
  const auto left = [&](double backlog, double arrived, double done) {
    backlog += arrived * seconds - done;
    return backlog > kNoOperations ? backlog : 0.0;
  };
  read_backlog_ = left(read_backlog_, arrivals_.reads_per_second, reads);
  write_backlog_ = left(write_backlog_, arrivals_.writes_per_second, writes);
  ArrivalClock& writers = arrivals_.one_queue ? read_clock_ : write_clock_;
  const double arriving_writes = arrivals_.writes_per_second * seconds;
  const double arriving_reads = arrivals_.reads_per_second * seconds;
  if (arrivals_.one_queue) {
    read_clock_.arrive(totals_.seconds, arriving_reads + arriving_writes);
  } else {
    read_clock_.arrive(totals_.seconds, arriving_reads);
    write_clock_.arrive(totals_.seconds, arriving_writes);
  }
  read_clock_.done(reads);
  writers.done(writes);
}

// Everything that is due now, and what follows from it.
void Plant::settle() {
  bool changed = true;
  while (changed) {
    changed = end_flushes();
    changed = end_compactions() || changed;
    changed = switch_memtables() || changed;
  }
  schedule();
}

bool Plant::switch_memtables() {
  bool changed = false;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    Family& family = families_[i];
    if (memtable_room(family, i) > kNothing || control_.state() == WriteState::kStopped) continue;
    const bool spread = family.active_spread_bytes > kFewSpread * family.active_bytes;
    family.waiting.push_back({family.active_bytes * laws_.flush_output,
                              spread ? Tree::Keys::kSpread : Tree::Keys::kAppended});
    family.active_bytes = family.active_spread_bytes = 0;
    install(i);
    changed = true;
  }
  return changed;
}

bool Plant::end_flushes() {
  const auto is_done = [](const Flush& flush) { return flush.left_bytes <= kNothing; };
  const auto first = std::stable_partition(flushes_.begin(), flushes_.end(),
                                           [&](const Flush& flush) { return !is_done(flush); });
  const std::vector<Flush> done(first, flushes_.end());
  flushes_.erase(first, flushes_.end());
  for (const Flush& flush : done) {
    Family& family = families_[flush.family];
    family.flushing -= flush.memtables;
    family.tree.add_l0_file(flush.bytes, flush.keys);
    ++family.totals.flushes;
    family.totals.flush_seconds += totals_.seconds - flush.began_at;
    family.totals.last_flush_at = totals_.seconds;
    install(flush.family);
  }
  return !done.empty();
}

bool Plant::end_compactions() {
  const auto goes_on = [](const RunningCompaction& one) {
    return one.left > (one.what.trivial ? kMoveSeconds / 1e6 : kNothing);
  };
  const auto first = std::stable_partition(compactions_.begin(), compactions_.end(), goes_on);
  const std::vector<RunningCompaction> done(first, compactions_.end());
  compactions_.erase(first, compactions_.end());
  for (const RunningCompaction& one : done) {
    families_[one.family].tree.finish(one.what);
    count(one);
    install(one.family);
  }
  return !done.empty();
}

void Plant::count(const RunningCompaction& ended) {
  FamilyTotals& totals = families_[ended.family].totals;
  const double seconds = totals_.seconds - ended.began_at;
  if (ended.what.level > 0) {
    ++totals.deep_compactions;
    totals.deep_seconds += seconds;
  } else if (!ended.what.trivial) {
    ++totals.l0_compactions;
    totals.l0_seconds += seconds;
    totals.l0_input_bytes += ended.what.input_bytes();
  }
}

void Plant::install(std::size_t family) {
  control_.install(family, options_.families[family].limits,
                   gauges(families_[family].tree, immutable_memtables(family)));
}

void Plant::schedule() {
  begin_flushes();
  begin_compactions();
}

// A flush takes all memtables of its family that wait, and makes one file of them.
void Plant::begin_flushes() {
  const auto slots = static_cast<std::size_t>(flush_slots(options_.max_background_jobs));
  for (std::size_t i = 0; i < families_.size() && flushes_.size() < slots; ++i) {
    Family& family = families_[i];
    if (family.waiting.empty()) continue;
    Flush flush;
    flush.family = i;
    flush.memtables = family.waiting.size();
    for (const Memtable& memtable : family.waiting) {
      flush.bytes += memtable.bytes;
      if (memtable.keys == Tree::Keys::kSpread) flush.keys = Tree::Keys::kSpread;
    }
    flush.left_bytes = flush.bytes;
    flush.began_at = totals_.seconds;
    flush.luck = luck();
    family.flushing += flush.memtables;
    family.waiting.clear();
    flushes_.push_back(flush);
  }
}

void Plant::begin_compactions() {
  const std::int64_t slots = has_pressure() ? compaction_slots(options_.max_background_jobs) : 1;
  const std::size_t most = std::min(static_cast<std::size_t>(slots), kMostCompactions);
  std::size_t idle = 0;
  while (idle < families_.size() && compactions_.size() < most) {
    idle = begin_compaction(next_family_) ? 0 : idle + 1;
    next_family_ = (next_family_ + 1) % families_.size();
  }
}

bool Plant::begin_compaction(std::size_t family) {
  Tree& tree = families_[family].tree;
  const auto picked = tree.pick();
  if (!picked) return false;
  RunningCompaction one;
  one.family = family;
  one.what = *picked;
  one.began_at = totals_.seconds;
  one.left = picked->trivial ? kMoveSeconds : picked->input_bytes();
  one.luck = luck();
  if (picked->level == 0) {
    const double pieces =
        std::ceil(picked->input_bytes() / options_.families[family].tree.target_file_bytes);
    one.threads = std::clamp(static_cast<double>(options_.max_subcompactions), 1.0,
                             std::clamp(pieces, 1.0, kMostPieces));
  }
  if (picked->input_bytes() > 0) {
    one.written_ratio = tree.output_bytes(*picked) / picked->input_bytes();
  }
  compactions_.push_back(one);
  return true;
}

bool Plant::has_pressure() const {
  if (control_.state() != WriteState::kNormal) return true;
  for (std::size_t i = 0; i < families_.size(); ++i) {
    const Tree& tree = families_[i].tree;
    const FamilyOptions& options = options_.families[i];
    const auto& shape = options.tree.shape;
    const auto number = [](auto value) { return static_cast<double>(value); };
    const double files = speedup_l0_files(number(shape.level0_compaction_trigger),
                                          number(options.limits.l0_slowdown_files));
    const double bottom = options_.debt_for_size_speeds_up ? tree.bottom_bytes() : 0;
    const double debt = speedup_debt_bytes(number(options.limits.soft_pending_bytes),
                                           number(shape.max_bytes_for_level_base), bottom);
    if (number(tree.l0_files()) >= files || number(tree.debt_bytes()) >= debt) return true;
  }
  return false;
}

// Of one job: no two are equally fast.
double Plant::luck() {
  const double spread = laws_.job_spread;
  return std::exp(spread * random_.normal() - spread * spread / 2);
}

}  // namespace rocktune::sim
