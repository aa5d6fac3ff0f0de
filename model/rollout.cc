#include "model/rollout.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace rocktune {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Compactions that only move files are over at once; simulated time has to go on.
constexpr double kShortestJobSeconds = 0.02;
// A flush that comes at the same time as another event has come, whatever the rounding.
constexpr double kSameFlush = 1e-9;

// One event-driven run; the arithmetic of one lane is that of a single background thread. Events
// are ends of jobs, and flushes after which L0 is due where its lane is idle.
class Simulation {
 public:
  Simulation(const FlowState& now, const Horizons& horizons)
      : flow_(now), horizons_(horizons), bytes_(now.level_bytes) {
    base_ = std::clamp<std::size_t>(flow_.base_level, 1, flow_.levels - 1);
    flush_rate_ = 1 / flow_.flush_interval_seconds;
    level_ = flow_.l0_files + 1 - flow_.next_flush_seconds * flush_rate_;
    free_files_ = flow_.l0_files;
    due_files_ = flow_.l0_trigger;
    if (flow_.l1_base_bytes > 0) {
      due_files_ = std::min(due_files_, flow_.l1_base_bytes / flow_.flush_bytes);
    }
    for (std::size_t level = base_; level < flow_.levels; ++level) rate(level);
    begin_running();
    out_.files_now = level_;
    out_.peaks.fill(level_);
  }

  Rollout run() {
    go_on([this] { return time_ >= kBusySeconds && out_.first_end_seconds && is_far_past(); });
    finish();
    return out_;
  }

  Rollout glance(double horizon, bool first_end) {
    go_on([&] {
      return (time_ >= horizon || is_far_past()) && (out_.first_end_seconds || !first_end);
    });
    finish();
    if (out_.eta_seconds > horizon) out_.eta_seconds.reset();
    return out_;
  }

 private:
  struct Lane {
    double ends = kNever;  // no job
    std::size_t level = 0;
    double files = 0;  // of L0
    double bytes = 0;  // that leave `level`
  };

  [[nodiscard]] bool is_parallel() const { return flow_.slots > 1; }
  [[nodiscard]] bool is_idle() const { return top_.ends == kNever && deep_.ends == kNever; }
  // While no job out of L0 ends, it grows evenly.
  [[nodiscard]] double level_at(double time) const { return level_ + time * flush_rate_; }
  [[nodiscard]] double flush_time(double count) const {
    return flow_.next_flush_seconds + (count - 1) * flow_.flush_interval_seconds;
  }

  // To the end, or until it is enough.
  template <class Enough>
  void go_on(Enough enough) {
    for (std::size_t step = 0; step < kMostRolloutSteps; ++step) {
      pick_jobs();
      const double due = due_flush();
      const double next = std::min({due, top_.ends, deep_.ends, kRolloutSeconds});
      pass(next, next == due);
      if (next >= kRolloutSeconds || enough()) break;
      if (next == top_.ends) {
        end(top_);
      } else if (next == deep_.ends) {
        end(deep_);
      }
    }
    see(time_);
  }

  void begin_running() {
    if (const auto& job = flow_.l0_job) {
      const double files = std::min(job->files, free_files_);
      free_files_ -= files;
      top_ = {job->seconds_left, 0, files, files * flow_.flush_bytes};
      out_.l0_begin_seconds = 0;
    }
    if (const auto& job = flow_.deep_job; job && job->level >= 1 && job->level < flow_.levels) {
      const bool beside = flow_.l0_job || (is_parallel() && job->level > base_);
      begin_deep(beside ? deep_ : top_, job->level, job->seconds_left);
    }
  }

  void begin_deep(Lane& lane, std::size_t level, double ends) {
    lane = {ends, level, 0, std::min(flow_.file_bytes, bytes_.at(level))};
  }

  // RocksDB's score: how often its target a level holds. Of L0 by files, or by bytes where these
  // are more.
  void rate(std::size_t level) {
    scores_.at(level) = bytes_.at(level) / flow_.level_targets.at(level);
  }

  void pick(Lane& lane, bool l0, std::size_t first, std::size_t end, double speed) {
    std::size_t best = end;
    double highest = 0;
    if (l0 && free_files_ >= due_files_) {
      best = 0;
      highest = free_files_ / due_files_;
    }
    for (std::size_t level = first; level < end; ++level) {
      const double score = scores_[level];
      if (!(score >= 1) || !(score > highest)) continue;
      best = level;
      highest = score;
    }
    if (best == end) return;
    if (best == 0) {
      begin_l0(lane);
    } else {
      begin_deep(lane, best, time_ + std::max(flow_.deep_job_seconds / speed, kShortestJobSeconds));
    }
  }

  void begin_l0(Lane& lane) {
    const double bytes = free_files_ * flow_.flush_bytes;
    const double seconds = (bytes + bytes_.at(base_)) / flow_.l0_bytes_per_second;
    lane = {time_ + std::max(seconds, kShortestJobSeconds), 0, free_files_, bytes};
    free_files_ = 0;
    if (!out_.l0_begin_seconds) out_.l0_begin_seconds = time_;
  }

  void pick_jobs() {
    const std::size_t last = flow_.levels - 1;  // nothing leaves it
    if (!is_parallel()) {
      if (is_idle()) pick(top_, true, base_, last, 1);
      return;
    }
    if (top_.ends == kNever) pick(top_, true, base_, std::min(base_ + 1, last), 1);
    const auto left = static_cast<double>(flow_.slots - 1);
    if (deep_.ends == kNever) pick(deep_, false, base_ + 1, last, left);
  }

  [[nodiscard]] double missing_flushes() const {
    return std::max(1.0, std::ceil(due_files_ - free_files_));
  }

  // The flush that makes L0 due where nothing else holds it up.
  [[nodiscard]] double due_flush() const {
    const bool waits = is_parallel() ? top_.ends == kNever : is_idle();
    return waits ? flush_time(flushed_ + missing_flushes()) : kNever;
  }

  // Time goes on to `next`, with no event in between.
  void pass(double next, bool is_due) {
    const double passed = (next - flow_.next_flush_seconds) * flush_rate_ + 1 + kSameFlush;
    const double count =
        is_due ? flushed_ + missing_flushes()
               : std::max(flushed_, static_cast<double>(static_cast<std::int64_t>(passed)));
    free_files_ += count - flushed_;
    flushed_ = count;
    if (!is_idle()) busy_ += std::min(next, kBusySeconds) - std::min(time_, kBusySeconds);
    time_ = next;
  }

  // What L0 was from the last end of a compaction out of it until `time`.
  void see(double time) {
    const double files = level_at(time);
    for (std::size_t i = 0; i < horizons_.size(); ++i) {
      if (horizons_[i] < since_) continue;
      out_.peaks[i] = std::max(out_.peaks[i], level_at(std::min(time, horizons_[i])));
    }
    if (!out_.eta_seconds && files >= flow_.l0_slowdown) {
      const double reached = (flow_.l0_slowdown - level_) * flow_.flush_interval_seconds;
      out_.eta_seconds = std::clamp(reached, 0.0, time);
    }
    since_ = time;
  }

  [[nodiscard]] bool is_far_past() const { return level_at(time_) >= kFarPast * flow_.l0_slowdown; }

  void end(Lane& lane) {
    if (lane.level == 0) {
      see(time_);
      if (!out_.first_end_seconds) {
        out_.first_end_seconds = time_;
        out_.first_end_files = level_at(time_);
      }
      level_ -= lane.files;
      bytes_.at(base_) += lane.bytes;
      rate(base_);
    } else {
      const double moved = std::min(lane.bytes, bytes_.at(lane.level));
      bytes_.at(lane.level) -= moved;
      rate(lane.level);
      if (lane.level + 1 < flow_.levels) {
        bytes_.at(lane.level + 1) += moved;
        rate(lane.level + 1);
      }
    }
    lane.ends = kNever;
  }

  void finish() {
    const double most = kFarPast * flow_.l0_slowdown;
    const bool stopped_early = is_far_past();
    if (stopped_early) out_.far_past_seconds = std::max(time_, kShortestJobSeconds);
    for (std::size_t i = 0; i < horizons_.size(); ++i) {
      double& peak = out_.peaks.at(i);
      if (stopped_early && horizons_.at(i) > time_) peak = most;
      peak = std::min(peak, most);
    }
    const double seen = std::min(time_, kBusySeconds);
    out_.busy_ratio = seen > 0 ? busy_ / seen : 0;
  }

  const FlowState& flow_;
  Horizons horizons_;
  Rollout out_;
  FlowLevels bytes_;
  FlowLevels scores_;  // of levels from the base level on
  std::size_t base_ = 1;
  double flush_rate_ = 1;
  double level_ = 0;       // L0 now, without what has ended since
  double free_files_ = 0;  // of L0, that no running job has
  double due_files_ = 1;   // of these, for a compaction
  double flushed_ = 0;
  double time_ = 0;
  double since_ = 0;  // until then L0 was seen
  double busy_ = 0;   // s of kBusySeconds
  Lane top_;          // L0, and the level that it goes to; all levels where there is one slot
  Lane deep_;         // the others
};

}  // namespace

Rollout roll_out(const FlowState& now, const Horizons& horizons) {
  return Simulation(now, horizons).run();
}

Rollout glance(const FlowState& now, const std::array<double, 2>& horizons, bool first_end) {
  const auto [one, other] = horizons;
  return Simulation(now, {one, other, one, one}).glance(std::max(one, other), first_end);
}

}  // namespace rocktune
