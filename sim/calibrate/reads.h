// ReadCalibration: what a read of a recorded run costs, from its samples: look-ups in the block
// cache by the number of files in level 0, the share of them that misses at the cache's size, and
// the time of a read that finds all in memory. One pass, a fixed size. Pure.
#pragma once

#include <Eigen/Core>
#include <span>

#include "model/sample.h"
#include "sim/demand.h"
#include "sim/foreground.h"

namespace rocktune::sim {

class ReadCalibration {
 public:
  // Two samples of one incarnation that follow each other, both with a database.
  void update(const Sample& older, const Sample& newer);
  // ReadLaws' defaults for what was not seen.
  [[nodiscard]] ReadLaws laws() const;
  // Whether there were reads enough to tell what misses.
  [[nodiscard]] bool seen() const;

 private:
  // What look-ups come from: reads, files of level 0 under each of them, bytes that compactions
  // read.
  static constexpr int kSources = 3;
  using Sources = Eigen::Matrix<double, kSources, 1>;
  // Of pairs of samples: least squares over them.
  struct Sums {
    Eigen::Matrix<double, kSources, kSources> sources = decltype(sources)::Zero();
    Sources lookups = Sources::Zero(), misses = Sources::Zero();
    double reads = 0, l0_files = 0;  // the latter weighed by reads
    double cache_bytes = 0;          // ...
    double read_us = 0, write_us = 0, timed_reads = 0, timed_writes = 0;
  };
  Sums sums_;
};

// Of one interval between two samples.
struct CacheUse {
  double lookups = 0, misses = 0;  // in it, those of compactions among them
  double compaction_bytes = 0;     // that were read
  double cache_bytes = 0;          // at its end
  double l0_files = 0;             // ..., of one column family, mean
};

CacheUse cache_use(const DatabaseReading& older, const DatabaseReading& newer);

// Sets how often what was asked for misses (Arrivals::misses), from what was seen around each
// interval: how local reads are, and how warm the cache is, belongs to the demand. One `uses` for
// each interval.
void follow_misses(std::span<const CacheUse> uses, const ReadLaws& laws, DemandSeries& demand);

}  // namespace rocktune::sim
