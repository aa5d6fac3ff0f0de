#include "bench/replay_ops/trace_reader.h"

#include <array>
#include <cstdint>

namespace rocktune::bench {
namespace {

constexpr std::streamsize kReadBytes = 1 << 20;
// A record: its time (8 bytes), its type (1), the length of the rest (4, the lowest first): see
// trace_replay/trace_replay.h.
constexpr std::size_t kHeadBytes = 13;
constexpr std::size_t kLengthAt = 9;
// A write batch is at most 4 GiB; a length beyond this is a file that is damaged.
constexpr std::uint32_t kMostPayloadBytes = std::uint32_t{1} << 30;

std::uint32_t payload_length(const std::array<char, kHeadBytes>& head) {
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < sizeof length; ++i) {
    length |= std::uint32_t{static_cast<unsigned char>(head[kLengthAt + i])} << (8 * i);
  }
  return length;
}

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
  std::array<char, kHeadBytes> head{};
  if (!in_.read(head.data(), head.size())) return rocksdb::Status::Incomplete();
  const std::uint32_t length = payload_length(head);
  if (length > kMostPayloadBytes) return rocksdb::Status::Corruption("a record of the trace");
  data->assign(head.data(), head.size());
  data->resize(kHeadBytes + length);
  if (!in_.read(data->data() + kHeadBytes, length)) return rocksdb::Status::Incomplete();
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
