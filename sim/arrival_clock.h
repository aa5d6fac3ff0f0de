// ArrivalClock: how long ago those operations arrived that are done now, where they are done in the
// order in which they came. Pure; copyable; as large as the queue is long in time.
#pragma once

#include <deque>

namespace rocktune::sim {

class ArrivalClock {
 public:
  // Until that moment so many more arrived, evenly since the call before.
  void arrive(double until_seconds, double operations);
  void done(double operations);
  // How long the next one to be done has waited; 0: none waits.
  [[nodiscard]] double wait_seconds(double now_seconds) const;
  // Nobody waits any more.
  void clear(double now_seconds);

 private:
  struct Point {
    double seconds = 0, operations = 0;  // that had arrived by then
  };
  std::deque<Point> points_{Point{}};  // rising; the first two have the next one between them
  double done_ = 0;
};

}  // namespace rocktune::sim
