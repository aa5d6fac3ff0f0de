// Reads the samples of one target back, in order: joins what SampleWriter spread over tables, and
// adds up the histograms' increments. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "model/histogram_form.h"
#include "model/sample.h"
#include "trace/columns.h"
#include "trace/sample_rows.h"
#include "trace/sqlite.h"

namespace rocktune::trace {

class SampleReader {
 public:
  static Result<SampleReader> create(const Connection& connection, std::int64_t target,
                                     HistogramForm form);

  // Sets `sample`, whose memory is used again, to the next one; false at the end. After an error it
  // is of no use.
  Result<bool> next(Sample& sample);

 private:
  // Stays where it is: it knows where its reading's fields are.
  struct FamilyState {
    FamilyState() = default;
    FamilyState(const FamilyState&) = delete;
    FamilyState& operator=(const FamilyState&) = delete;

    std::optional<std::int64_t> options_at, state_at;  // of the rows that were read
    ColumnFamilyReading reading;
    std::vector<Counter*> gauges = family_fields(reading, FamilyPart::kGauge);
    std::vector<Counter*> ages = family_fields(reading, FamilyPart::kAge);
    std::array<std::optional<std::int64_t>, kFamilyAges> began_ns;
    std::array<Counter, kFamilyAges> fixed_ms;
  };

  Result<void> take_sample(Sample& sample);
  Result<void> take_histograms(DatabaseReading& database);
  Result<void> read_health(std::int64_t at);
  Result<void> read_knobs(std::int64_t at);
  template <class Reading>
  Result<void> read_noted(Statement& row, std::optional<std::int64_t> at,
                          std::optional<std::int64_t>& known_at, std::optional<Reading>& known);
  Result<void> read_column_families(std::int64_t sample, DatabaseReading& database);
  Result<void> step_to_family();
  Result<void> take_family(const DatabaseReading& database, std::size_t position);
  Result<void> read_state(std::int64_t at, std::size_t position, FamilyState& state);
  Result<void> read_options(std::int64_t at, std::size_t position, ColumnFamilyReading& reading);
  Result<std::string> name_of(Statement& find, std::map<std::int64_t, std::string>& known,
                              std::int64_t id);

  std::optional<Statement> samples_, health_, knobs_, nvme_, shared_, column_families_, options_,
      state_, incarnation_, device_;
  std::map<std::int64_t, std::string> incarnations_, devices_;
  HistogramForm form_ = HistogramForm::kSinceOpened;
  std::vector<std::optional<LatencyHistogram>> histograms_;  // since opened
  std::optional<std::int64_t> health_at_, knobs_at_, nvme_at_, shared_at_;
  std::vector<SourceHealth> last_health_;
  KnobReadings last_knobs_;
  std::optional<NvmeReading> last_nvme_;
  std::optional<SharedBudget> last_shared_;
  // Rows of column families follow each other as their samples do, but for those of other targets.
  std::optional<std::int64_t> family_row_of_;  // the sample of the row at hand
  std::deque<FamilyState> families_;
};

}  // namespace rocktune::trace
