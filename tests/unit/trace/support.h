// What the tests of the trace share: a directory of their own, and random samples.
#pragma once

#include <random>
#include <string>

#include "model/sample.h"
#include "tests/support/temp_directory.h"
#include "trace/recorder.h"

namespace rocktune::trace::test {

using rocktune::tests::TempDirectory;

// Samples with everything that a reading may have or lack, values over the whole range, and jumps
// in every direction. Deterministic by its seed.
class RandomSamples {
 public:
  explicit RandomSamples(unsigned seed) : random_(seed) {}
  Sample next();

 private:
  bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
  std::uint64_t below(std::uint64_t end) {
    return std::uniform_int_distribution<std::uint64_t>(0, end - 1)(random_);
  }
  std::uint64_t any();
  Counter counter();
  std::string text();
  LatencyHistogram histogram(const std::optional<LatencyHistogram>& before);
  DatabaseReading database();
  ColumnFamilyReading column_family(std::size_t position);
  KnobReading knob();

  std::mt19937 random_;
  Sample last_;
  DatabaseReading last_database_;
};

// Runs SQL on a trace behind its recorder's back.
void run_sql(const std::string& path, const char* sql);

inline RunInfo run_info() {
  return {"0.1.0", "host-1", Nanoseconds(1'700'000'000'000'000'000), 0.5};
}

inline TargetInfo target_info(const std::string& name) {
  TargetInfo target;
  target.name = name;
  target.path = "/data/" + name;
  target.mode = "advise";
  target.engine.policy_params = {{"gain", 0.1}};
  target.engine.budget.jobs_max = 6;
  return target;
}

template <class T>
T checked(Result<T> result) {
  if (!result) FAIL(result.error().message);
  return std::move(*result);
}
inline void checked(const Result<void>& result) {
  if (!result) FAIL(result.error().message);
}

}  // namespace rocktune::trace::test
