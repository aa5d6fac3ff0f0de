// Unmatched: entries of `targets` under which no database was opened. Where one runs under the
// defaults meanwhile such an entry may be misspelt, and nothing else would tell: it is said once of
// each opening, and of all that are open after a reload by other entries. Not at once: at a start,
// or a boot, the database that the entry means may come a moment later. Not thread-safe.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "daemon/config/config.h"
#include "daemon/status.h"
#include "daemon/target.h"

namespace rocktune::daemon {

// Those that hold for none of the databases, open or not.
std::vector<UnmatchedEntry> unmatched_entries(const Config& config, const Targets& targets);

class Unmatched {
 public:
  // The database was opened, or goes on under other entries.
  void look_at(const std::string& key, Nanoseconds now) { since_[key] = now; }
  // What there is to say of those of which it is time.
  std::optional<std::string> to_say(const Config& config, const Targets& targets, Nanoseconds now);

 private:
  std::map<std::string, Nanoseconds> since_;
};

}  // namespace rocktune::daemon
