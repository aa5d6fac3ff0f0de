// Makes a load leave what its workload's Backlog says.
#pragma once

#include <atomic>

#include "bench/host/database.h"
#include "bench/run/records.h"
#include "model/result.h"
#include "scenario/workload/workload.h"

namespace rocktune::bench {

// After the load has come to rest. Turns automatic compactions off where the workload has a
// backlog. Ends early without an error when `stop` is set.
Result<void> leave_backlog(Database& database, const scenario::Workload& workload,
                           const ValuePool& values, const std::atomic<bool>& stop);

}  // namespace rocktune::bench
