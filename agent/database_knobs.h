// The knobs of the whole database: what SetDBOptions changes.
#pragma once

#include <rocksdb/db.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "agent/knob.h"
#include "agent/option_knob.h"
#include "agent/write_stop.h"

namespace rocktune::agent {

class DatabaseGroup final : public KnobGroup {
 public:
  // A database that is not `writable` takes no new options (one opened read-only would take them,
  // and write an OPTIONS file into the directory that it shall not touch).
  DatabaseGroup(rocksdb::DB* db, bool writable, Clock clock);

  void refresh() override { options_.drop(); }
  [[nodiscard]] std::string excess(const Assignments& changes) const override;
  [[nodiscard]] std::string why_not_now(const Assignments& changes) const override;
  std::string write(const Assignments& changes) override;
  [[nodiscard]] bool moved_along(const Knob& knob, std::int64_t before,
                                 std::int64_t after) const override;

 private:
  // Of RocksDB's, at most, by these changes.
  [[nodiscard]] std::int64_t more_threads(const Assignments& changes) const;

  rocksdb::DB* const db_;
  const Clock clock_;
  mutable std::optional<std::chrono::steady_clock::time_point> short_of_threads_;
  OptionsCache<rocksdb::DBOptions> options_;
};

}  // namespace rocktune::agent
