// The kinds of operation that a workload is mixed from, and their names in YAML and JSON.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>

namespace rocktune::scenario {

enum class Operation {
  kRead = 0,             // Get of a record
  kUpdate = 1,           // Put of a whole new value
  kReadModifyWrite = 2,  // Get and Put, timed as one
  kInsert = 3,           // Put of a record that was never there
  kScan = 4,             // Seek and a number of Nexts
  kDelete = 5,           // Delete of a record, whether or not it is still there
  kReadMissing = 6,      // Get of a key that was never written, between two records
};
inline constexpr std::size_t kOperations = 7;
inline constexpr std::array<std::string_view, kOperations> kOperationNames = {
    "read", "update", "read_modify_write", "insert", "scan", "delete", "read_missing"};

constexpr std::string_view name_of(Operation operation) {
  return kOperationNames[static_cast<std::size_t>(operation)];
}

// Whether it waits for reads alone: read-modify-write waits for its write as well.
constexpr bool is_read(Operation operation) {
  return operation == Operation::kRead || operation == Operation::kScan ||
         operation == Operation::kReadMissing;
}

constexpr std::optional<Operation> operation_named(std::string_view name) {
  for (std::size_t i = 0; i < kOperations; ++i) {
    if (kOperationNames[i] == name) return static_cast<Operation>(i);
  }
  return std::nullopt;
}

}  // namespace rocktune::scenario
