// Makes the knob groups of one open database, as column families come and go: one for the limiter,
// one for the database's options, one for each distinct block cache, and one for the options of
// each column family.
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/db.h>

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "agent/block_cache.h"
#include "agent/families.h"
#include "agent/knob.h"
#include "agent/object_knobs.h"

namespace rocktune::agent {

class KnobGroups {
 public:
  using Group = std::shared_ptr<KnobGroup>;

  // A database that is not `writable` takes no new options.
  KnobGroups(rocksdb::DB* db, std::shared_ptr<const Families> families, bool writable, Clock clock);

  // Those of the database, and of the column families that are known now. Call it once, first.
  std::vector<Group> initial();
  // Those that a column family brings.
  std::vector<Group> add(const Families::Pointer& family);
  // Those that go with it: to be ended by whoever takes them.
  std::vector<Group> remove(const Families::Pointer& family);
  // Caches of column families that are still there, whose groups went with another one.
  std::vector<Group> orphans();

 private:
  Group cache_of(const Families::Pointer& family);  // null: another group has it

  rocksdb::DB* const db_;
  const std::shared_ptr<const Families> families_;
  const bool writable_;
  const Clock clock_;
  std::mutex mutex_;
  std::map<Families::Pointer, std::vector<Group>> groups_;
  std::map<Families::Pointer, std::shared_ptr<CacheGroup>> caches_;
};

// The block cache of a column family's tables; null if it has none.
std::shared_ptr<rocksdb::Cache> block_cache_of(const rocksdb::ColumnFamilyOptions& options);

}  // namespace rocktune::agent
