// Reads a trace of operations in large pieces: RocksDB's own reader makes two system calls for each
// record, which on a busy machine takes from what is measured. What is not whole at the end of the
// file (its writer was killed) is taken for the end: that the file is as it was recorded was looked
// at before (open_recording() of recording.h).
//
// Not thread-safe.
#pragma once

#include <rocksdb/trace_reader_writer.h>

#include <fstream>
#include <memory>
#include <string>

#include "model/result.h"

namespace rocktune::bench {

class OpTraceReader final : public rocksdb::TraceReader {
 public:
  static Result<std::unique_ptr<rocksdb::TraceReader>> open(const std::string& path);

  rocksdb::Status Read(std::string* data) override;
  rocksdb::Status Close() override;
  rocksdb::Status Reset() override;

 private:
  explicit OpTraceReader(const std::string& path);
  std::unique_ptr<char[]> buffer_;  // before the stream that uses it
  std::ifstream in_;
};

}  // namespace rocktune::bench
