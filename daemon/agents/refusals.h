// Refusals: which databases of one agent are not sampled, and until when nobody looks whether that
// is still so. A look asks the file system that the database lies on, and a network file system
// that hangs keeps the main loop waiting. Pure; not thread-safe.
#pragma once

#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "model/clock.h"
#include "wire/messages.h"

namespace rocktune::daemon {

class Refusals {
 public:
  static constexpr Nanoseconds kLookAgain = std::chrono::seconds(10);
  static constexpr std::size_t kMost = 1024;  // bounded memory

  // The database `id` was refused less than kLookAgain ago, and it was not for the incarnation that
  // had its target then (empty: none had), or that still has it.
  [[nodiscard]] bool stands(const std::string& id, const std::string& holder,
                            Nanoseconds now) const;
  // Whether it was said before that the database is refused for this reason.
  bool add(const std::string& id, const std::string& reason, const std::string& holder,
           Nanoseconds now);
  void said(const std::string& id) { refused_.at(id).said = true; }
  void remove(const std::string& id) { refused_.erase(id); }
  // Forgets those that are no longer listed.
  void keep(const std::vector<wire::Database>& listed);
  // No room for one more, if the database is not among them.
  [[nodiscard]] bool full(const std::string& id) const {
    return refused_.size() >= kMost && !refused_.contains(id);
  }

 private:
  struct Refusal {
    std::string reason, holder;
    Nanoseconds until{0};
    bool said = false;
  };
  std::map<std::string, Refusal> refused_;  // by database id
};

}  // namespace rocktune::daemon
