// ClosedLoop: engines that tune the databases of a simulated host, as rocktuned does in act mode: a
// poll every half second, the same policy and guard code, what was allowed applied before the next
// poll, and reported; several databases share its device, memory and jobs as they do there.
// Deterministic. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "model/engine_config.h"
#include "model/result.h"
#include "policy/engine.h"
#include "policy/sharing.h"
#include "sim/host.h"
#include "sim/sampler.h"

namespace rocktune::sim {

inline constexpr double kPollSeconds = 0.5;

// Beyond which the P99s of a second make it one above the SLO; infinite: there is no such limit.
struct SloLimits {
  double read_p99_seconds = std::numeric_limits<double>::infinity();
  double write_p99_seconds = std::numeric_limits<double>::infinity();
};

// What one database came to, over the time that it was there.
struct LoopFigures {
  double seconds = 0;
  double operations = 0;
  // 0: there were none, or (reads) there is no device that they would wait for.
  double reads_p99_seconds = 0, writes_p99_seconds = 0;
  double seconds_above_slo = 0;    // whole seconds whose P99 of reads or writes was above its limit
  double stalled_seconds = 0;      // writes were delayed or stopped
  double writers_seconds = 0;      // that writers lost
  double write_amplification = 0;  // flushed and compacted / user bytes
  double pending_bytes = 0;        // at the end
  double pending_bytes_most = 0;   // at any poll
  double l0_files_most = 0;
  std::map<std::string, std::uint64_t> movements;  // changes by knob
  std::map<std::string, std::uint64_t> verdicts;   // decisions by verdict
};

// Told of each database at each poll: what its engine came to, and what became of what was allowed.
using LoopWatch = std::function<void(std::size_t database, const Step& step,
                                     std::span<const Actuation> actuations)>;

class ClosedLoop {
 public:
  // One engine for each database of the host.
  static Result<ClosedLoop> create(Host host, const std::vector<EngineConfig>& engines);

  // Rounded up to whole polls.
  void run(double seconds);
  // Instead of the limits that the database's engine goes by.
  void count_above(std::size_t database, const SloLimits& limits) {
    databases_.at(database).limits = limits;
  }
  void watch(LoopWatch watch) { watch_ = std::move(watch); }
  // Between polls: arrivals may be changed there, and databases come and go.
  [[nodiscard]] Host& host() { return host_; }
  [[nodiscard]] LoopFigures figures(std::size_t database) const;

 private:
  struct Database {
    Engine engine;
    Sampler sampler;
    EngineConfig config;
    SloLimits limits;
    LatencyTotals reads_before, writes_before;  // a second ago
    double stopped_before = 0;
    std::optional<ShareMember> member;  // as of the last poll
    LoopFigures figures;
  };
  ClosedLoop(Host host, std::vector<Database> databases);
  void poll(std::size_t index, const Sharing::Slices& slices);
  [[nodiscard]] Sharing::Slices share();
  std::vector<Actuation> act(std::size_t index, const std::vector<Decision>& decisions);
  Actuation apply(std::size_t index, const Decision& decision, PlantOptions& options);
  void end_second(std::size_t index);

  Host host_;
  std::vector<Database> databases_;
  Sharing sharing_;
  std::uint64_t polls_ = 0;
  LoopWatch watch_;
};

}  // namespace rocktune::sim
