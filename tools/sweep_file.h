// SweepFile: the result of a sweep while it comes into being. Lines go to RESULT.partial as they
// come, each with one write; finish() makes RESULT of them, in order. Whatever ends the process,
// what is there stays good: an unfinished last line is dropped when the sweep goes on. A kilobyte
// of memory for each unit. Not thread-safe.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <vector>

#include "model/result.h"

namespace rocktune::tools {

// Where the lines of a result are until it is whole.
inline std::string partial_of(const std::string& result) {
  return result + ".partial";
}

class SweepFile {
 public:
  // Of each unit by its number: what the result is to have.
  struct Unit {
    std::string key, trace;
  };
  using Units = std::map<std::size_t, Unit>;

  // What becomes of lines that are there. Of units that failed none are kept as a rule: what was
  // wrong may have passed.
  enum class Before { kKeepGood, kKeepAll, kRemove };

  // Takes over what RESULT and RESULT.partial already have, or removes it. Neither is touched where
  // it is no file of a sweep's lines. Errors: such a file, lines of another sweep, another process
  // that is at it, what the system refuses.
  static Result<SweepFile> open(const std::string& result, Units units, Before before);
  ~SweepFile();
  SweepFile(SweepFile&& other) noexcept;
  SweepFile& operator=(SweepFile&&) = delete;

  [[nodiscard]] bool has(std::size_t number) const { return lines_.contains(number); }
  [[nodiscard]] std::size_t done() const { return lines_.size(); }
  Result<void> append(std::size_t number, const std::string& line);
  // Every unit is there. RESULT.partial is gone afterwards.
  Result<void> finish();
  // In order, without their ends.
  [[nodiscard]] std::vector<std::string> lines() const;

 private:
  SweepFile(std::string result, Units units)
      : result_(std::move(result)), units_(std::move(units)) {}
  Result<void> open_partial();
  Result<void> take_over(const std::string& path, const std::string& text, bool failed_too);
  Result<void> cut_partial(std::size_t bytes);

  std::string result_;
  Units units_;
  std::map<std::size_t, std::string> lines_;
  int partial_ = -1;
};

}  // namespace rocktune::tools
