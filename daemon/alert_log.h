// AlertLog: appends JSON lines (docs/alerts.md) to a file. A line is one write, so that a reader
// never sees half of one and a crash loses none. A failing write is reported and forgotten: it
// never stops the caller; the next line tries again, opening the file anew. So does one after the
// file was removed.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/clock.h"
#include "model/result.h"

namespace rocktune::daemon {

// Lines that could not be written, one after the other. None: the file could not be opened anew,
// and they go on to the one that was open before.
struct LostLines {
  Nanoseconds since_wall{0};
  std::uint64_t lines = 0;
  std::string why;  // the last one
};

class AlertLog {
 public:
  explicit AlertLog(std::string file) : file_(std::move(file)) {}
  ~AlertLog() { close(); }
  AlertLog(const AlertLog&) = delete;
  AlertLog& operator=(const AlertLog&) = delete;

  // Opens for appending, creating the file; a second call opens anew (after rotation).
  Result<void> open();
  Result<void> open(const std::string& file);
  Result<void> write(std::string_view line);  // without the newline

  [[nodiscard]] const std::string& file() const { return file_; }

 private:
  void close();
  std::string file_;
  int fd_ = -1;
  bool torn_ = false;  // the file ends in mid-line
};

}  // namespace rocktune::daemon
