// A RocksDB file system on an emulated device: every file lives in the file system below, every
// read, write and sync is charged to the device as well.
//
// Reads are charged whether or not the kernel's page cache holds them (as with direct I/O). Writes
// are charged when they are appended, like direct I/O: appends to one file gather until
// write_gather_bytes are full, or the file is synced or closed, so that a WAL costs one request per
// 64 KiB rather than one per record. Syncs wait for the device but are not passed on to the disk
// below: what lies on an emulated device survives a crash of the process, not of the machine.
//
// Memory-mapped I/O goes past the device: leave allow_mmap_reads and allow_mmap_writes off.
// Asynchronous reads are done synchronously. Thread-safe as RocksDB needs it.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

#include "bench/device/device.h"

namespace rocktune::bench {

// `device` must outlive the file system and every file opened through it.
std::shared_ptr<rocksdb::FileSystem> make_device_file_system(
    const std::shared_ptr<rocksdb::FileSystem>& base, EmulatedDevice& device);

}  // namespace rocktune::bench
