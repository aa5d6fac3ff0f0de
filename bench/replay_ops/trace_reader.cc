#include "bench/replay_ops/trace_reader.h"

#include <array>
#include <cstdint>

#include "trace/op_trace_file.h"

namespace rocktune::bench {
namespace {

constexpr std::streamsize kReadBytes = 1 << 20;
// A write batch is at most 4 GiB; a length beyond this is a file that is damaged.
constexpr std::uint32_t kMostPayloadBytes = std::uint32_t{1} << 30;

}  // namespace

OpTraceReader::OpTraceReader(const std::string& path)
    : buffer_(std::make_unique<char[]>(kReadBytes)) {
  in_.rdbuf()->pubsetbuf(buffer_.get(), kReadBytes);
  in_.open(path, std::ios::binary);
}

Result<std::unique_ptr<rocksdb::TraceReader>> OpTraceReader::open(const std::string& path) {
  std::unique_ptr<OpTraceReader> reader(new OpTraceReader(path));
  if (!reader->in_) return fail(ErrorCode::kIo, path + ": cannot be read");
  return reader;
}

rocksdb::Status OpTraceReader::Read(std::string* data) {
  std::array<char, trace::kOpHeadBytes> head{};
  if (!in_.read(head.data(), head.size())) return rocksdb::Status::Incomplete();
  const std::uint32_t length = trace::decode_op_head(head.data()).payload_bytes;
  if (length > kMostPayloadBytes) return rocksdb::Status::Corruption("a record of the trace");
  data->assign(head.data(), head.size());
  data->resize(head.size() + length);
  if (!in_.read(data->data() + head.size(), length)) return rocksdb::Status::Incomplete();
  return rocksdb::Status::OK();
}

rocksdb::Status OpTraceReader::Close() {
  in_.close();
  return rocksdb::Status::OK();
}

rocksdb::Status OpTraceReader::Reset() {
  in_.clear();
  if (!in_.seekg(0)) return rocksdb::Status::IOError("the trace cannot be read again");
  return rocksdb::Status::OK();
}

}  // namespace rocktune::bench
