// Complaints: which errors of one agent are told. The same one once, until it answers again; of
// each kind, an error's code, one in a minute: what an agent sends is its own, and may be another
// thing each time. Not thread-safe.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "daemon/limited.h"
#include "model/result.h"

namespace rocktune::daemon {

class Complaints {
 public:
  static constexpr Nanoseconds kEvery = std::chrono::seconds(60);

  // How many of its kind were held back since the last one, if this one may be told.
  std::optional<std::uint64_t> pass(const Error& error, Nanoseconds now) {
    if (error.message == told_) return std::nullopt;
    return kinds_.try_emplace(error.code, kEvery).first->second.pass(now);
  }
  void told(const Error& error) { told_ = error.message; }
  // What pass() let through was not told, as somebody else counts: its kind's turn is not spent,
  // and those `held_back` before it are told with the next one.
  void not_told(const Error& error, std::uint64_t held_back) {
    if (const auto kind = kinds_.find(error.code); kind != kinds_.end()) {
      kind->second.give_back(held_back);
    }
  }
  void answers() { told_.clear(); }

 private:
  std::string told_;
  std::map<ErrorCode, Limited> kinds_;
};

}  // namespace rocktune::daemon
