#include "trace/rocksdb_log/line_reader.h"

#include <sys/stat.h>
#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace rocktune::trace::rocksdb_log {
namespace {

constexpr std::size_t kPieceBytes = std::size_t{64} * 1024;

gzFile as_gz(void* file) {
  return static_cast<gzFile>(file);
}

Error cannot_read(const std::string& path, int number) {
  const ErrorCode code = number == ENOENT   ? ErrorCode::kNotFound
                         : number == EACCES ? ErrorCode::kPermission
                                            : ErrorCode::kIo;
  return {code, path + " cannot be read: " + std::generic_category().message(number)};
}

}  // namespace

void LineReader::Close::operator()(void* file) const {
  gzclose_r(as_gz(file));
}

LineReader::LineReader(void* file) : file_(file), buffer_(kPieceBytes) {
  gzbuffer(as_gz(file), kPieceBytes);
}

Result<LineReader> LineReader::open(const std::string& path) {
  struct stat status{};
  if (::stat(path.c_str(), &status) != 0) return tl::unexpected(cannot_read(path, errno));
  if (S_ISDIR(status.st_mode)) return tl::unexpected(cannot_read(path, EISDIR));
  if (!S_ISREG(status.st_mode)) {
    return fail(ErrorCode::kInvalidArgument,
                path +
                    " is no regular file, and is read more than once; write what it gives to a "
                    "file, and name that");
  }
  errno = 0;
  gzFile file = gzopen(path.c_str(), "rbe");
  if (file == nullptr) return tl::unexpected(cannot_read(path, errno != 0 ? errno : ENOMEM));
  return LineReader(file);
}

bool LineReader::refill() {
  if (ended_) return false;
  const int got = gzread(as_gz(file_.get()), buffer_.data(), static_cast<unsigned>(buffer_.size()));
  int code = Z_OK;
  const char* message = gzerror(as_gz(file_.get()), &code);
  if (code != Z_OK && code != Z_STREAM_END) {
    damage_ = code == Z_BUF_ERROR ? "it ends in the middle of its gzip data"
              : code == Z_ERRNO   ? std::generic_category().message(errno)
                                  : std::string("its gzip data is damaged (") + message + ")";
    ended_ = true;
  }
  begin_ = 0;
  end_ = got > 0 ? static_cast<std::size_t>(got) : 0;
  if (end_ == 0) ended_ = true;
  return end_ > 0;
}

std::optional<TextLine> LineReader::next() {
  line_.clear();
  bool cut = false;
  bool any = false;
  while (begin_ < end_ || refill()) {
    any = true;
    const char* start = buffer_.data() + begin_;
    const auto* stop = static_cast<const char*>(std::memchr(start, '\n', end_ - begin_));
    const std::size_t length = stop != nullptr ? static_cast<std::size_t>(stop - start)  //
                                               : end_ - begin_;
    const std::size_t room = kMaxLineBytes - line_.size();
    cut = cut || length > room;
    line_.append(start, std::min(length, room));
    begin_ += length;
    if (stop != nullptr) {
      ++begin_;
      break;
    }
  }
  if (!any) return std::nullopt;
  if (!line_.empty() && line_.back() == '\r') line_.pop_back();
  return TextLine{line_, cut};
}

std::uint64_t LineReader::bytes_consumed() const {
  const auto offset = gzoffset(as_gz(file_.get()));
  return offset < 0 ? 0 : static_cast<std::uint64_t>(offset);
}

}  // namespace rocktune::trace::rocksdb_log
