// ReadCalibration: what a read of a recorded run costs, from its samples: look-ups in the block
// cache by the number of files in level 0, the share of them that misses at the cache's size, and
// the time of a read that finds all in memory. One pass, a fixed size. Pure.
#pragma once

#include "model/sample.h"
#include "sim/foreground.h"

namespace rocktune::sim {

class ReadCalibration {
 public:
  // Two samples of one incarnation that follow each other, both with a database.
  void update(const Sample& older, const Sample& newer);
  // ReadLaws' defaults for what was not seen.
  [[nodiscard]] ReadLaws laws() const;

 private:
  // Of pairs of samples with reads, each weighed by them. x: files of level 0; y: look-ups a read.
  struct Sums {
    double reads = 0, x = 0, xx = 0, y = 0, xy = 0;
    double lookups = 0, misses = 0;
    double cache_bytes = 0;
    double read_us = 0, write_us = 0, timed_reads = 0, timed_writes = 0;
  };
  Sums sums_;
};

}  // namespace rocktune::sim
