// Which of several threads does a recorded operation? All of one key by the same, in their order,
// so that the replay comes to the contents that were recorded, and reads see what they saw. Where
// any write is of several keys, writes could overtake each other between two threads: all of them
// go to one then.
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/trace_record.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "scenario/workload/operation.h"

namespace rocktune::bench {

// What an operation of a trace counts as: a write as update, Get and MultiGet as read, a seek as
// scan.
scenario::Operation kind_of(const rocksdb::TraceRecord& record);

// Of its keys and values, about: what it takes of memory while it waits.
std::size_t bytes_of(const rocksdb::TraceRecord& record);

struct RoutedKey {
  std::uint32_t family = 0;
  std::string key;
};
// Of a write the key that it writes; nothing where it writes several, a range, or none.
std::optional<RoutedKey> only_key_of(const rocksdb::WriteQueryTraceRecord& write);
// The first key that it asks for.
RoutedKey key_of_read(const rocksdb::TraceRecord& read);

// From 0 to `threads`.
std::size_t thread_of(const rocksdb::TraceRecord& record, std::size_t threads, bool one_writer);

}  // namespace rocktune::bench
