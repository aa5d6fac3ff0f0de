#include "scenario/simulate/cache_curve.h"

#include <algorithm>
#include <cmath>
#include <list>
#include <unordered_map>

#include "model/split_mix.h"

namespace rocktune::scenario {
namespace {

constexpr double kKeyBytes = 16;  // workload/requests.h
constexpr int kSizeSamples = 1000;
// Blocks in a thinned cache, and accesses to it: enough to fill it some times over.
constexpr double kMostBlocks = 2048;
constexpr std::size_t kAccesses = 40'000, kMostDraws = 20'000'000;

class LruCache {
 public:
  explicit LruCache(std::size_t blocks) : blocks_(blocks) {}
  bool access(std::uint64_t block) {
    if (const auto found = places_.find(block); found != places_.end()) {
      order_.splice(order_.begin(), order_, found->second);
      return true;
    }
    order_.push_front(block);
    places_[block] = order_.begin();
    if (order_.size() > blocks_) {
      places_.erase(order_.back());
      order_.pop_back();
    }
    return false;
  }

 private:
  std::size_t blocks_;
  std::list<std::uint64_t> order_;
  std::unordered_map<std::uint64_t, std::list<std::uint64_t>::iterator> places_;
};

}  // namespace

double mean_record_bytes(const Sizes& value_size) {
  double sum = 0;
  for (int i = 0; i < kSizeSamples; ++i) {
    sum += static_cast<double>(value_size.at((i + 0.5) / kSizeSamples));
  }
  return sum / kSizeSamples + kKeyBytes;
}

double simulated_miss_ratio(const Workload& workload, const Phase& phase, std::int64_t block_bytes,
                            std::int64_t cache_bytes) {
  const double in_block =
      std::max(1.0, static_cast<double>(block_bytes) / mean_record_bytes(workload.value_size));
  const double cached =
      std::max(1.0, static_cast<double>(cache_bytes) / static_cast<double>(block_bytes));
  const auto thinning = static_cast<std::uint64_t>(std::ceil(cached / kMostBlocks));
  LruCache cache(static_cast<std::size_t>(std::max(1.0, cached / static_cast<double>(thinning))));
  const auto records = static_cast<std::uint64_t>(std::max<std::int64_t>(1, workload.records));
  const KeyChooser keys(phase.keys, records);
  Random random(static_cast<std::uint64_t>(workload.seed));
  const Inserted inserted{records, 0, 1, 0};
  std::size_t accesses = 0, counted = 0, missed = 0;
  for (std::size_t draw = 0; draw < kMostDraws && accesses < kAccesses; ++draw) {
    const auto block =
        static_cast<std::uint64_t>(static_cast<double>(keys.next(random, 0, inserted)) / in_block);
    if (split_mix_finish(block) % thinning != 0) continue;
    const bool hit = cache.access(block);
    if (++accesses <= kAccesses / 2) continue;  // the first half warms it
    ++counted;
    missed += hit ? 0 : 1;
  }
  return counted > 0 ? static_cast<double>(missed) / static_cast<double>(counted) : 1;
}

}  // namespace rocktune::scenario
