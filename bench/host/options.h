// Turns a HostConfiguration into RocksDB's options.
#pragma once

#include <rocksdb/options.h>

#include "bench/host/configuration.h"
#include "model/result.h"

namespace rocktune::bench {

Result<rocksdb::Options> make_options(const HostConfiguration& configuration);

}  // namespace rocktune::bench
