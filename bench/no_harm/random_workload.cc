#include "bench/no_harm/random_workload.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <vector>

#include "scenario/workload/operation.h"

namespace rocktune::bench {
namespace {

// What a load writes: some tens of write buffers, in a second or two.
constexpr double kLeastData = 16.0 * (1 << 20), kMostData = 64.0 * (1 << 20);
constexpr std::int64_t kMostRecords = 150'000;
// A backlog is made of files of three quarters of a write buffer: values must be small beside it.
constexpr std::int64_t kBuffersPerValue = 256;

struct ValueSizes {
  std::string yaml;
  double mean = 0;
  std::int64_t largest = 0;
};

ValueSizes fixed_size(std::int64_t size) {
  return {std::to_string(size), static_cast<double>(size), size};
}

ValueSizes random_sizes(Dice& dice) {
  const double kind = dice.between(0, 1);
  if (kind < 0.55)
    return fixed_size(dice.one_of<std::int64_t>({100, 400, 1000, 1000, 4096, 16384}));
  if (kind < 0.75) {
    const std::int64_t least = dice.whole(50, 500);
    const std::int64_t most = least * dice.whole(2, 16);
    return {
        "{kind: uniform, min: " + std::to_string(least) + ", max: " + std::to_string(most) + "}",
        static_cast<double>(least + most) / 2, most};
  }
  if (kind < 0.9) {
    const std::int64_t small = dice.whole(50, 500), large = dice.whole(2000, 20000);
    return {"{kind: list, values: [{size: " + std::to_string(small) +
                ", weight: 9}, {size: " + std::to_string(large) + ", weight: 1}]}",
            0.9 * static_cast<double>(small) + 0.1 * static_cast<double>(large), large};
  }
  return {"{kind: pareto, k: 0.26, sigma: 250, theta: 100, min: 50, max: 64KiB}", 440, 64 << 10};
}

// Shares that add up to 1, in hundredths, of some of the operations.
std::string proportions(Dice& dice, const std::vector<scenario::Operation>& operations) {
  std::vector<std::int64_t> weights(operations.size());
  for (std::int64_t& weight : weights) weight = dice.whole(1, 100);
  const std::int64_t sum = std::accumulate(weights.begin(), weights.end(), std::int64_t{0});
  std::int64_t left = 100;
  std::string out;
  for (std::size_t i = 0; i < operations.size(); ++i) {
    const bool last = i + 1 == operations.size();
    const std::int64_t share = last ? left : 100 * weights[i] / sum;
    left -= share;
    if (share == 0) continue;
    out += (out.empty() ? "" : ", ") + std::string(scenario::name_of(operations[i])) + ": " +
           plain_number(static_cast<double>(share) / 100, 2);
  }
  return "proportions: {" + out + "}";
}

std::string random_mix(Dice& dice) {
  using enum scenario::Operation;
  const double kind = dice.between(0, 1);
  if (kind < 0.4) {
    return std::string("workload: ") + dice.one_of<const char*>({"A", "B", "C", "D", "E", "F"});
  }
  if (kind < 0.6) return proportions(dice, {kUpdate, kInsert, kRead});
  if (kind < 0.7) return proportions(dice, {kDelete, kInsert, kRead});
  if (kind < 0.8) return proportions(dice, {kScan, kUpdate});
  return proportions(dice,
                     {kRead, kUpdate, kReadModifyWrite, kInsert, kScan, kDelete, kReadMissing});
}

std::string random_rate(Dice& dice, double seconds) {
  const double kind = dice.between(0, 1);
  if (kind < 0.4) return "";  // as fast as it goes
  const double rate = dice.across(200, 15000);
  if (kind < 0.8) return ", ops_per_second: " + plain_number(rate, 0);
  if (kind < 0.9) {
    return ", ops_per_second: {from: " + plain_number(rate, 0) +
           ", to: " + plain_number(dice.across(200, 15000), 0) + "}";
  }
  const double turns = dice.between(0.5, 3) * 6.283 / seconds;  // so many in the phase
  return ", ops_per_second: {sine: {a: " + plain_number(rate * dice.between(0.3, 0.9), 0) +
         ", b: " + plain_number(turns, 3) + ", c: 0, d: " + plain_number(rate, 0) + "}}";
}

std::string random_shift(Dice& dice, double seconds) {
  const double kind = dice.between(0, 1);
  if (kind < 0.5) return "";
  const std::string at = plain_number(seconds * dice.between(0.15, 0.8), 2);
  return (kind < 0.75 ? ", shift_at_seconds: " : ", shift_every_seconds: ") + at;
}

std::string random_keys(Dice& dice, double seconds) {
  const double kind = dice.between(0, 1);
  if (kind < 0.3) return "";  // the mix's own
  if (kind < 0.45) return ", distribution: uniform";
  if (kind < 0.55) return ", distribution: latest";
  if (kind < 0.75) {
    const double theta = dice.between(0.5, 0.99);
    return ", distribution: {kind: zipfian, theta: " + plain_number(theta, 2) +
           random_shift(dice, seconds) + "}";
  }
  const double accesses = dice.between(0.5, 0.99);
  const double keys = dice.across(0.01, 0.5);
  return ", distribution: {kind: hot_set, access_share: " + plain_number(accesses, 2) +
         ", key_share: " + plain_number(keys, 3) + random_shift(dice, seconds) + "}";
}

// Lengths that add up to `seconds`.
std::vector<double> random_lengths(Dice& dice, double seconds) {
  std::vector<double> lengths;
  for (std::int64_t i = dice.whole(1, 4); i > 0; --i) lengths.push_back(dice.between(0.5, 1.5));
  const double sum = std::accumulate(lengths.begin(), lengths.end(), 0.0);
  double left = seconds;
  for (double& length : lengths) {
    length = std::round(100 * seconds * length / sum) / 100;
    left -= length;
  }
  lengths.back() += left;
  return lengths;
}

// What a phase keeps of the one before, and what jumps.
struct RandomPhase {
  std::string mix, rate, keys, values;
};

std::string random_phases(Dice& dice, double seconds) {
  constexpr double kJumps = 0.7;
  RandomPhase phase;
  std::string out = "phases:\n";
  std::size_t number = 0;
  for (const double length : random_lengths(dice, seconds)) {
    const bool first = number++ == 0;
    if (first || dice.chance(kJumps)) phase.mix = random_mix(dice);
    if (first || dice.chance(kJumps)) phase.rate = random_rate(dice, length);
    if (first || dice.chance(kJumps)) phase.keys = random_keys(dice, length);
    phase.values = dice.chance(0.1) ? ", value_size: " + random_sizes(dice).yaml : "";
    out += "  - {name: p" + std::to_string(number) + ", seconds: " + plain_number(length, 2) +
           ", " + phase.mix + phase.rate + phase.keys + phase.values + "}\n";
  }
  return out;
}

}  // namespace

std::string random_workload(Dice& dice, double seconds, std::int64_t most_threads,
                            std::int64_t write_buffer_bytes) {
  const ValueSizes values = random_sizes(dice);
  const auto records = static_cast<std::int64_t>(dice.across(kLeastData, kMostData) / values.mean);
  const std::int64_t threads = dice.whole(1, most_threads);
  const std::int64_t seed = dice.whole(1, 1'000'000);
  std::string out = "records: " + std::to_string(std::min(kMostRecords, records)) +
                    "\nvalue_size: " + values.yaml + "\nthreads: " + std::to_string(threads) +
                    "\nseed: " + std::to_string(seed) + "\n";
  const double wal = dice.between(0, 1);
  if (wal < 0.2) out += wal < 0.1 ? "wal: off\n" : "wal: sync\n";
  if (dice.chance(0.3)) out += "load_order: spread\n";
  const bool families = dice.chance(0.12);
  if (families) {
    out += "families: [{name: hot, share: 0.2}, {name: cold, share: 0.8}]\n";
  }
  if (!families && values.largest <= write_buffer_bytes / kBuffersPerValue && dice.chance(0.3)) {
    out += "backlog: {level0_files: " + std::to_string(dice.whole(2, 24)) + "}\n";
  }
  out += random_phases(dice, seconds);
  return out;
}

}  // namespace rocktune::bench
