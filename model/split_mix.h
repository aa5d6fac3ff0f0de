// SplitMix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014): the same
// numbers with every library and compiler, which <random>'s distributions are not. Pure.
#pragma once

#include <cstdint>

namespace rocktune {

constexpr std::uint64_t split_mix_finish(std::uint64_t z) {
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
  z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
  return z ^ (z >> 31);
}

// The next number of the sequence that `state` is at.
constexpr std::uint64_t split_mix_next(std::uint64_t& state) {
  return split_mix_finish(state += 0x9e3779b97f4a7c15);
}

}  // namespace rocktune
