// OpeningOptions: what a database was opened with. It is asked for once, and again where the agent
// did not answer; the trace keeps what rules of advice read. Not thread-safe.
#pragma once

#include <chrono>
#include <string>
#include <vector>

#include "model/clock.h"
#include "model/open_options.h"
#include "model/result.h"
#include "model/sample.h"
#include "wire/messages.h"

namespace rocktune::daemon {

class OpeningOptions {
 public:
  // In some five minutes: a host that RocksDB keeps waiting for longer has other troubles.
  static constexpr unsigned kMostTries = 6;
  static constexpr Nanoseconds kAskAgain = std::chrono::seconds(10);  // and then twice as long

  void reset() { *this = OpeningOptions(); }
  [[nodiscard]] bool wanted(Nanoseconds now) const {
    return !told_ && tries_ < kMostTries && now >= next_;
  }
  // What is to be said of it: what is left out, or why it is given up; empty: nothing. `families`
  // are those that a sample has: the agent tells the options of those whose handles it knows.
  std::string take(const Result<wire::Options>& answer,
                   const std::vector<ColumnFamilyReading>& families, Nanoseconds now);
  [[nodiscard]] const OpenOptions& kept() const { return kept_; }

 private:
  bool told_ = false;
  unsigned tries_ = 0;
  Nanoseconds next_{0};
  OpenOptions kept_;
};

}  // namespace rocktune::daemon
