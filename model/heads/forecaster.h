// Forecaster: the learnt forecast of one indicator. On top of the physical forecast it keeps an
// event head for each of 10, 30 and 60 s, and value heads for the largest value until then. Learns
// online: what was looked at is kept until its horizon has passed, then its heads take one step
// towards what came. Pure; bounded; no allocation.
//
// It works on a grid of kGridSeconds whatever the poll interval: forecasts are of each update,
// learning is of the first update in each step of the grid.
#pragma once

#include <array>
#include <optional>

#include "model/heads/drift.h"
#include "model/heads/episodes.h"
#include "model/heads/learnt.h"

namespace rocktune {

class Forecaster {
 public:
  static constexpr double kGridSeconds = 2;
  static constexpr std::size_t kSlots = 32;  // more than the longest horizon
  // Fewer onsets than this in what was learnt: the probability is called not calibrated.
  static constexpr std::uint64_t kFewestOnsets = 10;
  static constexpr double kUntrustedSeconds = 600;  // after a drift

  struct Moment {
    HeadInputs inputs;
    std::array<double, kHeadHorizons.size()> physical{};  // log odds
    // What the value heads forecast, now; absent where it is not known.
    std::array<std::optional<double>, kMostHeadValues> values;
  };

  explicit Forecaster(const LearntIndicator& prior) { load(prior); }

  // Once per sample, in order. `moment` is null where nothing can be told; `episodes` was updated.
  void update(Nanoseconds tick, const Moment* moment, const Episodes& episodes);
  // Forgets what it was looking at, not what it learnt: after a gap, a reopening.
  void clear();

  // Of the last update, within `horizon` seconds (between the heads' horizons: by their log odds);
  // absent when it had no moment.
  [[nodiscard]] std::optional<double> log_odds(double horizon) const;
  // The same of physics alone.
  [[nodiscard]] std::optional<double> physical_log_odds(double horizon) const;
  // How long it has been looking without a gap.
  [[nodiscard]] double watched_seconds() const;
  // The quantiles of the largest value within the horizon that is nearest to `horizon`.
  [[nodiscard]] std::optional<std::array<double, kHeadQuantiles.size()>> value(
      std::size_t place, double horizon) const;
  // What each input adds to the log odds at the horizon nearest to `horizon`.
  [[nodiscard]] HeadVector contributions(double horizon) const;
  // Learnt from enough, and no drift was seen lately.
  [[nodiscard]] bool calibrated() const;

  void load(const LearntIndicator& prior);
  // All but the threshold, which is the budget's.
  [[nodiscard]] const LearntIndicator& learnt() const { return learnt_; }

 private:
  struct Slot {
    std::int64_t place = -1;  // on the grid; -1: nothing
    bool known = false;
    bool holds = false;
    PackedHeadVector inputs{};
    std::array<float, kHeadHorizons.size()> physical{};
    std::array<float, kMostHeadValues> now{};      // NaN: not known
    std::array<float, kMostHeadValues> largest{};  // in this step of the grid; NaN: not known
  };
  void advance_to(std::int64_t place);
  void look(const Moment& moment);
  void keep(const Moment& moment, bool holds);
  void keep_largest();
  void resolve(std::size_t horizon);
  void resolve_values(const Slot& slot, const HeadVector& inputs, std::size_t horizon);
  void note_drift();
  [[nodiscard]] float largest_until(std::size_t value, std::int64_t first, std::int64_t last) const;

  LearntIndicator learnt_;
  std::array<Slot, kSlots> slots_{};
  std::int64_t place_ = -1;           // the newest step of the grid
  std::int64_t onset_place_ = -1000;  // of the newest onset
  std::int64_t known_place_ = -1;     // the newest of which something is known
  std::int64_t hole_place_ = -1;      // the end of the newest long time of which nothing is
  std::optional<Nanoseconds> origin_, drifted_;
  Nanoseconds now_{0};
  bool has_moment_ = false;
  HeadVector inputs_{};
  std::array<double, kHeadHorizons.size()> physical_{}, log_odds_{};
  std::array<std::optional<double>, kMostHeadValues> values_;
  Drift drift_{static_cast<std::size_t>(30 / kGridSeconds)};
};

}  // namespace rocktune
