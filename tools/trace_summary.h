// What is in a trace: the numbers behind `rocktune trace info`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/result.h"
#include "tools/control.h"
#include "tools/run_list.h"
#include "trace/reader.h"

namespace rocktune::tools {

// Polls that were due, and of which the trace has no reading of the database.
struct TraceGap {
  std::uint64_t first_sequence = 0;
  std::uint64_t polls = 0;
  std::uint64_t rows = 0;  // of those, samples without a reading; the rest are missing altogether
  Nanoseconds after_wall{0};  // the last reading before; 0 when there is none
  std::string why;            // the agent's error, where one of those samples says one
};

struct TargetContent {
  trace::TargetSummary summary;
  std::uint64_t first_sequence = 0, last_sequence = 0;
  std::uint64_t due = 0;  // polls from the first to the last sample
  std::vector<TraceGap> gaps;
};

struct TraceContent {
  std::string path;
  trace::RunInfo run;
  std::vector<TargetContent> targets;
};

// `progress` comes before each database is read.
Result<TraceContent> read_content(const std::string& path, const RunProgress& progress = {});

std::vector<std::string> content_lines(const TraceContent& content);
Json content_json(const TraceContent& content);

}  // namespace rocktune::tools
