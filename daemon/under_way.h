// UnderWay: a database's decisions that are being carried out: nobody has said yet what became of
// them. Not thread-safe.
#pragma once

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

 private:
  std::vector<One> all_;
};

}  // namespace rocktune::daemon
