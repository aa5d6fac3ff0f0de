// Completes the options that a database is about to be opened with: rocktune::prepare, and what the
// preload library does in its place.
//
// Thread-safety: all functions. None throws.
#pragma once

#include <rocksdb/options.h>

namespace rocktune::agent {

enum class Purpose {
  kWrite,
  kRead,  // read-only or secondary: without a limiter, since nothing is ever written
};

void prepare(rocksdb::DBOptions& options, Purpose purpose) noexcept;

}  // namespace rocktune::agent
