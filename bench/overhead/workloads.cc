#include "bench/overhead/workloads.h"

#include <algorithm>
#include <thread>

namespace rocktune::bench {
namespace {

constexpr std::int64_t kRecords = 200'000;
constexpr std::int64_t kWorkloadValueBytes = 1000;

OverheadWorkload make(const std::string& name, const std::string& about, std::int64_t threads,
                      std::int64_t records, scenario::Mix mix, std::int64_t cache_bytes) {
  OverheadWorkload made;
  made.name = name;
  made.about = about;
  made.workload.name = name;
  made.workload.records = records;
  made.workload.value_size = kWorkloadValueBytes;
  made.workload.threads =
      threads > 0 ? threads : std::max<std::int64_t>(1, std::thread::hardware_concurrency());
  scenario::Phase phase;
  phase.name = name;
  phase.mix = mix;
  made.workload.phases = {phase};
  made.configuration.name = name;
  made.configuration.block_cache_bytes = cache_bytes;
  made.configuration.bloom_bits_per_key = 10;
  return made;
}

}  // namespace

std::vector<OverheadWorkload> overhead_workloads(std::int64_t threads, std::int64_t records) {
  if (records <= 0) records = kRecords;
  const std::int64_t data = records * kWorkloadValueBytes;
  return {make("mix", "YCSB A, data four times the block cache", threads, records, {0.5, 0.5, 0},
               data / 4),
          make("cached-reads", "YCSB C, all in the block cache: the worst case", threads,
               std::max<std::int64_t>(1000, records / 4), {1, 0, 0}, data)};
}

}  // namespace rocktune::bench
