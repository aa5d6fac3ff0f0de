// Shares: one budget divided among several members by need and weight.
//
// divide() is the fair division of one moment, min-max fair by weight: floors first; then up to
// each one's need, always to the one that has least for its weight; then up to what each one holds
// (what nobody needs is taken from nobody), and up to what it had once; then up to each one's cap.
// In whole units. The sum is never above the budget, unless what members hold that cannot give back
// is above it already.
//
// Shares is its course over time: a plan is made anew when the members or the budget change, and
// otherwise at most once per dwell, with needs that have hysteresis. A slice shrinks at once; it
// grows only by what is really free: what the others' slices and what they still hold leave of the
// budget. So two members never count on the same piece.
//
// Not finite or absent needs count as what is held; not finite or not positive weights as 1. Pure;
// deterministic: members are taken in the order of their names. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/clock.h"

namespace rocktune {

struct Claim {
  std::string member;  // unique
  double weight = 1;
  double floor = 0;  // it gets this much, or its part of the budget if the floors exceed it
  std::optional<double> need;
  std::optional<double> cap;  // it can use no more; absent: no bound
  double held = 0;            // what it takes now, as its knobs stand
  double usual = 0;           // what it had before anything was tuned; 0: no matter
  bool movable = true;        // false: it keeps what it holds, whatever the others need
};

// In the order of the claims. `unit` above 0: what is divided is whole units, beside the floors of
// which each is rounded down to one.
std::vector<double> divide(double budget, double unit, const std::vector<Claim>& claims);

class Shares {
 public:
  // With `begins_at_plan` the very first slices are the plan itself: for rates, which are no stock
  // that somebody still holds.
  explicit Shares(double dwell_seconds, bool begins_at_plan = false)
      : dwell_seconds_(dwell_seconds), begins_at_plan_(begins_at_plan) {}

  // By member. Call at every poll, with every member.
  const std::map<std::string, double>& update(Nanoseconds now, double budget, double unit,
                                              std::vector<Claim> claims);
  [[nodiscard]] const std::map<std::string, double>& slices() const { return slices_; }

 private:
  [[nodiscard]] bool another(double budget, const std::vector<Claim>& claims) const;
  void keep_needs(std::vector<Claim>& claims);
  void plan(double budget, double unit, const std::vector<Claim>& claims);
  void approach(double budget, double unit, const std::vector<Claim>& claims);

  double dwell_seconds_;
  bool begins_at_plan_;
  std::optional<Nanoseconds> planned_at_;
  double budget_ = 0;
  std::vector<Claim> planned_;           // what the plan was made of
  std::map<std::string, double> plan_;   // where the slices go
  std::map<std::string, double> needs_;  // with hysteresis
  std::map<std::string, double> slices_;
};

}  // namespace rocktune
