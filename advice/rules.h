// The rules of `rocktune advise`, one table (docs/advise.md has each with its threshold and
// source). Pure: the same evidence gives the same report.
#pragma once

#include <span>
#include <string_view>

#include "advice/advice.h"
#include "advice/evidence.h"

namespace rocktune::advice {

class Findings;

struct Rule {
  std::string_view name;
  std::string_view what;  // what it looks at, for --help and the docs
  // Leaves at least one finding: advice, content, or not judged.
  void (*judge)(const Evidence&, Findings&);
};

std::span<const Rule> rules();

// Less than this says nothing of a database: one flush or one compaction may fill it.
inline constexpr double kLeastSeconds = 60;

// Every rule on this evidence. With less than kLeastSeconds nothing is judged.
Report judge(const Evidence& evidence);

}  // namespace rocktune::advice
