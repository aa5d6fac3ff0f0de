// The column families of one database that can be read and changed: the one owner of what the agent
// knows of their handles.
//
// The agent owns no handle. It uses the database's own default handle, and those it was told of
// until forget(), which waits for whoever uses that handle or has borrowed a copy of its options. A
// Family outlives its handle; its use() then has none.
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/db.h>

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/clock.h"
#include "agent/gate.h"
#include "agent/options_cache.h"

namespace rocktune::agent {

class Family {
 public:
  // While it lives, so does the handle. Several may use it at once. It never waits: once the handle
  // is being forgotten, there is none.
  class Use {
   public:
    explicit Use(Family& family) : pass_(family.gate_), handle_(pass_ ? family.handle_ : nullptr) {}
    [[nodiscard]] rocksdb::ColumnFamilyHandle* handle() const { return handle_; }
    explicit operator bool() const { return handle_ != nullptr; }

   private:
    const Gate::Pass pass_;
    rocksdb::ColumnFamilyHandle* const handle_;
  };
  using Options = OptionsCache<rocksdb::ColumnFamilyOptions>;

  Family(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle, Clock clock);

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint32_t id() const { return id_; }
  [[nodiscard]] Use use() { return Use(*this); }
  // Its options; get() has none once the handle is being forgotten.
  [[nodiscard]] Options& options() { return options_; }

 private:
  friend class Families;
  [[nodiscard]] bool is(const rocksdb::ColumnFamilyHandle* handle) const {
    return handle_ == handle;
  }
  void end();  // waits for its users, and for those of its options

  const std::string name_;
  const std::uint32_t id_;
  rocksdb::ColumnFamilyHandle* const handle_;  // used by whoever has passed the gate
  Gate gate_;
  Options options_;
};

class Families {
 public:
  // Each costs a sample some 50 us, most of it under the DB mutex: bounds it to a few milliseconds.
  static constexpr std::size_t kMost = 64;
  using Pointer = std::shared_ptr<Family>;

  Families(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles, Clock clock);

  // Null: its column family is known already, or there are too many.
  Pointer add(rocksdb::ColumnFamilyHandle* handle);
  // The one that is used through this handle of the host's; null if there is none.
  [[nodiscard]] Pointer find(const rocksdb::ColumnFamilyHandle* handle) const;
  // The handle is about to be destroyed. Waits while it or its options are being used; afterwards
  // no copy of them is left.
  void forget(const rocksdb::ColumnFamilyHandle* handle);

  // The database is about to close: as if all were forgotten, the default one too.
  void end();

  // The default column family first.
  [[nodiscard]] std::vector<Pointer> all() const;

 private:
  [[nodiscard]] std::vector<Pointer>::const_iterator position_of(
      const rocksdb::ColumnFamilyHandle* handle) const;

  rocksdb::DB* const db_;
  const Clock clock_;
  mutable std::mutex mutex_;
  std::vector<Pointer> families_;
};

}  // namespace rocktune::agent
