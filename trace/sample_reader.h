// Reads the samples of one target back, in order: joins what SampleWriter spread over tables, and
// adds up the histograms' increments. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/sample.h"
#include "trace/sqlite.h"

namespace rocktune::trace {

class SampleReader {
 public:
  static Result<SampleReader> create(const Connection& connection, std::int64_t target);

  Result<std::optional<Sample>> next();

 private:
  struct Key {  // of the rows that a column family refers to
    std::int64_t options_at = 0;
    std::int64_t levels_at = 0;
  };

  Result<Sample> take_sample();
  Result<void> take_histograms(DatabaseReading& database, bool keyframe);
  Result<void> read_health(std::int64_t at);
  Result<void> read_knobs(std::int64_t at);
  Result<std::vector<ColumnFamilyReading>> read_column_families(std::int64_t sample);
  Result<void> read_options(std::int64_t at, std::size_t position, ColumnFamilyReading& reading);
  Result<void> read_levels(std::int64_t at, std::size_t position, ColumnFamilyReading& reading);
  Result<std::string> name_of(Statement& find, std::map<std::int64_t, std::string>& known,
                              std::int64_t id);

  std::optional<Statement> samples_, health_, knobs_, column_families_, options_, levels_,
      incarnation_, device_;
  std::map<std::int64_t, std::string> incarnations_, devices_;
  std::vector<std::optional<LatencyHistogram>> histograms_;
  std::optional<std::int64_t> health_at_, knobs_at_;
  std::vector<SourceHealth> last_health_;
  std::vector<KnobReading> last_knobs_;
  std::vector<Key> last_keys_;
  std::vector<ColumnFamilyReading> last_column_families_;
};

}  // namespace rocktune::trace
