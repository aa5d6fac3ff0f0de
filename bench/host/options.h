// Turns a HostConfiguration into RocksDB's options.
#pragma once

#include <rocksdb/options.h>

#include "model/result.h"
#include "scenario/configuration.h"

namespace rocktune::bench {

// The database's, with the options of the families that have none of their own.
Result<rocksdb::Options> make_options(const scenario::HostConfiguration& configuration);

// Those of one column family, from the database's.
Result<rocksdb::ColumnFamilyOptions> make_family_options(
    const scenario::HostConfiguration& configuration, const std::string& family,
    const rocksdb::Options& database);

}  // namespace rocktune::bench
