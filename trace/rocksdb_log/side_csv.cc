#include "trace/rocksdb_log/side_csv.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace rocktune::trace::rocksdb_log {
namespace {

constexpr double kEpochSeconds = 1e9;  // 2001: nobody's run is as long
constexpr double kLongestTime = 1e10;
constexpr int kStepsToLive = 3;

std::vector<std::string> split_row(std::string_view line) {
  std::vector<std::string> cells;
  while (true) {
    const auto comma = line.find(',');
    std::string_view cell = trimmed(line.substr(0, comma));
    if (cell.size() >= 2 && cell.front() == '"' && cell.back() == '"') {
      cell = cell.substr(1, cell.size() - 2);
    }
    cells.emplace_back(cell);
    if (comma == std::string_view::npos) return cells;
    line.remove_prefix(comma + 1);
  }
}

std::optional<double> parse_cell(const std::string& cell) {
  double value = 0;
  const char* end = cell.data() + cell.size();
  const auto parsed = std::from_chars(cell.data(), end, value);
  if (parsed.ec != std::errc{} || parsed.ptr != end || !std::isfinite(value)) return std::nullopt;
  return value;
}

Micros as_micros(double seconds) {
  return Micros(static_cast<std::int64_t>(std::llround(seconds * 1e6)));
}

template <class Reading>
bool set_field(Reading& reading, const std::string& field, const Counter& value) {
  bool found = false;
  Reading::visit_fields(reading, [&](const char* name, Counter& counter) {
    if (field != name) return;
    counter = value;
    found = true;
  });
  return found;
}

void set_in_sample(Sample& sample, const std::string& field, const Counter& value) {
  if (sample.database && set_field(*sample.database, field, value)) return;
  HostReading host = sample.host.value_or(HostReading{});
  if (set_field(host, field, value)) {
    sample.host = host;
    return;
  }
  const std::string prefix = "device_";
  if (!field.starts_with(prefix)) return;
  if (!sample.device) sample.device.emplace().name = "side";
  set_field(*sample.device, field.substr(prefix.size()), value);
}

}  // namespace

SideReader::SideReader(SideSpec spec, LineReader reader, Micros start)
    : spec_(std::move(spec)),
      reader_(std::move(reader)),
      start_(start),
      values_(spec_.columns.size()) {}

Result<SideReader> SideReader::open(const SideSpec& spec, Micros start) {
  auto lines = LineReader::open(spec.path);
  if (!lines) return tl::unexpected(lines.error().within("side CSV"));
  SideReader reader(spec, std::move(*lines), start);
  if (auto done = reader.read_header(); !done) return tl::unexpected(done.error());
  return reader;
}

Result<std::size_t> SideReader::find_column(const std::string& name) const {
  const auto found = std::find(header_.begin(), header_.end(), name);
  if (found != header_.end()) return static_cast<std::size_t>(found - header_.begin());
  std::string_view digits = name;
  if (digits.starts_with('#')) {
    digits.remove_prefix(1);
    const auto number = take_number(digits);
    if (number && digits.empty() && *number >= 1 && *number <= header_.size()) return *number - 1;
  }
  std::string there;
  for (const std::string& column : header_) there += (there.empty() ? "" : ", ") + column;
  return fail(ErrorCode::kInvalidArgument, "side CSV " + spec_.path + " has no column \"" + name +
                                               "\"; there are: " + there.substr(0, 500));
}

Result<void> SideReader::read_header() {
  const auto line = reader_.next();
  if (!line) return fail(ErrorCode::kInvalidArgument, "side CSV " + spec_.path + " is empty");
  header_ = split_row(line->text);
  const bool numbers = std::all_of(header_.begin(), header_.end(),
                                   [](const std::string& cell) { return parse_cell(cell); });
  if (numbers) first_line_ = std::string(line->text);
  const auto time = find_column(spec_.time_column);
  if (!time) return tl::unexpected(time.error());
  time_index_ = *time;
  for (const SideColumn& column : spec_.columns) {
    auto& indexes = indexes_.emplace_back();
    for (const SideColumn::Term& term : column.terms) {
      const auto index = find_column(term.column);
      if (!index) return tl::unexpected(index.error());
      indexes.push_back(*index);
    }
  }
  if (!read_row()) return {};
  const double first = static_cast<double>((next_->at - start_).count()) / 1e6;
  if (!spec_.epoch && first >= kEpochSeconds) {
    return fail(ErrorCode::kInvalidArgument,
                "side CSV " + spec_.path + ": column " + spec_.time_column +
                    " looks like seconds since 1970; write time=epoch(" + spec_.time_column + ")");
  }
  return {};
}

std::optional<SideReader::Row> SideReader::parse_row(const std::string& line) const {
  const std::vector<std::string> cells = split_row(line);
  if (time_index_ >= cells.size()) return std::nullopt;
  const auto time = parse_cell(cells[time_index_]);
  if (!time || std::abs(*time) > kLongestTime) return std::nullopt;
  Row row{as_micros(*time) + (spec_.epoch ? Micros{0} : start_), {}};
  for (std::size_t i = 0; i < spec_.columns.size(); ++i) {
    std::optional<double> sum = 0;
    for (std::size_t term = 0; term < indexes_[i].size(); ++term) {
      const std::size_t index = indexes_[i][term];
      const auto cell = index < cells.size() ? parse_cell(cells[index]) : std::nullopt;
      sum = sum && cell ? std::optional(*sum + *cell * spec_.columns[i].terms[term].factor)
                        : std::nullopt;
    }
    if (sum && !std::isfinite(*sum)) sum.reset();
    row.values.push_back(sum);
  }
  return row;
}

// The next good row becomes next_.
bool SideReader::read_row() {
  next_.reset();
  while (true) {
    std::string text;
    bool cut = false;
    if (first_line_) {
      text = *std::exchange(first_line_, std::nullopt);
    } else {
      const auto line = reader_.next();
      if (!line) return false;
      text = std::string(line->text);
      cut = line->cut;
    }
    if (trimmed(text).empty()) continue;
    auto row = cut ? std::nullopt : parse_row(text);
    ++rows_;
    if (row && (!last_at_ || row->at > *last_at_)) {
      next_ = std::move(row);
      return true;
    }
    ++bad_rows_;
  }
}

void SideReader::take(Row row) {
  const std::optional<Micros> before = last_at_      ? last_at_
                                       : spec_.epoch ? std::nullopt
                                                     : std::optional(start_);
  const Micros step = before ? row.at - *before : Micros{0};
  for (std::size_t i = 0; i < spec_.columns.size(); ++i) {
    if (!spec_.columns[i].rate) {
      values_[i] = row.values[i];
    } else if (row.values[i]) {
      values_[i] =
          values_[i].value_or(0) + *row.values[i] * static_cast<double>(step.count()) / 1e6;
    }
  }
  if (last_at_) step_ = step;
  last_at_ = row.at;
}

void SideReader::advance(Micros at) {
  while (next_ && next_->at <= at) {
    take(std::move(*next_));
    read_row();
  }
}

void SideReader::fill(Micros at, Micros interval, Sample& sample) const {
  if (!last_at_ || at - *last_at_ > kStepsToLive * std::max(step_, interval)) return;
  for (std::size_t i = 0; i < spec_.columns.size(); ++i) {
    const auto& value = values_[i];
    if (!value || !(*value >= 0 && *value <= 9e18)) continue;  // no number is neither
    set_in_sample(sample, spec_.columns[i].field, static_cast<std::uint64_t>(*value));
  }
}

}  // namespace rocktune::trace::rocksdb_log
