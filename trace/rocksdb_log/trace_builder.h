// TraceBuilder: walks a Timeline over its events and records a sample at each step of the grid.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "trace/recorder.h"
#include "trace/rocksdb_log/import.h"
#include "trace/rocksdb_log/timeline.h"

namespace rocktune::trace::rocksdb_log {

// Lines are a few seconds late at most: what is earlier by more tells that the clock was set back.
inline constexpr Micros kClockSetBack = std::chrono::minutes(1);

class TraceBuilder {
 public:
  using GoOn = std::function<Result<void>()>;

  // `recorder` and `summary` must outlive it. `go_on` is asked before each 256th sample; what it
  // fails with ends the import.
  TraceBuilder(Recorder& recorder, const ImportRequest& request, Micros start,
               std::vector<SideReader> sides, ImportSummary& summary, GoOn go_on);

  // In the order of time, give or take what a clock that was set back makes of it.
  Result<void> add(const TimedEvent& event);
  // After the last event: the last sample, and what the LOG as a whole told.
  Result<void> finish();

 private:
  Micros continued(Micros at);
  [[nodiscard]] bool belongs_to_header(const LogEvent& event) const;
  Result<void> apply(const TimedEvent& event);
  Result<void> release_header();
  Result<void> sample_until(Micros at);
  void skip_until(Micros at);
  [[nodiscard]] std::int64_t last_step_before(Micros at) const;
  Result<void> record_sample();
  Result<void> record_events();
  Result<void> ensure_session();
  Result<void> record_dumps();
  Result<void> record_import();
  void collect(Micros at);
  void count_stall(const DatabaseEvent& event, Micros at);
  Sample make_sample(Micros at);
  void add_knobs(Sample& sample) const;
  [[nodiscard]] Instant instant(Micros at) const;
  [[nodiscard]] std::string incarnation() const;
  [[nodiscard]] std::string database_name() const;

  Recorder& recorder_;
  const ImportRequest& request_;
  ImportSummary& summary_;
  std::vector<SideReader> sides_;
  GoOn go_on_;
  Timeline timeline_;
  Micros start_, interval_;
  Micros now_;                // of the last event
  Micros shift_{0};           // added to the LOG's times since its clock was set back
  std::uint64_t beyond_ = 0;  // events later than any trace can hold
  std::int64_t step_ = 1;     // of the next sample: at start_ + step_ * interval_
  std::int64_t target_ = 0;
  std::uint64_t session_ = 0;           // the last that was seen
  std::uint64_t recorded_session_ = 0;  // ... and that is in the trace
  std::uint64_t event_number_ = 0;      // the last, in this session
  std::vector<DatabaseEvent> pending_;
  // Of a header, until it is known whether the database was opened anew there: then nothing ran
  // between the event before and this.
  std::vector<TimedEvent> header_;
  std::size_t uncommitted_ = 0;
  bool told_levels_ = false, told_options_ = false;
};

}  // namespace rocktune::trace::rocksdb_log
