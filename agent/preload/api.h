// What librocktune_preload.so asks of librocktune_agent.so.
//
// The preload library goes into every process that inherits LD_PRELOAD, most of which have never
// heard of RocksDB. So it only interposes, and loads the agent, which does the rest, when a
// database is opened. Both are built together: the name below changes with this structure.
#pragma once

#include <cstddef>

#include "agent/preload/rocksdb_types.h"

namespace rocktune::preload {

inline constexpr char kApiSymbol[] = "rocktune_preload_api_v2";

// The interposed functions by which the close of a database of one class is seen, to be looked for
// in the object's vtable.
struct Interposed {
  const void* db_close = nullptr;
  const void* db_delete = nullptr;   // deleting destructor, D0
  const void* db_destroy = nullptr;  // complete destructor, D1
  const void* handle_delete = nullptr;
  const void* handle_destroy = nullptr;
};

// None of the functions throws.
struct Api {
  // A function of RocksDB as the agent is bound to it: tells which copy of the library it uses.
  const void* rocksdb_anchor = nullptr;
  // A completed copy of the options, or nullptr to use them as they are.
  rocksdb::DBOptions* (*prepare)(const rocksdb::DBOptions& options, bool only_read) = nullptr;
  void (*discard)(rocksdb::DBOptions* prepared) = nullptr;
  // The same for an open that takes all options at once, which only a reading one does.
  rocksdb::Options* (*prepare_all)(const rocksdb::Options& options) = nullptr;
  void (*discard_all)(rocksdb::Options* prepared) = nullptr;
  // Attaches, if it is proved that the close will be seen. Otherwise the result says why not: a
  // text that lives as long as the process.
  const char* (*opened)(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>* handles,
                        const Interposed& interposed) = nullptr;
  // Column families were created in an open database, attached or not. None of them may be null.
  void (*created)(const void* db, rocksdb::ColumnFamilyHandle* const* handles, std::size_t count,
                  const Interposed& interposed) = nullptr;
  // Return when the agent has let go of the object. For any object, attached or not.
  void (*closing)(const void* db) = nullptr;
  void (*handle_closing)(const void* handle) = nullptr;
};

using GetApi = const Api* (*)();

}  // namespace rocktune::preload
