#include "trace/op_trace_file.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <memory>

namespace rocktune::trace {
namespace {

constexpr std::size_t kTypeAt = 8;
constexpr std::size_t kPayloadLengthAt = 9;
constexpr std::size_t kBlockBytes = std::size_t{1} << 20;

// rocksdb::TraceType (rocksdb/trace_record.h), whose numbers are in files and so do not change.
enum : char { kWrite = 3, kGet = 4, kSeek = 5, kSeekForPrev = 6, kMultiGet = 13 };

void count_record(char type, OpTraceContents& contents) {
  contents.writes += type == kWrite ? 1 : 0;
  contents.gets += type == kGet ? 1 : 0;
  contents.multigets += type == kMultiGet ? 1 : 0;
  contents.seeks += type == kSeek || type == kSeekForPrev ? 1 : 0;
}

// Reads, and keeps account of what was read.
class CheckedInput {
 public:
  CheckedInput(std::istream& in, OpTraceContents& contents) : in_(in), contents_(contents) {}

  // False: there are fewer bytes.
  bool read(char* into, std::size_t size) {
    in_.read(into, static_cast<std::streamsize>(size));
    const auto got = static_cast<std::size_t>(in_.gcount());
    contents_.bytes += got;
    contents_.crc32 = static_cast<std::uint32_t>(
        ::crc32_z(contents_.crc32, reinterpret_cast<const unsigned char*>(into), got));
    return got == size;
  }

  bool skip(std::size_t size) {
    for (std::size_t left = size; left > 0;) {
      const auto next = std::min(left, kBlockBytes);
      if (!read(block_.get(), next)) return false;
      left -= next;
    }
    return true;
  }

 private:
  std::istream& in_;
  OpTraceContents& contents_;
  std::unique_ptr<char[]> block_ = std::make_unique_for_overwrite<char[]>(kBlockBytes);
};

}  // namespace

OpHead decode_op_head(const char* bytes) {
  OpHead head{.type = bytes[kTypeAt], .payload_bytes = 0};
  for (std::size_t i = 0; i < sizeof head.payload_bytes; ++i) {
    head.payload_bytes |= std::uint32_t{static_cast<unsigned char>(bytes[kPayloadLengthAt + i])}
                          << (8 * i);
  }
  return head;
}

Result<OpTraceContents> read_op_trace(const std::string& path) {
  const auto buffer = std::make_unique_for_overwrite<char[]>(kBlockBytes);
  std::ifstream in;
  in.rdbuf()->pubsetbuf(buffer.get(), kBlockBytes);
  in.open(path, std::ios::binary);
  if (!in) return fail(ErrorCode::kIo, path + ": cannot be read");
  OpTraceContents contents;
  CheckedInput input(in, contents);
  std::array<char, kOpHeadBytes> bytes{};
  while (input.read(bytes.data(), bytes.size())) {
    const OpHead head = decode_op_head(bytes.data());
    if (!input.skip(head.payload_bytes)) break;
    count_record(head.type, contents);
  }
  if (in.bad()) return fail(ErrorCode::kIo, path + ": cannot be read to its end");
  return contents;
}

}  // namespace rocktune::trace
