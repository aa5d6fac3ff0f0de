// SettledGroups: of groups whose members come and go, those that are worth telling of: a group is
// told of once its members have been the same for kSettleTime, and its end likewise. Who visits it
// for a shorter time is told of by nobody. Pure: time is handed in.
#pragma once

#include <chrono>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "model/clock.h"

namespace rocktune::daemon {

class SettledGroups {
 public:
  using Members = std::set<std::string>;
  using Groups = std::map<std::string, Members>;  // by what they share; none is empty

  // Long enough for whoever opens a database, does a little and goes, again and again.
  static constexpr Nanoseconds kSettleTime = std::chrono::seconds(10);

  // `told`: the members as told before. `now`: those since; empty: the group has ended.
  using Tell =
      std::function<void(const std::string& what, const Members& told, const Members& now)>;
  void update(Nanoseconds now, const Groups& groups, const Tell& tell);

 private:
  struct Unsettled {
    Members members;
    Nanoseconds since{0};
  };
  Groups told_;
  std::map<std::string, Unsettled> unsettled_;
};

}  // namespace rocktune::daemon
