// Blames: a knob rests after one of its changes was taken back. The rule that had asked for it may
// not move the knob the same way again for so long (policy/growing_rest.h). Pure; bounded by the
// number of knobs and rules; internal to policy/.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "model/decision.h"
#include "policy/gone_knobs.h"
#include "policy/growing_rest.h"

namespace rocktune {

class Blames {
 public:
  // `culprit` was taken back, or is to be; `id` is its decision's. It rests once for each decision.
  void blame(const Proposal& culprit, const std::string& id, Nanoseconds now);
  // Why the change has to wait; absent when it has not.
  [[nodiscard]] std::optional<std::string> blocks(const Proposal& proposal, Nanoseconds now) const;
  void forget(const GoneKnobs& gone);
  void reset() { rests_.clear(); }
  [[nodiscard]] std::size_t remembered() const { return rests_.size(); }

 private:
  using Key = std::tuple<std::string, std::string, std::string, bool>;  // knob, family, rule, up
  struct Blamed {
    std::string id;
    GrowingRest rest;
  };
  static Key key_of(const Proposal& proposal);

  std::map<Key, Blamed> rests_;
};

}  // namespace rocktune
