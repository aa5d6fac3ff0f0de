// From the plant to a sample: what an agent would read of such a database, and a daemon of its
// machine. Pure.
#pragma once

#include <cstdint>

#include "model/sample.h"
#include "sim/host.h"

namespace rocktune::sim {

// Everything that the plant knows; what it does not simulate is absent. Amounts are cut off to
// whole numbers. `tick`: when the agent took it.
DatabaseReading read_database(const Plant& plant, Nanoseconds tick);

// The samples of one database of a host.
class Sampler {
 public:
  // The plant's options are those that it was found with.
  Sampler(const Host& host, std::size_t plant);

  // The sample that is due now. Times count from `kBegin`.
  Sample next(const Host& host);
  // The database is closed: what is read of it next is of another opening.
  void close();

  // An hour: ticks are never 0, and no wall clock is asked.
  static constexpr Nanoseconds kBegin = std::chrono::hours(1);

 private:
  std::size_t plant_;
  PlantOptions found_;
  // As of the last sample, and what it told of them.
  PlantOptions options_;
  decltype(Sample::knobs) knobs_;
  std::uint64_t sequence_ = 0;
  bool read_ = false;  // since it was opened
  std::uint64_t reopenings_ = 0;
};

}  // namespace rocktune::sim
