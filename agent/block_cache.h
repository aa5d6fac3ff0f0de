// rocksdb::Cache, complete in every version: from 8.0 on <rocksdb/cache.h> only declares it.
#pragma once

#include <rocksdb/cache.h>
#if __has_include(<rocksdb/advanced_cache.h>)
#include <rocksdb/advanced_cache.h>
#endif
