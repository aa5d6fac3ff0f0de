// A whole LOG, applied up to some second: what is read then.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "log_text.h"
#include "trace/rocksdb_log/parser.h"
#include "trace/rocksdb_log/timeline.h"

namespace rocktune::trace::rocksdb_log::test {

inline constexpr Micros kTwoHours = std::chrono::hours(2);  // LogText's zone

// Applies a whole LOG up to some second and says what is read then.
class Replayed {
 public:
  explicit Replayed(const std::string& text) {
    Parser parser(kTwoHours);
    std::size_t begin = 0;
    while (begin < text.size()) {
      const auto end = std::min(text.find('\n', begin), text.size());
      parser.add(std::string_view(text).substr(begin, end - begin), false, events_);
      begin = end + 1;
    }
    parser.end_of_file(events_);
    std::stable_sort(events_.begin(), events_.end(),
                     [](const auto& a, const auto& b) { return a.at < b.at; });
    counts_ = parser.counts();
  }
  DatabaseReading at(double seconds) {
    const Micros until(LogText::at(seconds));
    while (next_ < events_.size() && events_[next_].at <= until) timeline_.apply(events_[next_++]);
    timeline_.settle(until);
    return timeline_.reading(until);
  }
  ColumnFamilyReading family(double seconds, std::size_t position = 0) {
    return at(seconds).column_families.at(position);
  }
  Timeline& timeline() { return timeline_; }
  [[nodiscard]] const ParserCounts& counts() const { return counts_; }

 private:
  std::vector<TimedEvent> events_;
  std::size_t next_ = 0;
  Timeline timeline_;
  ParserCounts counts_;
};

inline std::string stall(int files, const std::string& family = "default") {
  return "[WARN] [/column_family.cc:931] [" + family + "] Stalling writes because we have " +
         std::to_string(files) + " level-0 files rate 8388608";
}

inline LogText begun() {
  LogText log;
  log.header(0, "6.11.0", "2e9619b3-dd13");
  return log;
}

}  // namespace rocktune::trace::rocksdb_log::test
