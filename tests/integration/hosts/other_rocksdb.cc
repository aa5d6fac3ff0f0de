// A library that calls itself RocksDB 99.1: its Open has the name that the preload library stands
// before, and does nothing. What it is given must not be looked into.
#include <rocksdb/status.h>

#include <string>
#include <vector>

namespace rocksdb {

class ColumnFamilyHandle;
class DB;
struct ColumnFamilyDescriptor;
struct DBOptions;

class __attribute__((visibility("default"))) DBImpl {
 public:
  static Status Open(const DBOptions& options, const std::string& path,
                     const std::vector<ColumnFamilyDescriptor>& families,
                     std::vector<ColumnFamilyHandle*>* handles, DB** db, bool seq_per_batch,
                     bool batch_per_txn);
};

__attribute__((visibility("default"))) std::string GetRocksVersionAsString(bool with_patch);

#ifdef ROCKTUNE_OTHER_LIBRARY

Status DBImpl::Open(const DBOptions& /*options*/, const std::string& /*path*/,
                    const std::vector<ColumnFamilyDescriptor>& /*families*/,
                    std::vector<ColumnFamilyHandle*>* /*handles*/, DB** db, bool /*seq_per_batch*/,
                    bool /*batch_per_txn*/) {
  *db = nullptr;
  return {};
}

std::string GetRocksVersionAsString(bool /*with_patch*/) {
  return "99.1.0";
}

#endif

}  // namespace rocksdb

#ifndef ROCKTUNE_OTHER_LIBRARY

#include <cstdio>

// The program that uses it: opens, says so, and ends when its standard input does.
int main() {
  const std::vector<char> unreadable(16);
  rocksdb::DB* db = nullptr;
  const auto status = rocksdb::DBImpl::Open(
      *reinterpret_cast<const rocksdb::DBOptions*>(unreadable.data()), "nowhere",
      *reinterpret_cast<const std::vector<rocksdb::ColumnFamilyDescriptor>*>(unreadable.data()),
      nullptr, &db, false, false);
  if (!status.ok()) return 1;
  std::puts("open");
  std::fflush(stdout);
  while (std::getchar() != EOF) {
  }
  return 0;
}

#endif
