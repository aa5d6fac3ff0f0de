// One copy of a set of RocksDB's options for everybody who asks: a sample's options and all knobs
// of the set are read from it. A copy is taken under the DB mutex, so it is kept for a second.
//
// Readings that are judged against writes (KnobState): whoever writes calls drop() after RocksDB
// has taken the values and before the write is declared ended. A copy that get() hands out after
// that was taken after it.
//
// Thread-safety: all functions.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "agent/clock.h"

namespace rocktune::agent {

// kCached may be up to a second old.
enum class Freshness { kCached, kFresh };

template <class Options>
class OptionsCache {
 public:
  using Copy = std::shared_ptr<const Options>;
  static constexpr std::chrono::seconds kAge{1};

  // `read` may answer null: what it reads is gone.
  OptionsCache(std::function<Copy()> read, Clock clock)
      : read_(std::move(read)), clock_(std::move(clock)) {}

  Copy get(Freshness freshness) {
    const std::lock_guard lock(mutex_);
    const auto now = clock_();
    if (freshness == Freshness::kFresh || !copy_ || now - at_ >= kAge) {
      copy_ = read_();
      at_ = now;
    }
    return copy_;
  }

  void drop() {
    const std::lock_guard lock(mutex_);
    copy_ = nullptr;
  }

 private:
  const std::function<Copy()> read_;
  const Clock clock_;
  std::mutex mutex_;
  Copy copy_;
  std::chrono::steady_clock::time_point at_{};
};

}  // namespace rocktune::agent
