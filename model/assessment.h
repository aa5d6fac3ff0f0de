// What one indicator finds in one step, before hysteresis: shared by the three of them. Internal
// to model/.
//
// An indicator looks at several pressures (for the backlog: L0, pending bytes, memtables), each
// against its own limit; the most probable one speaks for the indicator.
#pragma once

#include <array>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/device_load.h"
#include "model/features.h"
#include "model/heads/learnt.h"
#include "model/indicators.h"
#include "model/objective.h"
#include "model/stall_forecast.h"
#include "model/trend.h"

namespace rocktune {

// What a message would say. It is asked for when somebody is told, which is hardly ever; until the
// assessor's next assess() it answers for this one. Null: nothing.
using Words = std::function<std::string()>;

using HorizonProbabilities = std::array<double, kHeadHorizons.size()>;

// What may become a Driver: more are looked at than are told. Like Words, they are asked for when
// somebody is told.
struct Candidate {
  std::string_view feature;  // of static storage
  double value = 0;
  Value limit = std::nullopt;
  Value weight = std::nullopt;
};

struct Pressure {
  std::string cause;
  double use = 0;                     // value / limit
  std::optional<double> eta_seconds;  // to the limit
  Words sentence;                     // how things stand, without a full stop
  Words outlook;                      // ...and what comes, when the limit is in sight
  // Of a model of its own, within each of kHeadHorizons; absent: by use and eta_seconds.
  std::optional<HorizonProbabilities> probabilities;
};

struct Assessment {
  Indicator indicator;     // without state and drivers
  Words sentence;          // how things stand
  Words outlook;           // ": delayed writes in about 4 s", or empty
  bool by_learnt = false;  // what was learnt warns, and physics alone would not
  double use = 0;          // value / limit of the strongest pressure
  // What physics alone says, before the heads: the strongest pressure's, for each horizon.
  HorizonProbabilities physical{};
  // Whatever the heads say, it is at least this probable: the static rule.
  double least_probability = 0;
  double head_probability = 0;  // see IndicatorModel::Step
};

// The strongest of `pressures` (not empty) as a valid indicator, without a probability yet.
Assessment assess(IndicatorKind kind, const std::vector<Pressure>& pressures, bool event,
                  double horizon_seconds);
// Not enough to tell, and why.
Assessment unknown(IndicatorKind kind, std::string why, double horizon_seconds);

// Rates over a gap of more than this many missed polls say nothing about now: trends begin anew.
inline constexpr std::uint64_t kLongestGapPolls = 10;

// A candidate if its value is known.
struct MaybeCandidate {
  std::string_view feature;
  Value value;
  Value limit = std::nullopt;
};
// Those whose value is known, sorted by how much of their limit they use.
std::vector<Candidate> strongest_first(std::initializer_list<MaybeCandidate> all);

// One per kind; each keeps its trends. Call assess() once per sample, in order; candidates() is of
// the sample that was assessed last.
class BacklogAssessor {
 public:
  Assessment assess(const Features& features, const Objective& objective);
  [[nodiscard]] std::vector<Candidate> candidates(const Features& features) const;
  void clear();
  [[nodiscard]] const std::optional<L0Forecast>& forecast() const { return forecast_.worst(); }

 private:
  void add_l0(const Features& features, std::vector<Pressure>& out);
  [[nodiscard]] std::string l0_sentence(double files, double slowdown_files,
                                        const std::optional<double>& files_per_second) const;
  // Of the roll-out, where it is ready for the column family that is worst off: then it counts
  // instead of the course.
  [[nodiscard]] const L0Forecast* l0_forecast() const;
  // L0 or pending bytes so near their limit that no forecast may talk it away: the static rule's
  // probability, or 0.
  [[nodiscard]] double near_limit(const Features& features) const;
  void add_pending(const Features& features, std::vector<Pressure>& out);
  void add_memtables(const Features& features, std::vector<Pressure>& out);
  // While writes are delayed: when they will be stopped, if the course goes on.
  [[nodiscard]] std::string stop_outlook(const Features& features) const;

  // In files: a compaction out of L0 takes at least its trigger (default 4); flushes add one.
  Trend l0_{Trend::Jumps::kFalls, 2.5};
  Trend pending_{Trend::Jumps::kOutliers};
  Trend memtables_{Trend::Jumps::kKeep};
  StallForecast forecast_;
  std::string l0_family_, pending_family_, memtable_family_;
};

class P99Assessor {
 public:
  Assessment assess(const Features& features, const Objective& objective);
  [[nodiscard]] static std::vector<Candidate> candidates(const Features& features,
                                                         const Objective& objective);
  void clear();

 private:
  struct Operation {
    Trend log_use{Trend::Jumps::kKeep};  // ln(P99 / SLO): latencies move by factors
  };
  static void add(Operation& operation, const char* name, const Value& p99_us, const Value& ops,
                  double slo_seconds, const Features& features, std::vector<Pressure>& out);
  Operation read_, write_;
};

class DeviceAssessor {
 public:
  explicit DeviceAssessor(const DeviceCapacities& capacities = {}) : load_(capacities) {}
  Assessment assess(const Features& features, const Objective& objective);
  [[nodiscard]] std::vector<Candidate> candidates(const Features& features,
                                                  const Objective& objective) const;
  void clear();
  // As of the last assess().
  [[nodiscard]] const DeviceLoad& load() const { return load_; }

 private:
  void add_queue(const Features& features, const Objective& objective, std::vector<Pressure>& out);
  void add_await(const Features& features, const Objective& objective, std::vector<Pressure>& out);
  void add_load(const Features& features, std::vector<Pressure>& out);
  void add_waiting_reads(const Features& features, std::vector<Pressure>& out);
  void clear_trends();
  Trend queue_{Trend::Jumps::kKeep};
  Trend await_{Trend::Jumps::kKeep};
  Trend load_use_{Trend::Jumps::kKeep};
  Trend waiting_reads_{Trend::Jumps::kKeep};
  DeviceLoad load_;
};

}  // namespace rocktune
