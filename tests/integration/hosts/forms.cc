#include "tests/integration/hosts/forms.h"

#include <rocksdb/options.h>
#include <rocksdb/utilities/db_ttl.h>
#include <rocksdb/utilities/optimistic_transaction_db.h>
#include <rocksdb/utilities/stackable_db.h>
#include <rocksdb/utilities/transaction_db.h>
#include <rocksdb/version.h>

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>

namespace rocktune::testing {
namespace {

using rocksdb::DB;
using rocksdb::Options;
using Descriptors = std::vector<rocksdb::ColumnFamilyDescriptor>;

constexpr char kSecond[] = "second";

// Up to 10.x a plain pointer is handed out, from 11 on an owning one.
#if ROCKSDB_MAJOR >= 11
using Out = std::unique_ptr<DB>;
std::unique_ptr<DB> taken(Out& db) {
  return std::move(db);
}
#else
using Out = DB*;
std::unique_ptr<DB> taken(Out db) {
  return std::unique_ptr<DB>(db);
}
#endif

Options options_of(bool create) {
  Options options;
  options.create_if_missing = create;
  options.create_missing_column_families = create;
  options.max_open_files = -1;
  before_open(options);
  return options;
}

Descriptors both() {
  return {{rocksdb::kDefaultColumnFamilyName, {}}, {kSecond, {}}};
}

Opened plain(const std::string& path) {
  Out db{};
  must(DB::Open(options_of(true), path, &db), "DB::Open");
  return {taken(db), {}};
}

Opened families(const std::string& path) {
  Out db{};
  Opened opened;
  must(DB::Open(options_of(true), path, both(), &opened.handles, &db), "DB::Open");
  opened.db = taken(db);
  return opened;
}

Opened transaction(const std::string& path) {
  rocksdb::TransactionDB* db = nullptr;
  must(rocksdb::TransactionDB::Open(options_of(true), {}, path, &db), "TransactionDB::Open");
  return {std::unique_ptr<DB>(db), {}};
}

Opened transaction_families(const std::string& path) {
  rocksdb::TransactionDB* db = nullptr;
  Opened opened;
  must(rocksdb::TransactionDB::Open(options_of(true), {}, path, both(), &opened.handles, &db),
       "TransactionDB::Open");
  opened.db.reset(db);
  return opened;
}

// Its writes take other ways through DBImpl, which is opened with other flags.
Opened write_prepared(const std::string& path) {
  rocksdb::TransactionDB* db = nullptr;
  rocksdb::TransactionDBOptions how;
  how.write_policy = rocksdb::WRITE_PREPARED;
  must(rocksdb::TransactionDB::Open(options_of(true), how, path, &db), "TransactionDB::Open");
  return {std::unique_ptr<DB>(db), {}};
}

Opened optimistic(const std::string& path) {
  rocksdb::OptimisticTransactionDB* db = nullptr;
  must(rocksdb::OptimisticTransactionDB::Open(options_of(true), path, &db),
       "OptimisticTransactionDB::Open");
  return {std::unique_ptr<DB>(db), {}};
}

Opened ttl(const std::string& path) {
  rocksdb::DBWithTTL* db = nullptr;
  must(rocksdb::DBWithTTL::Open(options_of(true), path, &db, 3600), "DBWithTTL::Open");
  return {std::unique_ptr<DB>(db), {}};
}

Opened stackable(const std::string& path) {
  auto opened = plain(path);
  opened.db = std::make_unique<rocksdb::StackableDB>(opened.db.release());
  return opened;
}

Opened read_only(const std::string& path) {
  Out db{};
  must(DB::OpenForReadOnly(options_of(false), path, &db), "DB::OpenForReadOnly");
  return {taken(db), {}};
}

Opened read_only_families(const std::string& path) {
  Out db{};
  Opened opened;
  must(DB::OpenForReadOnly(options_of(false), path, {{rocksdb::kDefaultColumnFamilyName, {}}},
                           &opened.handles, &db),
       "DB::OpenForReadOnly");
  opened.db = taken(db);
  return opened;
}

Opened secondary(const std::string& path) {
  Out db{};
  must(DB::OpenAsSecondary(options_of(false), path, path + ".secondary", &db),
       "DB::OpenAsSecondary");
  return {taken(db), {}};
}

Opened secondary_families(const std::string& path) {
  Out db{};
  Opened opened;
  must(DB::OpenAsSecondary(options_of(false), path, path + ".secondary",
                           {{rocksdb::kDefaultColumnFamilyName, {}}}, &opened.handles, &db),
       "DB::OpenAsSecondary");
  opened.db = taken(db);
  return opened;
}

#if ROCKSDB_MAJOR >= 11
Opened follower(const std::string& path) {
  Out db{};
  must(DB::OpenAsFollower(options_of(true), path + ".follower", path, &db), "DB::OpenAsFollower");
  return {taken(db), {}};
}
#endif

const std::map<std::string, std::function<Opened(const std::string&)>>& forms() {
  static const auto* const all =
      new std::map<std::string, std::function<Opened(const std::string&)>>{
          {"plain", plain},
          {"families", families},
          {"transaction", transaction},
          {"transaction_families", transaction_families},
          {"write_prepared", write_prepared},
          {"optimistic", optimistic},
          {"ttl", ttl},
          {"stackable", stackable},
          {"read_only", read_only},
          {"read_only_families", read_only_families},
          {"compacted", read_only},
          {"secondary", secondary},
          {"secondary_families", secondary_families},
#if ROCKSDB_MAJOR >= 11
          {"follower", follower},
#endif
      };
  return *all;
}

}  // namespace

void must(const rocksdb::Status& status, const char* what) {
  if (status.ok()) return;
  std::fprintf(stderr, "%s: %s\n", what, status.ToString().c_str());
  std::exit(1);
}

Opened open_form(const std::string& form, const std::string& path) {
  const auto it = forms().find(form);
  if (it == forms().end()) {
    std::fprintf(stderr, "no form '%s' with this RocksDB\n", form.c_str());
    std::exit(3);
  }
  return it->second(path);
}

void make_database(const std::string& path, bool compacted) {
  Options options;
  options.create_if_missing = true;
  options.disable_auto_compactions = true;
  Out db{};
  must(DB::Open(options, path, &db), "making the database");
  const auto owned = taken(db);
  for (int file = 0; file < 3; ++file) {
    for (int key = 0; key < 100; ++key) {
      must(owned->Put({}, "key" + std::to_string(key), std::to_string(file)), "Put");
    }
    must(owned->Flush({}), "Flush");
  }
  if (compacted) must(owned->CompactRange({}, nullptr, nullptr), "CompactRange");
}

}  // namespace rocktune::testing
