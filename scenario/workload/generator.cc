#include "scenario/workload/generator.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "model/split_mix.h"

namespace rocktune::scenario {
namespace {

// ScrambledZipfianGenerator.java: ITEM_COUNT and ZETAN for theta 0.99.
constexpr std::uint64_t kYcsbItems = 10'000'000'000ULL;
constexpr double kYcsbZeta = 26.46902820178302;

// The first terms of a zeta are added up; the error that this leaves to the formula for the others
// is theta/12 * kSummedTerms^(-theta-1).
constexpr std::uint64_t kSummedTerms = 100'000;

}  // namespace

Random::Random(std::uint64_t seed) {
  for (auto& word : state_) word = split_mix_next(seed);
}

std::uint64_t Random::next() {
  const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
  const std::uint64_t shifted = state_[1] << 17;
  state_[2] ^= state_[0];
  state_[3] ^= state_[1];
  state_[1] ^= state_[2];
  state_[0] ^= state_[3];
  state_[2] ^= shifted;
  state_[3] = std::rotl(state_[3], 45);
  return result;
}

double Random::uniform() {
  return static_cast<double>(next() >> 11) * 0x1.0p-53;
}

std::uint64_t Random::below(std::uint64_t limit) {
  return next() % limit;
}

std::uint64_t fnv_hash(std::uint64_t value) {
  std::uint64_t hash = 0xcbf29ce484222325ULL;
  for (int i = 0; i < 8; ++i) {
    hash ^= value & 0xff;
    hash *= 1099511628211ULL;
    value >>= 8;
  }
  // Java's Math.abs of the same bits read as a signed number.
  return hash >> 63 != 0 ? ~hash + 1 : hash;
}

double Zipfian::zeta(std::uint64_t items, double theta) {
  const std::uint64_t summed = std::min(items, kSummedTerms);
  double sum = 0;
  for (std::uint64_t i = 1; i <= summed; ++i) sum += std::pow(static_cast<double>(i), -theta);
  if (items == summed) return sum;
  const auto from = static_cast<double>(summed);
  const auto to = static_cast<double>(items);
  const double integral = (std::pow(to, 1 - theta) - std::pow(from, 1 - theta)) / (1 - theta);
  return sum + integral + (std::pow(to, -theta) - std::pow(from, -theta)) / 2;
}

Zipfian::Zipfian(std::uint64_t items, double theta) : Zipfian(items, theta, zeta(items, theta)) {}

Zipfian::Zipfian(std::uint64_t items, double theta, double known_zeta)
    : items_(items), theta_(theta), zeta_(known_zeta), alpha_(1 / (1 - theta)) {
  const double zeta_2 = 1 + std::pow(0.5, theta);
  eta_ = (1 - std::pow(2.0 / static_cast<double>(items), 1 - theta)) / (1 - zeta_2 / zeta_);
}

std::uint64_t Zipfian::next(Random& random) const {
  const double u = random.uniform();
  const double uz = u * zeta_;
  if (uz < 1) return 0;
  if (uz < 1 + std::pow(0.5, theta_)) return 1;
  const auto rank = static_cast<std::uint64_t>(static_cast<double>(items_) *
                                               std::pow(eta_ * u - eta_ + 1, alpha_));
  return rank < items_ ? rank : items_ - 1;
}

ScrambledZipfian::ScrambledZipfian(std::uint64_t records, double theta)
    : records_(records),
      ranks_(theta == Zipfian::kYcsbConstant ? Zipfian(kYcsbItems, theta, kYcsbZeta)
                                             : Zipfian(records, theta)) {}

std::uint64_t ScrambledZipfian::next(Random& random) const {
  return fnv_hash(ranks_.next(random)) % records_;
}

}  // namespace rocktune::scenario
