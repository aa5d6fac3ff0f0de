// The types of RocksDB that the preload library passes on without looking into them. It includes
// none of RocksDB's headers that throw in inline functions: it is built without exceptions, so that
// it needs no C++ library.
#pragma once

#include <rocksdb/status.h>

#include <memory>
#include <string>
#include <vector>

namespace rocksdb {
class ColumnFamilyHandle;
class DB;
struct ColumnFamilyDescriptor;
struct ColumnFamilyOptions;
struct DBOptions;
struct Options;
struct ReadOptions;
struct WriteOptions;
}  // namespace rocksdb
