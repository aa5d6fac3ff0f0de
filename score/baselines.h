// The detectors behind detector.h's names.
#pragma once

#include <array>
#include <deque>
#include <map>

#include "model/clock.h"
#include "score/detector.h"

namespace rocktune::score {

// How much of its limit each indicator uses now: L0 files / slowdown trigger of the column family
// that is worst off; the P99 of reads or writes / its SLO, whichever is larger; requests in flight
// or the await of reads / the objective's limit, whichever is larger. By IndicatorKind; absent
// where it was not read, or where too few operations were timed to have a P99.
using Uses = std::array<std::optional<double>, 3>;
Uses uses_now(const Features& features, const Objective& objective);

class NeverDetector final : public Detector {
 public:
  void update(const Features& features, const Sample& sample) override;
  [[nodiscard]] std::optional<double> score(IndicatorKind kind, std::size_t horizon) const override;
};

// Persistence, without any forecast: 1 while the same event ended less than kRecentSeconds ago,
// else 0. What clusters in episodes is foreseen by that alone; a forecast has to find more.
class RecentEventDetector final : public Detector {
 public:
  static constexpr double kRecentSeconds = 60;
  explicit RecentEventDetector(const Objective& objective) : events_(objective) {}
  void update(const Features& features, const Sample& sample) override;
  [[nodiscard]] std::optional<double> score(IndicatorKind kind, std::size_t horizon) const override;

 private:
  IndicatorModel events_;  // says when a condition holds
  std::array<std::optional<Nanoseconds>, 3> last_;
  Uses scores_;
};

class StaticDetector final : public Detector {
 public:
  explicit StaticDetector(const Objective& objective) : objective_(objective) {}
  void update(const Features& features, const Sample& sample) override;
  [[nodiscard]] std::optional<double> score(IndicatorKind kind, std::size_t horizon) const override;

 private:
  Objective objective_;
  Uses uses_;
};

class PendingDetector final : public Detector {
 public:
  void update(const Features& features, const Sample& sample) override;
  [[nodiscard]] std::optional<double> score(IndicatorKind kind, std::size_t horizon) const override;

 private:
  std::optional<double> use_;
};

class MemtableDetector final : public Detector {
 public:
  void update(const Features& features, const Sample& sample) override;
  [[nodiscard]] std::optional<double> score(IndicatorKind kind, std::size_t horizon) const override;

 private:
  std::optional<double> use_;
};

// Prometheus' predict_linear over a range of 60 s: the least-squares line through the values of the
// last 60 s, at a horizon from now. Says nothing before it has seen half of them: on two points a
// line is noise.
class LinearDetector final : public Detector {
 public:
  explicit LinearDetector(const Objective& objective) : objective_(objective) {}
  void update(const Features& features, const Sample& sample) override;
  [[nodiscard]] std::optional<double> score(IndicatorKind kind, std::size_t horizon) const override;

 private:
  struct Point {
    Nanoseconds tick{0};
    double value = 0;
  };
  Objective objective_;
  Nanoseconds now_{0};
  std::array<std::deque<Point>, 3> points_;
};

// Holt's linear trend (double exponential smoothing; Holt 1957), corrected for uneven intervals.
// Says nothing in its first 30 s.
class HoltDetector final : public Detector {
 public:
  explicit HoltDetector(const Objective& objective) : objective_(objective) {}
  void update(const Features& features, const Sample& sample) override;
  [[nodiscard]] std::optional<double> score(IndicatorKind kind, std::size_t horizon) const override;

 private:
  struct Course {
    Nanoseconds first{0}, last{0};
    double level = 0, per_second = 0;
  };
  static void follow(std::optional<Course>& course, Nanoseconds tick, double value);

  Objective objective_;
  Nanoseconds now_{0};
  std::array<std::optional<Course>, 3> courses_;
};

// RocksDB's compaction pressure: at 1 and above it gives compaction all its slots instead of one.
// The larger of L0 files and pending bytes over their speed-up conditions
// (GetL0FileCountForCompactionSpeedup and GetPendingCompactionBytesForCompactionSpeedup in its
// db/column_family.cc), of the column family that is worst off.
std::optional<double> compaction_pressure(const ColumnFamilyReading& family);

class PressureDetector final : public Detector {
 public:
  void update(const Features& features, const Sample& sample) override;
  [[nodiscard]] std::optional<double> score(IndicatorKind kind, std::size_t horizon) const override;

 private:
  std::optional<double> pressure_;
};

// rocktune's own indicators: the probability that warns (within half the horizon), or (`alerts`) 1
// while an alert is raised. One model per horizon, since an IndicatorModel looks as far as its
// objective says.
class IndicatorDetector final : public Detector {
 public:
  IndicatorDetector(const Objective& objective, const std::vector<std::size_t>& horizons,
                    bool alerts, const Learnt& prior);
  void update(const Features& features, const Sample& sample) override;
  [[nodiscard]] std::optional<double> score(IndicatorKind kind, std::size_t horizon) const override;
  [[nodiscard]] std::optional<double> probability(IndicatorKind kind,
                                                  std::size_t horizon) const override;

 private:
  struct Model {
    IndicatorModel model;
    Uses scores, probabilities;
  };
  bool alerts_;
  std::map<std::size_t, Model> models_;  // by horizon
};

}  // namespace rocktune::score
