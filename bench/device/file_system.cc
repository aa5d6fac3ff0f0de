#include "bench/device/file_system.h"

#include <mutex>
#include <utility>

namespace rocktune::bench {
namespace {

using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

class SequentialFile : public rocksdb::FSSequentialFileOwnerWrapper {
 public:
  SequentialFile(std::unique_ptr<rocksdb::FSSequentialFile>&& target, EmulatedDevice& device)
      : FSSequentialFileOwnerWrapper(std::move(target)), device_(device) {}

  IOStatus Read(size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) override {
    auto status = FSSequentialFileWrapper::Read(n, options, result, scratch, debug);
    if (status.ok()) device_.transfer(IoKind::kRead, static_cast<std::int64_t>(result->size()));
    return status;
  }
  IOStatus PositionedRead(uint64_t offset, size_t n, const IOOptions& options, Slice* result,
                          char* scratch, IODebugContext* debug) override {
    auto status =
        FSSequentialFileWrapper::PositionedRead(offset, n, options, result, scratch, debug);
    if (status.ok()) device_.transfer(IoKind::kRead, static_cast<std::int64_t>(result->size()));
    return status;
  }

 private:
  EmulatedDevice& device_;
};

// Not derived from the wrapper: the base class's ReadAsync reads synchronously through Read, while
// the wrapper's would go past the device.
class RandomAccessFile : public rocksdb::FSRandomAccessFile {
 public:
  RandomAccessFile(std::unique_ptr<rocksdb::FSRandomAccessFile>&& target, EmulatedDevice& device)
      : target_(std::move(target)), device_(device) {}

  IOStatus Read(uint64_t offset, size_t n, const IOOptions& options, Slice* result, char* scratch,
                IODebugContext* debug) const override {
    auto status = target_->Read(offset, n, options, result, scratch, debug);
    if (status.ok()) device_.transfer(IoKind::kRead, static_cast<std::int64_t>(result->size()));
    return status;
  }
  IOStatus MultiRead(rocksdb::FSReadRequest* requests, size_t count, const IOOptions& options,
                     IODebugContext* debug) override {
    auto status = target_->MultiRead(requests, count, options, debug);
    for (size_t i = 0; status.ok() && i < count; ++i) {
      device_.transfer(IoKind::kRead, static_cast<std::int64_t>(requests[i].result.size()));
    }
    return status;
  }
  // RocksDB then reads ahead into a buffer of its own, through Read.
  IOStatus Prefetch(uint64_t, size_t, const IOOptions&, IODebugContext*) override {
    return IOStatus::NotSupported("emulated device: no prefetch into the page cache");
  }
  size_t GetUniqueId(char* id, size_t max_size) const override {
    return target_->GetUniqueId(id, max_size);
  }
  void Hint(AccessPattern pattern) override { target_->Hint(pattern); }
  bool use_direct_io() const override { return target_->use_direct_io(); }
  size_t GetRequiredBufferAlignment() const override {
    return target_->GetRequiredBufferAlignment();
  }
  IOStatus InvalidateCache(size_t offset, size_t length) override {
    return target_->InvalidateCache(offset, length);
  }
  rocksdb::Temperature GetTemperature() const override { return target_->GetTemperature(); }

 private:
  std::unique_ptr<rocksdb::FSRandomAccessFile> target_;
  EmulatedDevice& device_;
};

class WritableFile : public rocksdb::FSWritableFileOwnerWrapper {
 public:
  WritableFile(std::unique_ptr<rocksdb::FSWritableFile>&& target, EmulatedDevice& device)
      : FSWritableFileOwnerWrapper(std::move(target)), device_(device) {}

  IOStatus Append(const Slice& data, const IOOptions& options, IODebugContext* debug) override {
    return charged(data.size(), FSWritableFileWrapper::Append(data, options, debug));
  }
  IOStatus Append(const Slice& data, const IOOptions& options,
                  const rocksdb::DataVerificationInfo& verification,
                  IODebugContext* debug) override {
    return charged(data.size(), FSWritableFileWrapper::Append(data, options, verification, debug));
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            IODebugContext* debug) override {
    return charged(data.size(),
                   FSWritableFileWrapper::PositionedAppend(data, offset, options, debug));
  }
  IOStatus PositionedAppend(const Slice& data, uint64_t offset, const IOOptions& options,
                            const rocksdb::DataVerificationInfo& verification,
                            IODebugContext* debug) override {
    return charged(data.size(), FSWritableFileWrapper::PositionedAppend(data, offset, options,
                                                                        verification, debug));
  }
  IOStatus Sync(const IOOptions& options, IODebugContext* debug) override {
    return synced(FSWritableFileWrapper::Flush(options, debug));
  }
  IOStatus Fsync(const IOOptions& options, IODebugContext* debug) override {
    return synced(FSWritableFileWrapper::Flush(options, debug));
  }
  IOStatus RangeSync(uint64_t, uint64_t, const IOOptions&, IODebugContext*) override {
    write_gathered();
    return IOStatus::OK();
  }
  IOStatus Close(const IOOptions& options, IODebugContext* debug) override {
    write_gathered();
    return FSWritableFileWrapper::Close(options, debug);
  }

 private:
  IOStatus charged(size_t bytes, IOStatus status) {
    if (!status.ok()) return status;
    std::int64_t full = 0;
    {
      const std::lock_guard lock(mutex_);
      gathered_ += static_cast<std::int64_t>(bytes);
      if (gathered_ >= device_.profile().write_gather_bytes) full = std::exchange(gathered_, 0);
    }
    device_.transfer(IoKind::kWrite, full);
    return status;
  }
  IOStatus synced(IOStatus status) {
    write_gathered();
    device_.sync();
    return status;
  }
  void write_gathered() {
    std::int64_t rest = 0;
    {
      const std::lock_guard lock(mutex_);
      rest = std::exchange(gathered_, 0);
    }
    device_.transfer(IoKind::kWrite, rest);
  }

  EmulatedDevice& device_;
  std::mutex mutex_;  // a WAL may be synced while another thread appends
  std::int64_t gathered_ = 0;
};

class DeviceFileSystem : public rocksdb::FileSystemWrapper {
 public:
  DeviceFileSystem(const std::shared_ptr<rocksdb::FileSystem>& base, EmulatedDevice& device)
      : FileSystemWrapper(base), device_(device) {}

  const char* Name() const override { return "RocktuneEmulatedDevice"; }

  IOStatus NewSequentialFile(const std::string& path, const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSSequentialFile>* result,
                             IODebugContext* debug) override {
    return wrap<SequentialFile>(target()->NewSequentialFile(path, options, result, debug), result);
  }
  IOStatus NewRandomAccessFile(const std::string& path, const rocksdb::FileOptions& options,
                               std::unique_ptr<rocksdb::FSRandomAccessFile>* result,
                               IODebugContext* debug) override {
    return wrap<RandomAccessFile>(target()->NewRandomAccessFile(path, options, result, debug),
                                  result);
  }
  IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                           std::unique_ptr<rocksdb::FSWritableFile>* result,
                           IODebugContext* debug) override {
    return wrap<WritableFile>(target()->NewWritableFile(path, options, result, debug), result);
  }
  IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                              std::unique_ptr<rocksdb::FSWritableFile>* result,
                              IODebugContext* debug) override {
    return wrap<WritableFile>(target()->ReopenWritableFile(path, options, result, debug), result);
  }
  IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                             const rocksdb::FileOptions& options,
                             std::unique_ptr<rocksdb::FSWritableFile>* result,
                             IODebugContext* debug) override {
    return wrap<WritableFile>(target()->ReuseWritableFile(path, old_path, options, result, debug),
                              result);
  }

 private:
  template <class Wrapped, class File>
  IOStatus wrap(IOStatus status, std::unique_ptr<File>* result) {
    if (status.ok()) *result = std::make_unique<Wrapped>(std::move(*result), device_);
    return status;
  }

  EmulatedDevice& device_;
};

}  // namespace

std::shared_ptr<rocksdb::FileSystem> make_device_file_system(
    const std::shared_ptr<rocksdb::FileSystem>& base, EmulatedDevice& device) {
  return std::make_shared<DeviceFileSystem>(base, device);
}

}  // namespace rocktune::bench
