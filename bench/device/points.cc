#include "bench/device/points.h"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string_view>

namespace rocktune::bench {
namespace {

enum Column : std::size_t { kReadPercent, kQueueDepth, kJobs, kBlockKib, kReads, kWrites, kCount };
constexpr std::array<std::string_view, kCount> kColumnNames{
    "read_percent", "queue_depth", "jobs", "block_kib", "read_iops", "write_iops"};

std::vector<std::string_view> split(std::string_view text, char at) {
  std::vector<std::string_view> parts;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = text.find(at);
    parts.push_back(text.substr(0, end));
    if (end != std::string_view::npos) text.remove_prefix(end + 1);
  }
  return parts;
}

std::string_view trimmed_cell(std::string_view text) {
  const auto begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1);
}

class PointReader {
 public:
  explicit PointReader(std::string file) : file_(std::move(file)) {}

  Result<std::vector<MeasuredPoint>> read(const std::string& text) {
    std::size_t number = 0;
    for (const std::string_view line : split(text, '\n')) {
      ++number;
      if (trimmed_cell(line).empty()) continue;
      if (!has_header_) {
        header(line);
      } else {
        row(line, number);
      }
    }
    if (!has_header_) problem(1, "is empty: give a header line and a row for each measurement");
    if (!problems_.empty()) return fail(ErrorCode::kInvalidArgument, problems_);
    return std::move(points_);
  }

 private:
  void problem(std::size_t line, const std::string& message) {
    if (!problems_.empty()) problems_ += '\n';
    problems_ += file_ + ":" + std::to_string(line) + ": " + message;
  }

  void header(std::string_view line) {
    has_header_ = true;
    const auto names = split(line, ',');
    for (std::size_t column = 0; column < kCount; ++column) {
      for (std::size_t i = 0; i < names.size(); ++i) {
        if (trimmed_cell(names[i]) == kColumnNames[column]) at_[column] = i;
      }
      if (!at_[column]) problem(1, std::string(kColumnNames[column]) + ": is required as a column");
    }
  }

  std::optional<double> cell(const std::vector<std::string_view>& cells, Column column, double min,
                             double max, std::size_t line) {
    if (!at_[column]) return std::nullopt;  // reported already
    const std::string name(kColumnNames[column]);
    if (*at_[column] >= cells.size()) {
      problem(line, name + ": is missing");
      return std::nullopt;
    }
    const std::string_view text = trimmed_cell(cells[*at_[column]]);
    double value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) {
      problem(line, name + ": '" + std::string(text) + "' is not a number");
      return std::nullopt;
    }
    if (value < min || value > max) {
      problem(line, name + ": " + std::string(text) + " is out of range: give " +
                        std::to_string(std::llround(min)) + " to " +
                        std::to_string(std::llround(max)));
      return std::nullopt;
    }
    return value;
  }

  void row(std::string_view line, std::size_t number) {
    const auto cells = split(line, ',');
    const auto reads = cell(cells, kReadPercent, 0, 100, number);
    const auto depth = cell(cells, kQueueDepth, 1, 65536, number);
    const auto jobs = cell(cells, kJobs, 1, 1024, number);
    const auto kib = cell(cells, kBlockKib, 1, 16384, number);
    const auto read_iops = cell(cells, kReads, 0, 1e9, number);
    const auto write_iops = cell(cells, kWrites, 0, 1e9, number);
    if (!reads || !depth || !jobs || !kib || !read_iops || !write_iops) return;
    MeasuredPoint point;
    point.load.read_share = *reads / 100;
    point.load.queue_depth = std::llround(*depth);
    point.load.jobs = std::llround(*jobs);
    point.load.request_bytes = std::llround(*kib * 1024);
    point.reads_per_second = *read_iops;
    point.writes_per_second = *write_iops;
    if (point.requests_per_second() <= 0) {
      problem(number, "read_iops and write_iops are both 0: nothing was measured");
      return;
    }
    points_.push_back(point);
  }

  std::string file_;
  bool has_header_ = false;
  std::array<std::optional<std::size_t>, kCount> at_;
  std::vector<MeasuredPoint> points_;
  std::string problems_;
};

}  // namespace

Result<std::vector<MeasuredPoint>> parse_points(const std::string& text, const std::string& file) {
  return PointReader(file).read(text);
}

}  // namespace rocktune::bench
