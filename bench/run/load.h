// The load phase: writes every record once, in the order that the workload says, by all threads,
// and lets compaction come to rest, so that a run starts from a settled tree, or from just the
// workload's backlog.
//
// What was loaded is kept in the database itself, under a key outside the records' range.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "bench/host/database.h"
#include "model/result.h"
#include "scenario/workload/workload.h"

namespace rocktune::bench {

// What a workload can run on: two that have this in common can take turns on one database.
struct Loaded {
  std::int64_t records = 0;
  std::string value_size;  // Sizes::text()
  std::string families;    // families_text()
  std::string order;       // load_order_name()
  std::string backlog;     // backlog_text()
  bool operator==(const Loaded&) const = default;
};

Loaded load_of(const scenario::Workload& workload);
// "20000 records of 1000 bytes in order key", with the families where there are several.
std::string loaded_text(const Loaded& loaded);

// What the database was loaded with; nothing when it is empty, or holds a part of the records since
// its load was stopped. An Error when any of its column families holds somebody else's keys. Reads
// only.
Result<std::optional<Loaded>> read_loaded(Database& database);

// Called about twice a second with the records written so far; `settling` once they all are.
using LoadProgress = std::function<void(std::int64_t records, bool settling)>;

// Where the workload has a backlog, automatic compactions are on meanwhile and off from then on.
// Without WAL; ends early without an error, and without the mark, when `stop` is set.
Result<void> load_records(Database& database, const scenario::Workload& workload,
                          const std::atomic<bool>& stop, const LoadProgress& progress);

}  // namespace rocktune::bench
