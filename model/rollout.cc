#include "model/rollout.h"

#include <algorithm>
#include <limits>

namespace rocktune {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();
// Past this share of the limit it does not matter by how much: the roll-out may end.
constexpr double kFarPast = 1.2;
// Compactions that only move files are over at once; simulated time has to go on.
constexpr double kShortestJobSeconds = 0.02;

// One event-driven run; the arithmetic of one lane is that of a single background thread.
class Simulation {
 public:
  Simulation(const FlowState& now, const Horizons& horizons)
      : flow_(now), horizons_(horizons), bytes_(now.level_bytes), files_(now.l0_files) {
    base_ = std::clamp<std::size_t>(flow_.targets.base_level, 1, flow_.levels - 1);
    next_flush_ = flow_.next_flush_seconds;
    last_flush_ = next_flush_ - flow_.flush_interval_seconds;
    free_files_ = files_;
    begin_running();
    out_.files_now = level_at(0);
    out_.peaks.fill(out_.files_now);
  }

  Rollout run() {
    for (std::size_t step = 0; step < kMostRolloutSteps; ++step) {
      pick_jobs();
      const double next = std::min({next_flush_, top_.ends, deep_.ends, kRolloutSeconds});
      pass(next);
      if (next >= kRolloutSeconds || is_decided()) break;
      if (next == next_flush_) {
        flush();
      } else {
        end(next == top_.ends ? top_ : deep_);
      }
    }
    finish();
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
  // While no job ends, L0 grows evenly.
  [[nodiscard]] double level_at(double time) const {
    return files_ + (time - last_flush_) / flow_.flush_interval_seconds;
  }

  void begin_running() {
    if (const auto& job = flow_.l0_job) {
      const double files = std::min(job->files, files_);
      free_files_ = files_ - files;
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

  // RocksDB's score: how often a level's target it holds. Of L0 by files, or by bytes where these
  // are more.
  [[nodiscard]] double score(std::size_t level) const {
    if (level > 0) return bytes_.at(level) / flow_.targets.largest.at(level);
    const double by_bytes =
        flow_.l1_base_bytes > 0 ? free_files_ * flow_.flush_bytes / flow_.l1_base_bytes : 0;
    return std::max(free_files_ / flow_.l0_trigger, by_bytes);
  }

  void pick(Lane& lane, std::size_t first, std::size_t end, double speed) {
    std::size_t best = end;
    double highest = 0;
    for (std::size_t level = first; level < end; level = level == 0 ? base_ : level + 1) {
      const double one = score(level);
      if (!(one >= 1) || !(one > highest)) continue;
      best = level;
      highest = one;
    }
    if (best == end) return;
    if (best == 0) {
      const double bytes = free_files_ * flow_.flush_bytes;
      const double seconds = (bytes + bytes_.at(base_)) / flow_.l0_bytes_per_second;
      lane = {time_ + std::max(seconds, kShortestJobSeconds), 0, free_files_, bytes};
      free_files_ = 0;
      if (!out_.l0_begin_seconds) out_.l0_begin_seconds = time_;
    } else {
      begin_deep(lane, best, time_ + std::max(flow_.deep_job_seconds / speed, kShortestJobSeconds));
    }
  }

  void pick_jobs() {
    const std::size_t last = flow_.levels - 1;  // nothing leaves it
    if (!is_parallel()) {
      if (top_.ends == kNever && deep_.ends == kNever) pick(top_, 0, last, 1);
      return;
    }
    if (top_.ends == kNever) pick(top_, 0, std::min(base_ + 1, last), 1);
    const auto left = static_cast<double>(flow_.slots - 1);
    if (deep_.ends == kNever) pick(deep_, base_ + 1, last, left);
  }

  // Time goes on to `next`, with no event in between.
  void pass(double next) {
    const double files = level_at(next);
    for (std::size_t i = 0; i < horizons_.size(); ++i) {
      if (horizons_.at(i) < time_) continue;
      out_.peaks.at(i) = std::max(out_.peaks.at(i), level_at(std::min(next, horizons_.at(i))));
    }
    if (!out_.eta_seconds && files >= flow_.l0_slowdown) {
      const double reached =
          last_flush_ + (flow_.l0_slowdown - files_) * flow_.flush_interval_seconds;
      out_.eta_seconds = std::clamp(reached, 0.0, next);
    }
    if (top_.ends != kNever || deep_.ends != kNever) busy_ += busy_part(time_, next);
    time_ = next;
  }

  static double busy_part(double begin, double end) {
    return std::min(end, kBusySeconds) - std::min(begin, kBusySeconds);
  }

  [[nodiscard]] bool is_decided() const {
    return time_ >= kBusySeconds && out_.first_end_seconds &&
           level_at(time_) >= kFarPast * flow_.l0_slowdown;
  }

  void flush() {
    files_ += 1;
    free_files_ += 1;
    last_flush_ = next_flush_;
    next_flush_ += flow_.flush_interval_seconds;
  }

  void end(Lane& lane) {
    if (lane.level == 0) {
      if (!out_.first_end_seconds) {
        out_.first_end_seconds = time_;
        out_.first_end_files = level_at(time_);
      }
      files_ -= lane.files;
      bytes_.at(base_) += lane.bytes;
    } else {
      const double moved = std::min(lane.bytes, bytes_.at(lane.level));
      bytes_.at(lane.level) -= moved;
      if (lane.level + 1 < flow_.levels) bytes_.at(lane.level + 1) += moved;
    }
    lane.ends = kNever;
  }

  void finish() {
    const double most = kFarPast * flow_.l0_slowdown;
    const bool stopped_early = is_decided();
    for (std::size_t i = 0; i < horizons_.size(); ++i) {
      double& peak = out_.peaks.at(i);
      if (stopped_early && horizons_.at(i) > time_) peak = most;
      peak = std::min(peak, most);
    }
    const double seen = std::min(time_, kBusySeconds);
    out_.busy_ratio = seen > 0 ? busy_ / seen : 0;
  }

  const FlowState& flow_;
  const Horizons& horizons_;
  Rollout out_;
  LevelBytes bytes_;
  std::size_t base_ = 1;
  double files_;
  double free_files_ = 0;  // of L0, that no running job has
  double time_ = 0;
  double next_flush_ = 0;
  double last_flush_ = 0;
  double busy_ = 0;  // s of kBusySeconds
  Lane top_;         // L0, and the level that it goes to; all levels where there is one slot
  Lane deep_;        // the others
};

}  // namespace

Rollout roll_out(const FlowState& now, const Horizons& horizons) {
  return Simulation(now, horizons).run();
}

}  // namespace rocktune
