#include "scenario/simulate/cache_curve.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <list>
#include <numeric>
#include <unordered_map>

namespace rocktune::scenario {
namespace {

constexpr double kKeyBytes = 16;  // workload/requests.h
constexpr int kSizeSamples = 1000;
// Blocks in a thinned cache, and accesses to it: enough to fill it some times over.
constexpr double kMostBlocks = 2048;
constexpr std::size_t kAccesses = 40'000;
// One access for so many that are drawn, at most: 20 million draws take about a second.
constexpr double kMostThinning = 500;

class LruCache {
 public:
  explicit LruCache(std::size_t blocks) : blocks_(blocks) {}
  [[nodiscard]] std::size_t blocks() const { return blocks_; }
  [[nodiscard]] bool full() const { return order_.size() == blocks_; }
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

// One block of so many, of every stretch of them nearly the same share (Fibonacci hashing): by a
// hash without that a few thousand blocks are some percent more or fewer than they stand for.
bool is_in_sample(std::uint64_t block, std::uint64_t thinning) {
  return block * 0x9e3779b97f4a7c15 <= std::numeric_limits<std::uint64_t>::max() / thinning;
}

// With blocks from all over the data, where the accesses are too few to fill it: those that are
// read at all seldom take the place of others then, as in a cache that has long been warm.
void fill(LruCache& cache, std::uint64_t blocks, std::uint64_t thinning) {
  constexpr double kGoldenSection = 0.6180339887498949;
  auto stride = static_cast<std::uint64_t>(kGoldenSection * static_cast<double>(blocks));
  while (std::gcd(stride, blocks) != 1) ++stride;  // so that none is met twice
  std::uint64_t block = 0;
  for (std::uint64_t i = 0; i < blocks && !cache.full(); ++i) {
    if (is_in_sample(block, thinning)) cache.access(block);
    block = (block + stride) % blocks;
  }
}

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
  const auto records = static_cast<std::uint64_t>(std::max<std::int64_t>(1, workload.records));
  const double blocks = std::ceil(static_cast<double>(records) / in_block);
  if (cached >= blocks) return 0;
  const auto thinning =
      static_cast<std::uint64_t>(std::min(kMostThinning, std::ceil(cached / kMostBlocks)));
  LruCache cache(static_cast<std::size_t>(std::max(1.0, cached / static_cast<double>(thinning))));
  if (static_cast<double>(cache.blocks()) > kMostBlocks) {
    fill(cache, static_cast<std::uint64_t>(blocks), thinning);
  }
  const KeyChooser keys(phase.keys, records);
  Random random(static_cast<std::uint64_t>(workload.seed));
  const Inserted inserted{records, 0, 1, 0};
  const std::size_t draws = kAccesses * thinning, warming = draws / 2;
  std::size_t missed = 0;
  for (std::size_t draw = 0; draw < draws; ++draw) {
    const auto block =
        static_cast<std::uint64_t>(static_cast<double>(keys.next(random, 0, inserted)) / in_block);
    if (!is_in_sample(block, thinning)) continue;
    missed += !cache.access(block) && draw >= warming ? 1 : 0;
  }
  // Beside what the sample stands for rather than its own accesses: whether it has the few blocks
  // that are read most is luck, and those never miss (SHARDS-adj).
  return std::min(1.0,
                  static_cast<double>(missed * thinning) / static_cast<double>(draws - warming));
}

}  // namespace rocktune::scenario
