// Advice: what an operator could change at the next open (or by hand), why, and what to expect.
// Plain data; every number in it is finite.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rocktune::advice {

enum class Confidence { kLow, kMedium, kHigh };
enum class Unit { kTimes, kRatio, kBytes, kBytesPerSecond, kMicroseconds, kSeconds, kCount };

// One number of the recording, and how a person reads it: "writes were held up 12% of the time".
struct Fact {
  std::string name;  // stable, for programs: "write_trouble_ratio"
  double value = 0;
  std::string text;
};

// What the change is expected to do to one measure.
struct Effect {
  std::string measure;        // "write amplification of flush and compaction"
  Unit unit = Unit::kTimes;   // of the three numbers
  std::optional<double> now;  // as recorded
  double low = 0, high = 0;   // as expected
  std::string reason;         // where the range comes from
};

// An option in RocksDB's spelling.
struct Step {
  std::string option, value;
  bool needs_open = true;  // false: SetOptions or SetDBOptions does it while the database runs
};

struct Advice {
  std::string rule;
  std::string column_family;  // empty: the whole database
  std::string title;          // what to do, in one line
  std::vector<Fact> evidence;
  Effect effect;
  Confidence confidence = Confidence::kLow;
  std::string confidence_reason;
  std::string risk;  // cost and danger
  std::vector<Step> steps;
  std::string how;     // what the steps do not say; may be empty
  std::string source;  // of thresholds and ranges
};

// Of a rule that has nothing to advise: why it is content, or what it could not see.
struct Remark {
  std::string rule;
  std::vector<std::string> column_families;  // empty: the whole database
  std::string why;
};

struct Report {
  std::vector<Advice> advice;      // the surest first, and of these what needs no restart
  std::vector<Remark> not_judged;  // an input is missing
  std::vector<Remark> content;     // judged, and nothing to advise
};

}  // namespace rocktune::advice
