// One copy of a set of RocksDB's options for everybody who asks: a sample's options and all knobs
// of the set are read from it. A copy is taken under the DB mutex, so it is kept for a second.
//
// A copy of a column family's options holds objects of the host's (its table factory, and with that
// its block cache). So it is only borrowed: end() waits for those who have it.
//
// Readings that are judged against writes (KnobState): whoever writes calls drop() after RocksDB
// has taken the values and before the write is declared ended. A copy that get() hands out after
// that was taken after it.
//
// Thread-safety: all functions; who has borrowed a copy must not wait for whoever calls end().
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <tuple>
#include <utility>

#include "agent/clock.h"
#include "agent/gate.h"

namespace rocktune::agent {

// kCached may be up to a second old.
enum class Freshness { kCached, kFresh };

template <class Options>
class OptionsCache {
 public:
  using Copy = std::shared_ptr<const Options>;
  static constexpr std::chrono::seconds kAge{1};

  class Borrowed {
   public:
    Borrowed(OptionsCache& cache, Freshness freshness) : pass_(cache.gate_) {
      if (pass_) std::tie(copy_, version_) = cache.copy(freshness);
    }
    // False: what it would be read from is gone.
    explicit operator bool() const { return copy_ != nullptr; }
    const Options& operator*() const { return *copy_; }
    const Options* operator->() const { return copy_.get(); }
    // From 1 up; another copy, another version.
    [[nodiscard]] std::uint64_t version() const { return version_; }

   private:
    const Gate::Pass pass_;  // first: it ends after the copy has gone
    Copy copy_;
    std::uint64_t version_ = 0;
  };

  // `read` may answer null: what it reads is gone.
  OptionsCache(std::function<Copy()> read, Clock clock)
      : read_(std::move(read)), clock_(std::move(clock)) {}

  [[nodiscard]] Borrowed get(Freshness freshness) { return Borrowed(*this, freshness); }

  // The next one to ask gets a new copy.
  void drop() {
    const std::lock_guard lock(mutex_);
    copy_ = nullptr;
  }

  // Nobody has a copy when it returns, and nobody gets one after that.
  void end() {
    gate_.close();
    drop();
  }

 private:
  std::pair<Copy, std::uint64_t> copy(Freshness freshness) {
    const std::lock_guard lock(mutex_);
    const auto now = clock_();
    if (freshness == Freshness::kFresh || !copy_ || now - at_ >= kAge) {
      copy_ = read_();
      at_ = now;
      ++version_;
    }
    return {copy_, version_};
  }

  const std::function<Copy()> read_;
  const Clock clock_;
  Gate gate_;
  std::mutex mutex_;
  Copy copy_;
  std::uint64_t version_ = 0;
  std::chrono::steady_clock::time_point at_{};
};

}  // namespace rocktune::agent
