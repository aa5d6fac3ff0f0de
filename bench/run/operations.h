// The latencies of a phase's operations, by kind and by column family.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "bench/measure/histogram.h"
#include "scenario/workload/operation.h"

namespace rocktune::bench {

using LiveLatencies = std::array<LiveHistogram, scenario::kOperations>;

// What one thread has done so far: written by it alone, read by others at any time.
struct LiveWork {
  explicit LiveWork(std::size_t families) : latencies(families) {}

  void record(std::size_t family, scenario::Operation operation, Nanoseconds latency) {
    latencies[family][static_cast<std::size_t>(operation)].record(latency);
  }
  void count_not_found() {
    not_found.store(not_found.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }

  std::vector<LiveLatencies> latencies;     // by column family
  std::atomic<std::uint64_t> not_found{0};  // reads of a record that was not there
};

struct Latencies {
  std::array<Histogram, scenario::kOperations> of;

  void add(const LiveLatencies& live) {
    for (std::size_t i = 0; i < scenario::kOperations; ++i) live[i].add_to(of[i]);
  }
  void add(const Latencies& other) {
    for (std::size_t i = 0; i < scenario::kOperations; ++i) of[i].add(other.of[i]);
  }
  [[nodiscard]] Latencies since(const Latencies& older) const {
    Latencies out;
    for (std::size_t i = 0; i < scenario::kOperations; ++i) out.of[i] = of[i].since(older.of[i]);
    return out;
  }
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const Histogram& histogram : of) sum += histogram.count();
    return sum;
  }
};

}  // namespace rocktune::bench
