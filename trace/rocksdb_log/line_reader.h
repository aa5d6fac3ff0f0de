// LineReader: the lines of a text file, plain or gzip (zlib tells which), in bounded memory.
//
// Reads pieces of 64 KiB; a line beyond kMaxLineBytes is cut there and the rest of it is skipped.
// A file that ends early or is damaged inside (gzip) gives what was read and then `damage()`.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "model/result.h"

namespace rocktune::trace::rocksdb_log {

// RocksDB's loggers cut a line at 64 KiB themselves (PosixLogger::Logv).
inline constexpr std::size_t kMaxLineBytes = std::size_t{128} * 1024;

struct TextLine {
  std::string_view text;  // without its end; valid until the next call
  bool cut = false;       // it was longer than kMaxLineBytes
};

class LineReader {
 public:
  // Fails with kNotFound, kPermission, kIo, or kInvalidArgument (a pipe), naming the file.
  static Result<LineReader> open(const std::string& path);

  // nullopt at the end of the file, or where it is damaged.
  std::optional<TextLine> next();

  // Of the file as it lies on disk: for progress.
  [[nodiscard]] std::uint64_t bytes_consumed() const;
  // Why reading ended before the file's end; empty when it did not.
  [[nodiscard]] const std::string& damage() const { return damage_; }

 private:
  struct Close {
    void operator()(void* file) const;
  };
  explicit LineReader(void* file);
  bool refill();

  std::unique_ptr<void, Close> file_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0, end_ = 0;  // what of the buffer is not yet given out
  std::string line_;
  std::string damage_;
  bool ended_ = false;
};

}  // namespace rocktune::trace::rocksdb_log
