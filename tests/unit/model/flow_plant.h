// A column family with leveled compaction and one background job, with known answers: a flush each
// `interval`, compactions out of L0 that read `rate` bytes a second. Sampled as an agent would.
#pragma once

#include <algorithm>
#include <optional>

#include "model/features.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

class FlowPlant {
 public:
  static constexpr double kFile = 64.0 * kMiB;
  static constexpr double kL1 = 256.0 * kMiB;  // stays so: what comes is moved on at once

  FlowPlant(double interval, double rate) : interval_(interval), rate_(rate), next_(interval) {}

  // What an agent reads at that time, in seconds, which do not fall.
  Features read(double time) {
    run(time);
    Sample sample = quiet_sample(++sequence_, time);
    ColumnFamilyReading& family = sample.database->column_families[0];
    family.leveled_compaction = 1;
    family.dynamic_level_bytes = 0;
    family.max_bytes_for_level_multiplier = 10;
    family.max_bytes_for_level_base_bytes = 256 * kMiB;
    family.target_file_bytes = 64 * kMiB;
    family.levels = {{whole(files), whole(files * kFile)}, {4, whole(kL1)}, {0, 0}};
    family.flushes = flushes_;
    family.last_flush_age_ms.reset();
    if (flushes_ > 0) family.last_flush_age_ms = whole((time - last_) * 1000);
    family.l0_compactions = done_;
    family.l0_compactions_ms = whole(done_seconds_ * 1000);
    family.l0_compactions_input_bytes = whole(done_bytes_);
    if (job_) {
      family.l0_compaction_input_files = whole(job_->files);
      family.l0_compaction_input_bytes = whole(job_->bytes);
      family.l0_compaction_age_ms = whole((time - job_->began) * 1000);
    }
    return derive(nullptr, sample);
  }

  double files = 0;
  [[nodiscard]] std::optional<double> job_ends() const {
    return job_ ? std::optional(job_->ends) : std::nullopt;
  }
  void set_rate(double rate) { rate_ = rate; }

 private:
  struct Job {
    double files, bytes, began, ends;
  };
  static std::uint64_t whole(double value) { return static_cast<std::uint64_t>(value + 0.5); }
  void run(double until) {
    while (true) {
      const double ends = job_ ? job_->ends : 1e18;
      const double next = std::min(next_, ends);
      if (next > until) return;
      if (next == ends) {
        files -= job_->files;
        ++done_;
        done_seconds_ += job_->ends - job_->began;
        done_bytes_ += job_->bytes;
        job_.reset();
      } else {
        files += 1;
        ++flushes_;
        last_ = next_;
        next_ += interval_;
      }
      if (job_ || files < 4) continue;
      const double bytes = files * kFile + kL1;
      job_ = Job{files, bytes, next, next + bytes / rate_};
    }
  }

  double interval_, rate_, next_;
  double last_ = 0;
  std::uint64_t sequence_ = 0, flushes_ = 0, done_ = 0;
  double done_seconds_ = 0, done_bytes_ = 0;
  std::optional<Job> job_;
};

}  // namespace rocktune::test
