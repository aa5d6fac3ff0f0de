#include "bench/overhead/families.h"

#include <rocksdb/db.h>
#include <rocksdb/version.h>

#include <chrono>
#include <cstdio>
#include <iostream>
#include <memory>
#include <thread>
#include <vector>

#include "bench/cli/stop.h"
#include "rocktune/agent.h"

namespace rocktune::bench {
namespace {

constexpr int kFiles = 3;  // in each column family
constexpr int kKeysPerFile = 1000;
constexpr std::size_t kFamilyValueBytes = 100;

struct Open {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<Agent::Attachment> attachment;

  Open() = default;
  Open(const Open&) = delete;
  Open& operator=(const Open&) = delete;
  ~Open() {
    attachment.reset();
    for (auto* const handle : handles) db->DestroyColumnFamilyHandle(handle);
  }
};

rocksdb::Status open(const std::string& path, std::int64_t families, Open& out) {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  prepare(options);
  std::vector<rocksdb::ColumnFamilyDescriptor> descriptors;
  descriptors.reserve(static_cast<std::size_t>(families));
  for (std::int64_t i = 0; i < families; ++i) {
    descriptors.emplace_back(
        i == 0 ? rocksdb::kDefaultColumnFamilyName : "family-" + std::to_string(i),
        rocksdb::ColumnFamilyOptions());
  }
#if ROCKSDB_MAJOR >= 11
  return rocksdb::DB::Open(options, path, descriptors, &out.handles, &out.db);
#else
  rocksdb::DB* db = nullptr;
  auto status = rocksdb::DB::Open(options, path, descriptors, &out.handles, &db);
  out.db.reset(db);
  return status;
#endif
}

rocksdb::Status fill(Open& open) {
  const std::string value(kFamilyValueBytes, 'v');
  for (int file = 0; file <= kFiles; ++file) {
    for (auto* const handle : open.handles) {
      for (int key = 0; key < kKeysPerFile; ++key) {
        auto status = open.db->Put({}, handle, "key" + std::to_string(key), value);
        std::string read;
        if (status.ok()) status = open.db->Get({}, handle, "key" + std::to_string(key), &read);
        if (!status.ok()) return status;
      }
      if (file == kFiles) continue;  // the last ones stay in the memtable
      if (auto status = open.db->Flush({}, handle); !status.ok()) return status;
    }
  }
  return {};
}

}  // namespace

int hold_families(const std::string& path, std::int64_t families) {
  Open opened;
  auto status = open(path, families, opened);
  if (status.ok()) {
    opened.attachment = Agent::attach(opened.db.get(), opened.handles);
    status = fill(opened);
  }
  if (!status.ok()) {
    std::fprintf(stderr, "%s: %s\n", path.c_str(), status.ToString().c_str());
    return 1;
  }
  std::cout << "{\"ready\":true}" << std::endl;
  while (!stop_requested()) std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return 0;
}

}  // namespace rocktune::bench
