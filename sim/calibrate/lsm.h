// LsmCalibration: the laws of a recorded run's writes, flushes and compactions, from its samples.
//
// Sums over the whole time that it saw, each with a prior (Laws' defaults) that weighs as much as
// one write buffer: what was hardly seen stays near the prior. What a compaction reads counts as it
// is read, and its time once it ended: over a long time that is one compaction more or less. How
// much of the next level deep compactions read is left at its prior, and speeds are as they were
// beside everything else that went on: samples do not tell more, a simulation does
// (sim/calibrate/run.h). One pass, a fixed size. Pure.
#pragma once

#include "model/sample.h"
#include "sim/parameters.h"

namespace rocktune::sim {

class LsmCalibration {
 public:
  // Two samples of one incarnation that follow each other, both with a database.
  void update(const Sample& older, const Sample& newer);
  [[nodiscard]] Laws laws() const;
  // The speeds of which more was seen than the prior weighs.
  [[nodiscard]] Seen seen() const;

 private:
  // What is summed up, over all column families.
  struct Sums {
    double keys = 0, keyed_user_bytes = 0, keyed_flush_bytes = 0;
    double flush_bytes = 0, buffer_bytes = 0, flushes = 0;
    double flush_seconds = 0;
    double l0_bytes = 0, l0_seconds = 0;
    double deep_bytes = 0, deep_seconds = 0;
    double read_bytes = 0, written_bytes = 0;
    double delayed_keys = 0, delayed_allowed = 0;
    double jobs = 0, speeds = 0, squared_speeds = 0;  // logarithms of single jobs' speeds
  };
  void add_writes(const Sample& older, const Sample& newer);
  void add_flushes(const Sample& older, const Sample& newer);
  void add_compactions(const Sample& older, const Sample& newer);
  void add_l0(double bytes, double seconds, double jobs);
  [[nodiscard]] double l0_speed() const;
  [[nodiscard]] double prior_bytes() const;  // what the priors weigh

  Sums sums_;
};

}  // namespace rocktune::sim
