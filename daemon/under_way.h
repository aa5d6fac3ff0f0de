// UnderWay: a database's decisions that are being carried out: nobody has said yet what became of
// them. And those of which it was said that they failed, for as long as they may be made all the
// same (policy/late_changes.h): an agent that did not answer in time may still have the request.
// Not thread-safe; bounded by the decisions of a poll and the number of knobs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/decision.h"

namespace rocktune::daemon {

class UnderWay {
 public:
  struct One {
    Decision decision;
    bool sent = false;  // to the agent, which may have made it
  };

  void add(const Decision& decision) { all_.push_back({decision}); }
  void sent(const std::vector<Decision>& decisions);
  // What the decision was, if it was under way.
  std::optional<Decision> done(const std::string& id);
  // All that are left, which then are no more.
  std::vector<One> take() { return std::exchange(all_, {}); }

  // It failed, and may be made all the same.
  void doubt(const Decision& decision);
  // A sample was read: it shows what was made before.
  void look(Nanoseconds now);
  // What an earlier opening may make, the next one does not.
  void reset_doubts() { doubts_.clear(); }
  // The largest value that one of all these may yet give the knob.
  [[nodiscard]] std::optional<std::int64_t> largest(const KnobReading& knob) const;
  [[nodiscard]] bool empty() const { return all_.empty() && doubts_.empty(); }

 private:
  struct Doubt {
    std::int64_t value = 0;             // the largest of the knob's
    std::optional<Nanoseconds> looked;  // first, since the last of them failed
  };
  std::vector<One> all_;
  std::map<KnobId, Doubt> doubts_;
};

}  // namespace rocktune::daemon
