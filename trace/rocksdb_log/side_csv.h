// Side CSVs: what was measured beside a LOG (rates of operations, the process's I/O, the device),
// mapped to the fields of samples, and read row by row.
//
//   FILE:time=COLUMN,FIELD=COLUMN[*FACTOR][+COLUMN...],FIELD=rate(COLUMN...),...
//
// `time=secs`: seconds since the LOG's first line; `time=epoch(when)`: seconds since 1970. FIELD: a
// field of DatabaseReading ("keys_written") or HostReading ("process_write_bytes"), or "device_"
// and one of DeviceReading ("device_read_sectors"). rate(...): so much per second, over the time
// since the row before (of the first row: since the start, or nothing where time is since 1970); it
// is added up to a counter. A column is named as in the file's first row, or by number: "#2".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/sample.h"
#include "trace/rocksdb_log/line_reader.h"
#include "trace/rocksdb_log/log_line.h"

namespace rocktune::trace::rocksdb_log {

struct SideColumn {
  struct Term {
    std::string column;
    double factor = 1;
    bool operator==(const Term&) const = default;
  };
  std::string field;
  bool rate = false;
  std::vector<Term> terms;
  bool operator==(const SideColumn&) const = default;
};

struct SideSpec {
  std::string path;
  std::string time_column;
  bool epoch = false;
  std::vector<SideColumn> columns;
  bool operator==(const SideSpec&) const = default;
};

// Fails with kInvalidArgument and a sentence that says what to write instead.
Result<SideSpec> parse_side_spec(const std::string& text);

// The names that a mapping may give, for messages and help.
std::vector<std::string> side_fields();

class SideReader {
 public:
  // Reads the first row. `start`: of the LOG, UTC.
  static Result<SideReader> open(const SideSpec& spec, Micros start);

  // Takes all rows up to then; `at` rises from call to call.
  void advance(Micros at);
  // What the last row said; nothing when it is older than three of its file's steps.
  void fill(Micros at, Micros interval, Sample& sample) const;

  [[nodiscard]] std::uint64_t rows() const { return rows_; }
  // Cut (beyond kMaxLineBytes), no number, or time not rising.
  [[nodiscard]] std::uint64_t bad_rows() const { return bad_rows_; }
  // Why the file was not read to its end; empty when nothing kept it from it.
  [[nodiscard]] const std::string& damage() const { return reader_.damage(); }
  [[nodiscard]] const std::string& path() const { return spec_.path; }

 private:
  struct Row {
    Micros at{0};
    std::vector<std::optional<double>> values;  // per SideSpec::columns
  };
  SideReader(SideSpec spec, LineReader reader, Micros start);
  Result<void> read_header();
  Result<std::size_t> find_column(const std::string& name) const;
  bool read_row();
  std::optional<Row> parse_row(const std::string& line) const;
  void take(Row row);

  SideSpec spec_;
  LineReader reader_;
  Micros start_{0};
  std::vector<std::string> header_;
  std::size_t time_index_ = 0;
  std::vector<std::vector<std::size_t>> indexes_;  // per column and term
  std::optional<Row> next_;                        // read, but later than what was asked for
  std::optional<std::string> first_line_;          // a first row that is no header
  std::optional<Micros> last_at_;
  Micros step_{0};
  std::vector<std::optional<double>> values_;
  std::uint64_t rows_ = 0, bad_rows_ = 0;
};

}  // namespace rocktune::trace::rocksdb_log
