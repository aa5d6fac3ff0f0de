// Reader: opens a trace for replay and inspection; streams, never loads a whole run.
//
// Opens files that a daemon is still writing, and those of a daemon that was killed. A file that is
// no trace, is truncated or of a newer schema gives one clear error. Not thread-safe.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/decision.h"
#include "model/event.h"
#include "model/histogram_form.h"
#include "model/indicators.h"
#include "model/result.h"
#include "trace/schema.h"

namespace rocktune::trace {

struct TargetSummary {
  TargetInfo info;
  std::vector<IncarnationInfo> incarnations;
  std::uint64_t samples = 0;  // rows
  std::uint64_t samples_with_database = 0;
  Nanoseconds first_wall{0}, last_wall{0};
  Nanoseconds first_tick{0};
  std::uint64_t alerts = 0, decisions = 0, actuations = 0, outcomes = 0;
  std::map<std::string, std::uint64_t> events;  // of the database, by kind; see model/event.h
};

// A sample with what was recorded around it.
struct RecordedStep {
  Sample sample;
  std::vector<Actuation> reports_before;  // reported to the engine before this sample's step
  std::vector<AlertChange> alerts;
  std::vector<Decision> decisions;
  std::vector<Outcome> outcomes;
  std::vector<DatabaseEvent> events;  // recorded since the sample before; the engine sees none
};

// What a target is called among those of its trace: the second of a name is "NAME#2", since another
// configuration, loaded while rocktuned runs, begins another target. `use` counts from 1.
std::string called_in_trace(const std::string& name, int use);

class Reader {
 public:
  static Result<Reader> open(const std::string& path);
  ~Reader();
  Reader(Reader&&) noexcept;
  Reader& operator=(Reader&&) noexcept;

  [[nodiscard]] const RunInfo& run() const;
  Result<std::vector<TargetSummary>> targets();  // looks at every sample, to count them
  Result<std::vector<TargetInfo>> infos();       // the same targets, at once

  // Steps of one target in order. next() returns nullopt at the end; an error ends the stream.
  class Steps {
   public:
    ~Steps();
    Steps(Steps&&) noexcept;
    Steps& operator=(Steps&&) noexcept;
    Result<std::optional<RecordedStep>> next();
    // The same into a step of before, whose memory is used again; false at the end.
    Result<bool> next(RecordedStep& step);

   private:
    friend class Reader;
    struct State;
    explicit Steps(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
  };
  Result<Steps> steps(std::int64_t target, HistogramForm form = HistogramForm::kSinceOpened);

 private:
  struct State;
  explicit Reader(std::unique_ptr<State> state);
  std::unique_ptr<State> state_;
};

}  // namespace rocktune::trace
