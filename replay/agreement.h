// How far two series of changes agree: a live change is agreed with when the other series has one
// of the same knob in the same direction within a window of time. Each change counts once.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <tuple>

#include "model/decision.h"

namespace rocktune::replay {

class Agreement {
 public:
  explicit Agreement(Nanoseconds window) : window_(window) {}

  // In the order of time, both series together.
  void add_live(Nanoseconds tick, const Proposal& proposal);
  void add_replayed(Nanoseconds tick, const Proposal& proposal);
  [[nodiscard]] std::uint64_t live() const { return live_; }
  [[nodiscard]] std::uint64_t agreed() const { return agreed_; }

 private:
  using Key = std::tuple<std::string, std::string, bool>;  // knob, column family, upwards
  struct Waiting {
    std::deque<Nanoseconds> live, replayed;
  };
  void match(Nanoseconds tick, std::deque<Nanoseconds>& own, std::deque<Nanoseconds>& other);

  Nanoseconds window_;
  std::map<Key, Waiting> waiting_;
  std::uint64_t live_ = 0;
  std::uint64_t agreed_ = 0;
};

}  // namespace rocktune::replay
