// Lines of a RocksDB LOG, through the parser and the timeline: whatever comes in, every line is
// counted once, what is read stays within what a database can have, and nothing grows without end.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tests/fuzz/finding.h"
#include "trace/rocksdb_log/parser.h"
#include "trace/rocksdb_log/side_csv.h"
#include "trace/rocksdb_log/timeline.h"

namespace rocktune::fuzz {
namespace {

using namespace trace::rocksdb_log;  // NOLINT: all of it is under test

void check_reading(const DatabaseReading& reading) {
  if (reading.running_flushes > 10'000 || reading.running_compactions > 10'000) {
    finding("more jobs run than can");
  }
  if (reading.write_stopped > 1) finding("write_stopped is neither 0 nor 1");
  for (const ColumnFamilyReading& family : reading.column_families) {
    if (family.levels.size() > 64) finding("a column family of more than 64 levels");
    const bool running = family.l0_compaction_input_files.value_or(0) > 0;
    if (!running && family.l0_compaction_input_bytes.value_or(0) > 0) {
      finding("bytes of a compaction of no files");
    }
  }
}

void replay(std::string_view text) {
  Parser parser;
  std::vector<TimedEvent> events;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    parser.add(text.substr(0, end), false, events);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  parser.end_of_file(events);
  const ParserCounts& counts = parser.counts();
  if (counts.lines != counts.used + counts.passed_over + counts.damaged) finding("lines are lost");
  std::stable_sort(events.begin(), events.end(),
                   [](const TimedEvent& a, const TimedEvent& b) { return a.at < b.at; });
  Timeline timeline;
  for (const TimedEvent& event : events) {
    timeline.apply(event);
    (void)timeline.take_events();
    (void)timeline.take_dumps();
    timeline.settle(event.at);
    check_reading(timeline.reading(event.at));
  }
}

}  // namespace
}  // namespace rocktune::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  rocktune::fuzz::replay(text);
  const auto spec = rocktune::trace::rocksdb_log::parse_side_spec(std::string(text.substr(0, 200)));
  if (!spec && spec.error().message.empty()) rocktune::fuzz::finding("refused without a word");
  return 0;
}
