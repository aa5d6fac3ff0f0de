// StallForecast: will L0 of any column family reach its slowdown trigger, so that RocksDB delays
// writes? The column family with the highest probability counts. Learns online, from nothing.
//
//   P(h) = F((peak(h) - slowdown - 1/8) / (0.1 + e * growth)) * F((eta + quiet - 30) / (0.7 + e *
//   eta))
//
// with peak(h), growth (of L0 until then) and eta of the roll-out (model/rollout.h), e the learnt
// error of peaks, quiet the seconds since the last stall, and F the normal distribution. The second
// factor is that it will be a new stall, 30 s after the last, and not the same episode going on.
//
// Not calibrated: for 10 and 30 s it is too modest. Pure; bounded; no allocation for column
// families that were there before.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/features.h"
#include "model/flow.h"
#include "model/foreseen_growth.h"

namespace rocktune {

struct L0Forecast {
  std::string_view column_family;         // valid until the next update
  double probability = 0;                 // within the horizon that was asked for
  std::array<double, 3> probabilities{};  // within 10, 30 and 60 s
  std::optional<double> eta_seconds;      // until L0 reaches its slowdown trigger; to 62 s
  double files_now = 0;                   // with the part of the next file that is written
  double peak_files = 0;                  // the most within the horizon
  std::array<double, 3> peaks{};          // ... within 10, 30 and 60 s
  double slowdown_files = 0;
  // As Rollout's l0_begin_seconds and busy_ratio.
  std::optional<double> l0_compaction_begins_seconds;
  double busy_ratio = 0;
};

class StallForecast {
 public:
  // Column families beyond these are not forecast. The agent samples no more.
  static constexpr std::size_t kMostFamilies = 64;

  // Once per sample, in order. `stalled`: RocksDB delays or stops writes. Begins anew after a gap
  // of more than 10 s, where the clock steps back, and where the features say `reset`.
  void update(const Features& features, bool stalled, double horizon_seconds);
  void clear();

  // Absent: no column family is ready, or there was nothing to read in the last update.
  [[nodiscard]] const std::optional<L0Forecast>& worst() const { return worst_; }
  // Why the named column family has no forecast, in words that follow "because "; null: it has.
  [[nodiscard]] const char* why_not_ready(std::string_view column_family) const;
  // Since the last stall; absent: none was seen.
  [[nodiscard]] std::optional<double> quiet_seconds() const;

 private:
  struct Outlook {
    float probability = 0;
    float peak_ratio = 0;  // of its limit
    [[nodiscard]] bool is_worse_than(const Outlook& other) const;
  };
  struct Family {
    std::string name;
    FamilyFlow flow;
    Nanoseconds looked_at{0};
    Outlook outlook;  // of then
    ForeseenGrowth growth;
    bool looked = false;   // since it began
    bool present = false;  // in the last update; one that is gone keeps its place and its name
    bool seen = false;     // in this update
    void forget();
  };
  void follow(const Features& features);
  // Whether jobs or the limiter have changed since the sample before.
  bool take_rates(const Features& features);
  Family* find(const std::string& name, std::size_t begin);
  Family* place(const std::string& name);
  void look(Family& family, double horizon) const;
  [[nodiscard]] bool needs_look(const Family& family) const;
  [[nodiscard]] L0Forecast forecast(const Family& family, double horizon) const;
  // With as much of the growth as is to be expected.
  static Rollout expected(const Family& family, Rollout rollout, const Horizons& horizons);
  [[nodiscard]] double probability(const FamilyFlow& flow, const Rollout& rollout, std::size_t peak,
                                   double within) const;

  std::vector<Family> families_;
  std::optional<Nanoseconds> last_, last_stall_;
  std::optional<L0Forecast> worst_;
  // As last read: what compactions may use.
  std::size_t slots_ = 0;
  std::int64_t limit_ = 0;  // of the rate limiter, bytes/s
};

}  // namespace rocktune
