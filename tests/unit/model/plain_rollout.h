// The roll-out as its description reads: every flush an event of its own, every choice made anew.
// Slow and plain, to compare model/rollout.cc with.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "model/rollout.h"

namespace rocktune::test {

class PlainRollout {
 public:
  PlainRollout(const FlowState& flow, const Horizons& horizons)
      : flow_(flow), horizons_(horizons), bytes_(flow.level_bytes), files_(flow.l0_files) {
    base_ = std::clamp<std::size_t>(flow.base_level, 1, flow.levels - 1);
    next_flush_ = flow.next_flush_seconds;
    free_ = files_;
    if (flow.l0_job) {
      out_.l0_begin_seconds = 0;
      const double files = std::min(flow.l0_job->files, files_);
      free_ -= files;
      top_ = Job{flow.l0_job->seconds_left, 0, files, files * flow.flush_bytes};
    }
    if (flow.deep_job && flow.deep_job->level >= 1 && flow.deep_job->level < flow.levels) {
      const std::size_t level = flow.deep_job->level;
      const Job job{flow.deep_job->seconds_left, level, 0,
                    std::min(flow.file_bytes, bytes_[level])};
      (top_ || (flow.slots > 1 && level > base_) ? deep_ : top_) = job;
    }
    out_.files_now = files(0);
    out_.peaks.fill(out_.files_now);
  }

  Rollout run() {
    while (time_ < kRolloutSeconds) {
      start();
      const double ends = std::min(ends_of(top_), ends_of(deep_));
      const double next = std::min({next_flush_, ends, kRolloutSeconds});
      watch(next);
      if (next == kRolloutSeconds) break;
      if (next == next_flush_) {
        files_ += 1;
        free_ += 1;
        next_flush_ = flow_.next_flush_seconds + ++flushed_ * flow_.flush_interval_seconds;
      } else {
        end(next == ends_of(top_) ? top_ : deep_);
      }
    }
    for (double& peak : out_.peaks) peak = std::min(peak, 1.2 * flow_.l0_slowdown);
    out_.busy_ratio = busy_ / kBusySeconds;
    return out_;
  }

 private:
  struct Job {
    double ends;
    std::size_t level;
    double files, bytes;
  };
  static double ends_of(const std::optional<Job>& job) {
    return job ? job->ends : std::numeric_limits<double>::infinity();
  }
  [[nodiscard]] double files(double time) const {
    return files_ + 1 - (next_flush_ - time) / flow_.flush_interval_seconds;
  }
  [[nodiscard]] double score(std::size_t level) const {
    if (level > 0) return bytes_[level] / flow_.level_targets[level];
    const double by_bytes =
        flow_.l1_base_bytes > 0 ? free_ * flow_.flush_bytes / flow_.l1_base_bytes : 0;
    return std::max(free_ / flow_.l0_trigger, by_bytes);
  }
  std::optional<Job> pick(bool l0, std::size_t first, std::size_t end, double speed) {
    std::optional<std::size_t> best;
    if (l0 && score(0) >= 1) best = 0;
    for (std::size_t level = first; level < end; ++level) {
      if (score(level) >= 1 && (!best || score(level) > score(*best))) best = level;
    }
    if (!best) return std::nullopt;
    if (*best > 0) {
      const double seconds = std::max(flow_.deep_job_seconds / speed, 0.02);
      return Job{time_ + seconds, *best, 0, std::min(flow_.file_bytes, bytes_[*best])};
    }
    if (!out_.l0_begin_seconds) out_.l0_begin_seconds = time_;
    const double bytes = free_ * flow_.flush_bytes;
    const double seconds = (bytes + bytes_[base_]) / flow_.l0_bytes_per_second;
    const Job job{time_ + std::max(seconds, 0.02), 0, free_, bytes};
    free_ = 0;
    return job;
  }
  void start() {
    const std::size_t last = flow_.levels - 1;
    if (flow_.slots == 1) {
      if (!top_ && !deep_) top_ = pick(true, base_, last, 1);
      return;
    }
    if (!top_) top_ = pick(true, base_, std::min(base_ + 1, last), 1);
    if (!deep_) deep_ = pick(false, base_ + 1, last, static_cast<double>(flow_.slots - 1));
  }
  void watch(double next) {
    for (std::size_t i = 0; i < horizons_.size(); ++i) {
      if (horizons_[i] < time_) continue;
      out_.peaks[i] = std::max(out_.peaks[i], files(std::min(next, horizons_[i])));
    }
    if (!out_.eta_seconds && files(next) >= flow_.l0_slowdown) {
      const double over = (files(next) - flow_.l0_slowdown) * flow_.flush_interval_seconds;
      out_.eta_seconds = std::clamp(next - over, 0.0, next);
    }
    if (top_ || deep_) busy_ += std::min(next, kBusySeconds) - std::min(time_, kBusySeconds);
    time_ = next;
  }
  void end(std::optional<Job>& job) {
    if (job->level == 0) {
      if (!out_.first_end_seconds) {
        out_.first_end_seconds = time_;
        out_.first_end_files = files(time_);
      }
      files_ -= job->files;
      bytes_[base_] += job->bytes;
    } else {
      const double moved = std::min(job->bytes, bytes_[job->level]);
      bytes_[job->level] -= moved;
      if (job->level + 1 < flow_.levels) bytes_[job->level + 1] += moved;
    }
    job.reset();
  }

  const FlowState& flow_;
  const Horizons& horizons_;
  Rollout out_;
  FlowLevels bytes_;
  double files_, free_ = 0;
  std::size_t base_ = 1;
  double next_flush_ = 0, flushed_ = 0, time_ = 0, busy_ = 0;
  std::optional<Job> top_, deep_;
};

}  // namespace rocktune::test
