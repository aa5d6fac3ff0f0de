// Makes one run of one case: a copy of the case's loaded database and `rocktune-bench run` on it as
// a child, or the plain device in this process. The result is in the store afterwards, marked
// partial when Ctrl-C came first.
#pragma once

#include <cstdint>
#include <string>

#include "bench/experiment/experiment.h"
#include "bench/experiment/store.h"
#include "bench/trial/subject.h"
#include "bench/trial/watch.h"
#include "model/result.h"

namespace rocktune::bench::experiment {

struct CaseRun {
  const Experiment& experiment;
  const Part& part;
  const Case& one;
  SizeName size = SizeName::kScaled;
  double seconds = 0;  // above 0: instead of the size's
  std::int64_t round = 1;
};

Result<void> run_case(const CaseRun& run, const Store& store, const Watcher& watcher);

// What the child is told. Writes the case's workload and configuration as files into `work`, which
// must exist.
Result<TrialSubject> subject_of(const CaseRun& run, const std::string& work);

}  // namespace rocktune::bench::experiment
