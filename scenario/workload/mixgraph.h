// The key distribution of RocksDB's mixgraph benchmark: "Characterizing, Modeling, and Benchmarking
// RocksDB Key-Value Workloads at Facebook" (Cao, Dong, Vemuri, Du; FAST 2020), under the parameter
// names that db_bench gives them (tools/db_bench_tool.cc):
//
//   distribution: {kind: mixgraph, keyrange_num: 30, keyrange_dist_a: 14.18,
//                  keyrange_dist_b: -2.917, keyrange_dist_c: 0.0164, keyrange_dist_d: -0.08082,
//                  key_dist_a: 0.002312, key_dist_b: 0.3467}
//
// The key space is cut into keyrange_num equal ranges. Range x of them gets a share proportional to
// a * exp(b * x) + c * exp(d * x); which part of the key space is range x is shuffled, the same way
// each time. Within a range the accesses that a key gets follow the power law a * x^b; which key is
// the x-th is scattered by a hash. With key_dist_a or key_dist_b 0 a range's keys are uniform.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "scenario/located_yaml.h"
#include "scenario/workload/generator.h"

namespace rocktune::scenario {

struct MixgraphKeys {
  std::int64_t ranges = 1;
  double range_a = 0, range_b = 0, range_c = 0, range_d = 0;  // all 0: every range gets the same
  double key_a = 0, key_b = 0;
};

MixgraphKeys read_mixgraph_keys(MapReader& map);

class KeyRanges {
 public:
  KeyRanges(const MixgraphKeys& plan, std::uint64_t records);
  [[nodiscard]] std::uint64_t next(Random& random) const;
  // The share of all accesses that the range at this place of the key space gets.
  [[nodiscard]] double share(std::size_t place) const;
  [[nodiscard]] std::uint64_t range_records() const { return range_records_; }

 private:
  [[nodiscard]] std::uint64_t within(Random& random) const;
  MixgraphKeys plan_;
  std::uint64_t range_records_;
  std::vector<double> upto_;  // by place: the shares of the ranges up to this one, added up
};

}  // namespace rocktune::scenario
