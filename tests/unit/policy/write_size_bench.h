// What the tests of writable_file_max_buffer_size begin with.
#pragma once

#include "tests/support/catch.h"
#include "tests/unit/policy/headroom_bench.h"

namespace rocktune::test {

inline constexpr std::int64_t kFoundPieces = 1 << 20, kSmallerPieces = 128 << 10;

// Compactions write a MiB at a time to a device that takes 8 ms for it, and reads feel it.
inline HeadroomBench behind_writes() {
  HeadroomBench bench;
  bench.f.knobs.edit().push_back(
      knob_reading(knob::kWriteSize, kFoundPieces, kFoundPieces, 64 << 10, 64 << 20));
  bench.f.running_compactions = 1;
  bench.f.device_write_await_ms = 8;
  bench.f.device_read_await_ms = 1.5;
  bench.f.device_queue = 8;
  bench.f.read_p99_us = 20'000;
  bench.f.reads_per_second = 2000;
  bench.f.writes_per_second = 2000;
  bench.objective.read_p99_seconds = 0.030;
  return bench;
}

inline HeadroomBench with_small_pieces() {
  HeadroomBench bench = behind_writes();
  const auto proposal = bench.run(8, knob::kWriteSize);
  REQUIRE(proposal);
  bench.apply(*proposal);
  return bench;
}

// Only written, beside a database on the same device whose engine made its own writes small.
inline HeadroomBench beside_a_reader() {
  HeadroomBench bench = behind_writes();
  bench.f.read_p99_us.reset();
  bench.f.reads_per_second = 0;
  bench.f.shared = SharedBudget{};
  bench.f.shared->device_members = 2;
  bench.f.shared->write_size_max_bytes = kSmallerPieces;
  return bench;
}

// ...and writes in pieces as small as the reader's.
inline HeadroomBench following() {
  HeadroomBench bench = beside_a_reader();
  const auto proposal = bench.run(1, knob::kWriteSize);
  REQUIRE(proposal);
  bench.apply(*proposal);
  return bench;
}

}  // namespace rocktune::test
