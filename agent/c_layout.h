// What RocksDB's opaque C types hold: rocksdb_t a DB*, rocksdb_options_t an Options, and so on
// (db/c.cc; looked up in 7.8, 8.10 and 11.8.1).
//
// Their definitions are not in any header, so that nothing at compile time could notice a change.
// Hence a proof at run time: stand-ins of the shape that is believed, with objects of ours in every
// word, are handed to RocksDB's own C functions, which say by what they call where they look.
// Thread-safety: all functions.
#pragma once

#include <rocksdb/db.h>
#include <rocksdb/options.h>

#include <string>

#include "agent/include/rocktune/c.h"

namespace rocktune::agent {

// Empty if the C types hold what is believed, or one sentence. Looked at once.
const std::string& c_layout_problem();

// Empty, or why the database is not of the RocksDB that this agent is linked with: a program may
// have a second copy, with other globals and perhaps of another version.
std::string foreign_problem(const rocksdb::DB* db);
std::string foreign_problem(const rocksdb::Options& options);

// Only after c_layout_problem() was found empty. Never null for an object that RocksDB made.
rocksdb::Options* inside(rocksdb_options_t* options);
rocksdb::DB* inside(rocksdb_t* db);
rocksdb::DB* inside(rocksdb_transactiondb_t* db);
rocksdb::DB* inside(rocksdb_optimistictransactiondb_t* db);
rocksdb::ColumnFamilyHandle* inside(rocksdb_column_family_handle_t* handle);

}  // namespace rocktune::agent
