// TraceWriter: the recorder as the main loop uses it. Recording never stops the loop: when a write
// fails, or would take the disk's last room (check_room), that step's rows are lost, the failure is
// counted and logged at a limited rate, and the next step tries again. Also makes the run's file,
// now or as soon as the disk lets it, and another one where somebody took that away; and removes
// old runs.
#pragma once

#include <optional>
#include <string>

#include "daemon/config/config.h"
#include "daemon/limited.h"
#include "daemon/log.h"
#include "daemon/trace_directory.h"
#include "trace/recorder.h"

namespace rocktune::daemon {

class TraceWriter {
 public:
  // Makes the directory and this run's file in it. Where the disk is full or fails that is tried
  // again at the next step, and once a minute from then on; where a file of that name is there, a
  // second later under another name.
  static Result<TraceWriter> create(const Config& config, const Instant& now, Clock clock, Log& log,
                                    LookAtDisk look = disk_space);

  // One step: what is added becomes durable together, at commit(). After a failure the rest of the
  // step is skipped.
  class Step {
   public:
    explicit Step(TraceWriter& writer);
    template <class Add>  // Result<...>(trace::Recorder&)
    void add(Add&& add) {
      if (!ok_) return;
      if (const auto added = add(*writer_.recorder_); !added) fail(added.error());
    }
    bool commit();  // whether all of it was recorded
    [[nodiscard]] bool ok() const { return ok_; }
    // In the file of this step, which may have begun with it.
    [[nodiscard]] bool has(std::int64_t target) const { return writer_.has(target); }

   private:
    void fail(const Error& error);
    TraceWriter& writer_;
    bool ok_ = true;
  };

  void take_limits(const Config& config);  // trace.max_size and trace.max_age
  void forget(std::int64_t target) {
    if (recorder_) recorder_->forget(target);
  }
  [[nodiscard]] bool has(std::int64_t target) const { return recorder_ && recorder_->has(target); }
  // By size at once; by age from the second look on, if the wall clock went like the other one
  // since the last look: one that is set into the future makes no run old. What another process has
  // open stays, and does not count.
  void remove_old_runs(const Config& config);
  // Another one once somebody has moved the file away or removed it.
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool is_there() const { return recorder_.has_value(); }
  [[nodiscard]] std::uint64_t failures() const { return failures_; }
  // When the oldest sample of the file was taken (Unix time), once it has outgrown its bound and
  // lost some; absent before that.
  [[nodiscard]] std::optional<Nanoseconds> reaches_back_to() const;
  // Why the last step was not recorded; empty: it was.
  [[nodiscard]] const std::string& failing() const { return failing_; }

 private:
  TraceWriter(std::string path, trace::RunInfo run, const trace::Limits& limits, Clock clock,
              Log& log, LookAtDisk look);
  [[nodiscard]] std::string directory() const;
  [[nodiscard]] Result<void> has_room() const;
  Result<void> open();
  void open_again(const Instant& now);
  void look_for_file();
  void note_growth();
  Result<void> begin();
  bool clock_was_steady(const Instant& now);  // since the last call
  std::string path_;
  trace::RunInfo run_;
  trace::Limits limits_;
  std::optional<trace::Recorder> recorder_;  // none: opened_ says why
  Result<void> opened_;                      // kConflict: path_ is not this run's any more
  std::int64_t next_target_ = 1;             // no id comes again in a file that follows another
  Nanoseconds next_try_{0};
  Clock clock_;
  LookAtDisk look_;
  Log& log_;
  Limited complaints_{std::chrono::seconds(60)};
  bool outgrown_ = false;   // so that its oldest samples go, as was said
  bool shortened_ = false;  // some of the file in use went so
  std::uint64_t failures_ = 0;
  std::string failing_;
  bool complained_ = false;           // and nothing was recorded since
  std::uint64_t lost_ = 0;            // failures since it was last said that it records again
  std::optional<Instant> last_look_;  // at old runs
};

}  // namespace rocktune::daemon
