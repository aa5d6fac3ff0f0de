// The kinds of operation and their latencies.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "bench/measure/histogram.h"

namespace rocktune::bench {

enum class Operation { kRead = 0, kUpdate = 1, kReadModifyWrite = 2 };
inline constexpr std::size_t kOperations = 3;
inline constexpr std::array<std::string_view, kOperations> kOperationNames = {"read", "update",
                                                                              "read_modify_write"};

using LiveLatencies = std::array<LiveHistogram, kOperations>;  // of one thread

struct Latencies {
  std::array<Histogram, kOperations> of;

  void add(const LiveLatencies& live) {
    for (std::size_t i = 0; i < kOperations; ++i) live[i].add_to(of[i]);
  }
  void add(const Latencies& other) {
    for (std::size_t i = 0; i < kOperations; ++i) of[i].add(other.of[i]);
  }
  [[nodiscard]] Latencies since(const Latencies& older) const {
    Latencies out;
    for (std::size_t i = 0; i < kOperations; ++i) out.of[i] = of[i].since(older.of[i]);
    return out;
  }
  [[nodiscard]] std::uint64_t count() const {
    std::uint64_t sum = 0;
    for (const Histogram& histogram : of) sum += histogram.count();
    return sum;
  }
};

}  // namespace rocktune::bench
