// Which record does the next operation touch? The generators of YCSB (Cooper et al., SoCC 2010;
// core/src/main/java/site/ycsb/generator), so that "Zipfian" means what it means there.
//
// Randomness is a parameter: any generator of uniform 64-bit numbers, so that a seed fixes a run.
// Constant after construction; one Random per thread.
#pragma once

#include <cstdint>

namespace rocktune::scenario {

// xoshiro256**, by Blackman and Vigna: fast, seedable, good enough to drive a benchmark.
class Random {
 public:
  explicit Random(std::uint64_t seed);
  std::uint64_t next();
  double uniform();                          // in [0, 1)
  std::uint64_t below(std::uint64_t limit);  // in [0, limit), limit > 0

 private:
  std::uint64_t state_[4];
};

// 64-bit FNV-1a over the eight bytes of the number, as YCSB's Utils.fnvhash64 (made non-negative).
std::uint64_t fnv_hash(std::uint64_t value);

// Ranks 0..items-1, P(rank) ~ 1/(rank+1)^theta, by the method of Gray et al., "Quickly generating
// billion-record synthetic databases" (SIGMOD 1994): exact for the first two ranks, a close
// approximation for the others.
class Zipfian {
 public:
  static constexpr double kYcsbConstant = 0.99;

  Zipfian(std::uint64_t items, double theta = kYcsbConstant);
  Zipfian(std::uint64_t items, double theta, double zeta);  // zeta(items, theta) known
  [[nodiscard]] std::uint64_t next(Random& random) const;
  // Sum of 1/i^theta for i = 1..items; beyond a hundred thousand terms by the Euler-Maclaurin
  // formula, whose error is then below 1e-9.
  static double zeta(std::uint64_t items, double theta);

 private:
  std::uint64_t items_;
  double theta_;
  double zeta_;
  double alpha_;
  double eta_;
};

// Zipfian popularity scattered over the key space (YCSB's ScrambledZipfianGenerator): a rank,
// hashed, modulo the number of records. With YCSB's constant the rank is one of 10 thousand
// million, whose zeta YCSB precomputed; with another it is one of the records.
class ScrambledZipfian {
 public:
  explicit ScrambledZipfian(std::uint64_t records, double theta = Zipfian::kYcsbConstant);
  [[nodiscard]] std::uint64_t next(Random& random) const;

 private:
  std::uint64_t records_;
  Zipfian ranks_;
};

}  // namespace rocktune::scenario
