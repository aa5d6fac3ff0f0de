// Amounts with their unit in the type: Bytes and BytesPerSecond. Durations are std::chrono's.
// Wide records that are stored as they are (Sample, Features) keep plain numbers instead and name
// the unit in the field (`_bytes`, `_per_second`, `_seconds`, `_ratio`).
#pragma once

#include <compare>
#include <cstdint>

namespace rocktune {

struct Bytes {
  std::int64_t value = 0;
  auto operator<=>(const Bytes&) const = default;
};

struct BytesPerSecond {
  double value = 0;
  auto operator<=>(const BytesPerSecond&) const = default;
};

constexpr Bytes operator""_KiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n) << 10};
}
constexpr Bytes operator""_MiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n) << 20};
}
constexpr Bytes operator""_GiB(unsigned long long n) {
  return {static_cast<std::int64_t>(n) << 30};
}

}  // namespace rocktune
