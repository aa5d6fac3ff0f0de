#include <cmath>
#include <sstream>

#include "bench/device/fit.h"
#include "tests/support/catch.h"

using namespace rocktune::bench;
using namespace rocktune::scenario;

namespace {

// A made-up device, far from the fit's first guesses.
DeviceProfile true_profile() {
  DeviceProfile profile;
  profile.read_bytes_per_second = 3e9;
  profile.write_bytes_per_second = 1.2e9;
  profile.read_iops = 400e3;
  profile.write_iops = 200e3;
  profile.mixing_loss = 1.6;
  profile.read_latency_us = 110;
  profile.write_latency_us = 30;
  profile.larger_read_latency_us = {{65536, 180}};
  profile.larger_write_latency_us = {{65536, 60}};
  profile.read_latency_growth = {2, 0.3, 0.3, 0.02};
  profile.max_request_bytes = 65536;
  return profile;
}

// What fio would have measured on it, as the CSV file that the command reads.
std::string synthetic_csv() {
  std::ostringstream csv;
  csv << "read_percent,queue_depth,jobs,block_kib,note,read_iops,write_iops\n";
  for (const int read_percent : {0, 25, 50, 75, 100}) {
    for (const int depth : {1, 8, 64}) {
      for (const int jobs : {1, 4}) {
        for (const int kib : {4, 64}) {
          const ClosedLoad load{read_percent / 100.0, jobs, depth, kib * 1024, 4};
          const ClosedThroughput done = run_closed_loop(true_profile(), load, 0.1, 0.2);
          csv << read_percent << ',' << depth << ',' << jobs << ',' << kib << ",x,"
              << done.reads_per_second << ',' << done.writes_per_second << '\n';
        }
      }
    }
  }
  return csv.str();
}

std::vector<MeasuredPoint> synthetic_points() {
  static const auto points = parse_points(synthetic_csv(), "synthetic.csv");
  REQUIRE(points);
  return *points;
}

}  // namespace

TEST_CASE("the device model does what the formula expects", "[bench][device][fit]") {
  std::vector<double> differences;
  for (const MeasuredPoint& point : synthetic_points()) {
    ClosedLoad load = point.load;
    load.host_us_per_request = 4;
    differences.push_back(std::abs(
        expected_requests_per_second(true_profile(), load) / point.requests_per_second() - 1));
  }
  const ErrorSummary summary = summarise(differences);
  CHECK(summary.points == 60);
  CHECK(summary.median < 0.03);
  CHECK(summary.max < 0.20);
}

TEST_CASE("a closed loop obeys Little's law and its job's CPU", "[bench][device][fit]") {
  const ClosedLoad load{0.5, 2, 16, 4096, 4};
  const ClosedThroughput done = run_closed_loop(true_profile(), load, 0.2, 0.5);
  // 32 requests: in flight at the device, or at their job's CPU, which takes 4 us or more.
  const double at_device =
      (done.reads_per_second * done.read_mean_us + done.writes_per_second * done.write_mean_us) /
      1e6;
  CHECK(at_device <= 32);
  CHECK(at_device > 30);
  CHECK(done.reads_per_second == Approx(done.writes_per_second).epsilon(0.02));

  const ClosedThroughput cpu_bound =
      run_closed_loop(true_profile(), {1, 1, 64, 4096, 10}, 0.1, 0.2);
  CHECK(cpu_bound.requests_per_second() == Approx(100e3).epsilon(0.01));
  CHECK(cpu_bound.write_mean_us == 0);

  const ClosedThroughput again = run_closed_loop(true_profile(), load, 0.2, 0.5);
  CHECK(again.reads_per_second == done.reads_per_second);
  CHECK(again.write_mean_us == done.write_mean_us);
}

TEST_CASE("a fit finds the device again, at points that it has not seen", "[bench][device][fit]") {
  const auto points = synthetic_points();
  const auto held = held_out(points, 1, 3, 0);
  std::vector<MeasuredPoint> seen;
  std::vector<MeasuredPoint> unseen;
  for (std::size_t i = 0; i < points.size(); ++i) (held[i] ? unseen : seen).push_back(points[i]);
  REQUIRE(unseen.size() == 12);
  const auto fit = fit_device(seen);
  REQUIRE(fit);
  CHECK(fit->profile.read_bytes_per_second == Approx(3e9).epsilon(0.05));
  CHECK(fit->profile.write_bytes_per_second == Approx(1.2e9).epsilon(0.05));
  CHECK(fit->profile.mixing_loss == Approx(1.6).epsilon(0.25));
  CHECK(fit->profile.read_latency_us == Approx(110).epsilon(0.1));
  CHECK(fit->host_us_per_request == Approx(4).epsilon(0.1));
  std::vector<double> errors;
  for (const MeasuredPoint& point : unseen) errors.push_back(model_error(*fit, point));
  const ErrorSummary summary = summarise(errors);
  CHECK(summary.median < 0.05);
  CHECK(summary.max < 0.2);

  // Without its mixing loss the same profile misses: the check can fail.
  DeviceFit fair = *fit;
  fair.profile.mixing_loss = 0;
  std::vector<double> worse;
  for (const MeasuredPoint& point : unseen) worse.push_back(model_error(fair, point));
  CHECK(summarise(worse).max > 0.2);
}

TEST_CASE("each mixed point is held out in exactly one part", "[bench][device][fit]") {
  const auto points = synthetic_points();
  std::vector<int> times(points.size(), 0);
  for (std::uint64_t part = 0; part < 3; ++part) {
    const auto held = held_out(points, 5, 3, part);
    for (std::size_t i = 0; i < held.size(); ++i) times[i] += held[i] ? 1 : 0;
  }
  for (std::size_t i = 0; i < points.size(); ++i) CHECK(times[i] == (points[i].mixed() ? 1 : 0));
  CHECK(held_out(points, 5, 3, 0) == held_out(points, 5, 3, 0));
  CHECK(held_out(points, 5, 3, 0) != held_out(points, 6, 3, 0));
}

TEST_CASE("too few points are refused", "[bench][device][fit]") {
  auto points = synthetic_points();
  std::erase_if(points, [](const MeasuredPoint& point) { return point.load.read_share == 1; });
  const auto fit = fit_device(points);
  REQUIRE_FALSE(fit);
  CHECK(fit.error().message.find("with pure reads (read_percent 100)") != std::string::npos);
}

TEST_CASE("every mistake in a file of points is told at once", "[bench][device][fit]") {
  const auto columns = parse_points("queue_depth,jobs,block_kib,read_iops\n1,1,4,5\n", "p.csv");
  REQUIRE_FALSE(columns);
  CHECK(columns.error().message ==
        "p.csv:1: read_percent: is required as a column\n"
        "p.csv:1: write_iops: is required as a column");

  const auto rows = parse_points(
      "read_percent,queue_depth,jobs,block_kib,read_iops,write_iops\r\n"
      "50,0,1,4,10,10\n"
      "50,1,one,4,10,10\n"
      "\n"
      "101,1,1,4,10\n"
      "50,1,1,4,0,0\n",
      "p.csv");
  REQUIRE_FALSE(rows);
  CHECK(rows.error().message ==
        "p.csv:2: queue_depth: 0 is out of range: give 1 to 65536\n"
        "p.csv:3: jobs: 'one' is not a number\n"
        "p.csv:5: read_percent: 101 is out of range: give 0 to 100\n"
        "p.csv:5: write_iops: is missing\n"
        "p.csv:6: read_iops and write_iops are both 0: nothing was measured");
  CHECK_FALSE(parse_points("", "p.csv"));
}

TEST_CASE("errors are summed up by their median, P90 and maximum", "[bench][device][fit]") {
  const ErrorSummary summary = summarise({0.5, 0.1, 0.2, 0.3, 0.4, 0.6, 0.7, 0.8, 0.9, 1.0, 0.0});
  CHECK(summary.points == 11);
  CHECK(summary.median == Approx(0.5));
  CHECK(summary.p90 == Approx(0.9));
  CHECK(summary.max == Approx(1.0));
  CHECK(summarise({}).points == 0);
}

TEST_CASE("at the limit of a device of the model's form its load is 1", "[bench][device][fit]") {
  const DeviceFit fit{true_profile(), 0};
  std::vector<double> errors;
  for (const MeasuredPoint& point : synthetic_points()) {
    if (!point.mixed() || point.load.in_flight() < 256) continue;
    // One made of 4 us of CPU for each request is no limit of the device's.
    if (point.load.request_bytes == 65536) errors.push_back(load_error(fit, point));
  }
  REQUIRE(errors.size() == 3);
  CHECK(summarise(errors).max < 0.05);
  MeasuredPoint half;
  half.load = {1, 1, 64, 4096, 0};
  half.reads_per_second = true_profile().read_iops / 2;
  CHECK(load_error(fit, half) == Approx(0.5));
}
