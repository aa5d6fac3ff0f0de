// The two workloads whose cost is measured, and how their database is opened.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "scenario/configuration.h"
#include "scenario/workload/workload.h"

namespace rocktune::bench {

struct OverheadWorkload {
  std::string name;             // "mix", "cached-reads"
  std::string about;            // one line for the table
  scenario::Workload workload;  // one phase
  scenario::HostConfiguration configuration;
};

// "mix": YCSB A, half reads and half updates, on data four times the block cache.
// "cached-reads": YCSB C on data that lies in the block cache: nothing but RocksDB's own code is
// timed, so that whatever is added to it shows. The worst case.
// `threads` 0: as many as there are CPUs, so that no CPU is idle to hide a cost.
// Their phase has no length yet.
std::vector<OverheadWorkload> overhead_workloads(std::int64_t threads, std::int64_t records);

}  // namespace rocktune::bench
