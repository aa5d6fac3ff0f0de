#include "bench/replay_ops/routing.h"

#include <rocksdb/write_batch.h>

#include <functional>
#include <string_view>

namespace rocktune::bench {
namespace {

using rocksdb::Slice;
using rocksdb::Status;

constexpr std::size_t kWriter = 0;  // the thread of all writes, where there is one

// What it does not know (a range, an entity, a blob's index) ends the look with an error.
class FirstKey final : public rocksdb::WriteBatch::Handler {
 public:
  Status PutCF(std::uint32_t family, const Slice& key, const Slice& /*value*/) override {
    return take(family, key);
  }
  Status DeleteCF(std::uint32_t family, const Slice& key) override { return take(family, key); }
  Status SingleDeleteCF(std::uint32_t family, const Slice& key) override {
    return take(family, key);
  }
  Status MergeCF(std::uint32_t family, const Slice& key, const Slice& /*value*/) override {
    return take(family, key);
  }
  Status DeleteRangeCF(std::uint32_t /*family*/, const Slice& /*begin*/,
                       const Slice& /*end*/) override {
    return Status::NotSupported();
  }
  void LogData(const Slice& /*blob*/) override {}

  [[nodiscard]] const std::optional<RoutedKey>& found() const { return found_; }

 private:
  Status take(std::uint32_t family, const Slice& key) {
    if (found_) return Status::NotSupported();
    found_ = RoutedKey{family, key.ToString()};
    return Status::OK();
  }
  std::optional<RoutedKey> found_;
};

std::size_t thread_of_key(const RoutedKey& key, std::size_t threads) {
  constexpr std::size_t kMultiplier = 0x9E3779B97F4A7C15;  // 2^64 / golden ratio (Knuth)
  return (std::hash<std::string_view>()(key.key) + key.family * kMultiplier) % threads;
}

}  // namespace

scenario::Operation kind_of(const rocksdb::TraceRecord& record) {
  switch (record.GetTraceType()) {
    case rocksdb::kTraceWrite:
      return scenario::Operation::kUpdate;
    case rocksdb::kTraceIteratorSeek:
    case rocksdb::kTraceIteratorSeekForPrev:
      return scenario::Operation::kScan;
    default:
      return scenario::Operation::kRead;
  }
}

std::size_t bytes_of(const rocksdb::TraceRecord& record) {
  if (record.GetTraceType() == rocksdb::kTraceWrite) {
    return static_cast<const rocksdb::WriteQueryTraceRecord&>(record).GetWriteBatchRep().size();
  }
  if (record.GetTraceType() != rocksdb::kTraceMultiGet) return key_of_read(record).key.size();
  std::size_t bytes = 0;
  for (const Slice& key : static_cast<const rocksdb::MultiGetQueryTraceRecord&>(record).GetKeys()) {
    bytes += key.size();
  }
  return bytes;
}

std::optional<RoutedKey> only_key_of(const rocksdb::WriteQueryTraceRecord& write) {
  const rocksdb::WriteBatch batch(write.GetWriteBatchRep().ToString());
  FirstKey look;
  if (!batch.Iterate(&look).ok()) return std::nullopt;
  return look.found();
}

// By its type and no dynamic_cast: RocksDB may be built without the tables for that.
RoutedKey key_of_read(const rocksdb::TraceRecord& read) {
  switch (read.GetTraceType()) {
    case rocksdb::kTraceGet: {
      const auto& get = static_cast<const rocksdb::GetQueryTraceRecord&>(read);
      return {get.GetColumnFamilyID(), get.GetKey().ToString()};
    }
    case rocksdb::kTraceIteratorSeek:
    case rocksdb::kTraceIteratorSeekForPrev: {
      const auto& seek = static_cast<const rocksdb::IteratorSeekQueryTraceRecord&>(read);
      return {seek.GetColumnFamilyID(), seek.GetKey().ToString()};
    }
    case rocksdb::kTraceMultiGet: {
      const auto& several = static_cast<const rocksdb::MultiGetQueryTraceRecord&>(read);
      const auto keys = several.GetKeys();
      const auto families = several.GetColumnFamilyIDs();
      if (keys.empty() || families.empty()) return {};
      return {families.front(), keys.front().ToString()};
    }
    default:
      return {};
  }
}

std::size_t thread_of(const rocksdb::TraceRecord& record, std::size_t threads, bool one_writer) {
  if (record.GetTraceType() != rocksdb::kTraceWrite) {
    return thread_of_key(key_of_read(record), threads);
  }
  if (one_writer) return kWriter;
  const auto& write = static_cast<const rocksdb::WriteQueryTraceRecord&>(record);
  return thread_of_key(only_key_of(write).value_or(RoutedKey{}), threads);
}

}  // namespace rocktune::bench
