#include "model/indicators.h"

#include <cmath>

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using rocktune::test::at_seconds;

namespace {

// Features of a quiet database, half a second apart.
class Feed {
 public:
  Feed() {
    f.sequence = 0;
    f.fresh = true;
    f.interval_seconds = 0.5;
    f.l0_column_family = f.pending_column_family = f.memtable_column_family = "default";
    set_l0(2);
    f.l0_slowdown_files = 20;
    f.l0_stop_files = 36;
    f.pending_bytes = 0;
    f.pending_soft_bytes = 1e9;
    f.pending_ratio = 0;
    f.immutable_memtables = 0;
    f.max_write_buffers = 2;
    f.memtable_ratio = 0;
    f.write_stopped = 0;
    f.stalled_ratio = 0;
    f.reads_per_second = f.writes_per_second = 10000;
    f.read_p99_us = f.write_p99_us = 500;
    f.device_queue = 1;
    f.device_read_iops = 1000;
    f.device_read_await_ms = 0.2;
  }
  void set_l0(double files) {
    f.l0_files = files;
    f.l0_ratio = files / 20;
  }
  IndicatorModel::Step step() {
    ++f.sequence;
    f.at = {at_seconds(1.7e9 + 0.5 * static_cast<double>(f.sequence)),
            at_seconds(0.5 * static_cast<double>(f.sequence))};
    IndicatorModel::Step out = model.update(f);
    REQUIRE(out.indicators.size() == 3);
    for (const AlertChange& alert : out.alerts) alerts.push_back(alert);
    return out;
  }
  void steps(int count) {
    for (int i = 0; i < count; ++i) step();
  }
  Indicator backlog() { return step().indicators[1]; }

  Features f;
  IndicatorModel model{Objective{}};
  std::vector<AlertChange> alerts;
};

}  // namespace

TEST_CASE("a quiet database warns of nothing", "[indicators]") {
  Feed feed;
  feed.steps(100);
  auto out = feed.step();
  CHECK(feed.alerts.empty());
  for (std::size_t i = 0; i < 3; ++i) {
    const Indicator& indicator = out.indicators[i];
    CHECK(static_cast<std::size_t>(indicator.kind) == i);
    CHECK(indicator.valid);
    CHECK(indicator.state == AlertState::kOk);
    CHECK(indicator.probability < 0.1);
    CHECK_FALSE(indicator.event);
    CHECK_FALSE(indicator.calibrated);
    CHECK(indicator.horizon_seconds == 30);
    CHECK(indicator.drivers.size() <= 5);
  }
}

TEST_CASE("a filling L0 warns before the slowdown, and says when", "[indicators]") {
  Feed feed;
  feed.steps(20);
  double files = 2;
  while (feed.alerts.empty() && files < 20) {
    files += 0.4;
    feed.set_l0(std::floor(files));
    feed.step();
  }
  REQUIRE(feed.alerts.size() == 1);
  const AlertChange& alert = feed.alerts[0];
  CHECK(alert.from == AlertState::kOk);
  CHECK(alert.indicator.state == AlertState::kWarning);
  CHECK(alert.indicator.cause == "l0");
  CHECK(alert.id == "compaction_backlog-" + std::to_string(feed.f.sequence));
  REQUIRE(alert.indicator.eta_seconds);
  // 0.8 files a second: the estimate is near what is really left.
  CHECK(*alert.indicator.eta_seconds == Approx((20 - std::floor(files)) / 0.8).epsilon(0.3));
  CHECK(*alert.indicator.eta_seconds > 4);
  CHECK(alert.indicator.drivers[0].feature == "l0_files");
  CHECK(alert.message.find("of 20 files in column family default and gains 0.") !=
        std::string::npos);
  CHECK(alert.message.find("delayed writes in about ") != std::string::npos);
}

TEST_CASE("a steady L0, even a high one, is not extrapolated", "[indicators]") {
  Feed feed;
  feed.set_l0(13);
  feed.steps(60);
  CHECK(feed.alerts.empty());
  Feed high;
  high.set_l0(19);
  high.steps(60);
  CHECK(high.backlog().state == AlertState::kWarning);  // the static rule: 0.9 of the slowdown
}

TEST_CASE("the event is critical at once and clears after a quiet time", "[indicators]") {
  Feed feed;
  feed.set_l0(19);
  feed.step();  // warns
  feed.f.delayed_bytes_per_second = 16e6;
  feed.set_l0(20);
  Indicator now = feed.backlog();
  CHECK(now.state == AlertState::kCritical);
  CHECK(now.event);
  CHECK(now.probability == 1);
  CHECK(*now.eta_seconds == 0);
  REQUIRE(feed.alerts.size() == 2);
  CHECK(feed.alerts[1].message ==
        "writes are delayed to 15 MiB/s: L0 has 20 files in column family default, its limit for a "
        "slowdown is 20");
  CHECK(feed.alerts[0].id == feed.alerts[1].id);
  feed.f.delayed_bytes_per_second.reset();
  feed.set_l0(2);
  feed.steps(18);
  CHECK(feed.alerts.size() == 2);  // not quiet for long enough
  feed.steps(5);
  REQUIRE(feed.alerts.size() == 3);
  const AlertChange& cleared = feed.alerts[2];
  CHECK(cleared.indicator.state == AlertState::kOk);
  CHECK(cleared.id == feed.alerts[0].id);
  CHECK(cleared.event_came == true);
  CHECK(*cleared.lead_seconds == Approx(0.5));
  CHECK(cleared.message.find("the write stall came 0.5 s after the warning") != std::string::npos);
  CHECK(feed.backlog().state == AlertState::kOk);
}

TEST_CASE("a warning that nothing followed says so", "[indicators]") {
  Feed feed;
  feed.steps(20);
  feed.set_l0(19);
  feed.step();
  feed.set_l0(2);
  feed.steps(30);
  REQUIRE(feed.alerts.size() == 2);
  CHECK(feed.alerts[1].event_came == false);
  CHECK_FALSE(feed.alerts[1].lead_seconds);
  CHECK(feed.alerts[1].message.find("over after ") == 0);
  CHECK(feed.alerts[1].message.find("no write stall came") != std::string::npos);
}

TEST_CASE("a value that flickers around the threshold does not flicker the alert", "[indicators]") {
  Feed feed;
  feed.steps(20);
  for (int i = 0; i < 200; ++i) {
    feed.set_l0(i % 2 ? 19 : 17);
    feed.step();
  }
  CHECK(feed.alerts.size() == 1);
}

TEST_CASE("a jump of pending bytes raises nothing", "[indicators]") {
  Feed feed;
  for (int i = 0; i < 60; ++i) {
    feed.f.pending_bytes = 1e8 + 1e5 * i + (i >= 30 ? 4.5e8 : 0);
    feed.f.pending_ratio = *feed.f.pending_bytes / 1e9;
    feed.step();
  }
  CHECK(feed.alerts.empty());
}

TEST_CASE("a stop shorter than a poll shows in the time lost", "[indicators]") {
  Feed feed;
  feed.steps(10);
  feed.f.stalled_ratio = 0.4;
  Indicator now = feed.backlog();
  CHECK(now.event);
  CHECK(feed.alerts.at(0).message ==
        "writers lost 200 ms of the last 500 ms to stalls; no limit is reached in this sample");
  CHECK(now.cause.empty());
}

TEST_CASE("a stop names the limit that is reached, not the nearest one", "[indicators]") {
  Feed feed;
  feed.set_l0(4);
  feed.steps(10);
  feed.f.write_stopped = 1;
  SECTION("memtables") {
    feed.f.immutable_memtables = 2;
    CHECK(feed.backlog().cause == "memtables");
    CHECK(feed.alerts.at(0).message ==
          "writes are stopped: 2 of 2 memtables wait for their flush in column family default");
  }
  SECTION("L0") {
    feed.set_l0(36);
    CHECK(feed.backlog().cause == "l0");
    CHECK(feed.alerts.at(0).message.find("its limit for a stop is 36") != std::string::npos);
  }
  SECTION("L0 at its slowdown stops nothing") {
    feed.set_l0(20);
    CHECK(feed.backlog().cause.empty());
  }
  SECTION("pending bytes") {
    feed.f.pending_bytes = feed.f.pending_hard_bytes = 4e9;
    CHECK(feed.backlog().cause == "pending_bytes");
    CHECK(feed.alerts.at(0).message.find("the limit for a stop is 3.7 GiB") != std::string::npos);
  }
  SECTION("none in this sample") {
    Indicator now = feed.backlog();
    CHECK(now.cause.empty());
    CHECK(now.event);
    CHECK(feed.alerts.at(0).message == "writes are stopped; no limit is reached in this sample");
  }
}

TEST_CASE("a delay names the limit that is reached", "[indicators]") {
  Feed feed;
  feed.set_l0(4);
  feed.steps(10);
  feed.f.delayed_bytes_per_second = 16e6;
  SECTION("memtables, of more than three") {
    feed.f.max_write_buffers = 6;
    feed.f.immutable_memtables = 5;
    CHECK(feed.backlog().cause == "memtables");
  }
  SECTION("three memtables know no delay") {
    feed.f.max_write_buffers = 3;
    feed.f.immutable_memtables = 2;
    CHECK(feed.backlog().cause.empty());
  }
  SECTION("pending bytes") {
    feed.f.pending_bytes = 1e9;
    CHECK(feed.backlog().cause == "pending_bytes");
  }
}

TEST_CASE("memtables that wait for their flush are a backlog", "[indicators]") {
  Feed feed;
  feed.steps(20);
  feed.f.immutable_memtables = 2;
  feed.f.memtable_ratio = 1;
  feed.step();
  CHECK(feed.alerts.empty());  // one full queue in one poll ends with the next flush
  feed.steps(12);
  REQUIRE_FALSE(feed.alerts.empty());
  CHECK(feed.alerts[0].indicator.cause == "memtables");
}

TEST_CASE("P99: one slow poll is no broken SLO, a slow second is", "[indicators]") {
  Feed feed;
  feed.steps(20);
  feed.f.read_p99_us = 20000;
  CHECK_FALSE(feed.step().indicators[0].event);
  feed.f.read_p99_us = 500;
  feed.steps(20);
  CHECK(feed.alerts.empty());
  feed.f.read_p99_us = 20000;
  feed.steps(4);
  Indicator p99 = feed.step().indicators[0];
  CHECK(p99.event);
  CHECK(p99.cause == "read");
  CHECK(p99.state == AlertState::kCritical);
  REQUIRE_FALSE(feed.alerts.empty());
  CHECK(feed.alerts.back().message == "read P99 is 20 ms, above its limit of 5 ms");
}

TEST_CASE("P99: a rise towards the SLO warns first", "[indicators]") {
  Feed feed;
  feed.steps(30);
  for (int i = 0; i < 73 && feed.alerts.empty(); ++i) {
    feed.f.write_p99_us = 500 * std::exp(0.05 * i);
    feed.step();
  }
  REQUIRE_FALSE(feed.alerts.empty());
  CHECK(feed.alerts[0].indicator.state == AlertState::kWarning);
  CHECK(feed.alerts[0].indicator.cause == "write");
  CHECK_FALSE(feed.alerts[0].indicator.event);
  CHECK(*feed.alerts[0].indicator.eta_seconds > 1);
}

TEST_CASE("P99: of a handful of operations it says nothing", "[indicators]") {
  Feed feed;
  feed.f.reads_per_second = feed.f.writes_per_second = 4;
  feed.f.read_p99_us = 50000;
  feed.steps(5);
  Indicator p99 = feed.step().indicators[0];
  CHECK_FALSE(p99.valid);
  CHECK_FALSE(p99.why_invalid.empty());
  CHECK(feed.alerts.empty());
}

TEST_CASE("the device: a queue that lasts is saturation", "[indicators]") {
  Feed feed;
  feed.steps(20);
  feed.f.device_queue = 60;
  CHECK_FALSE(feed.step().indicators[2].event);
  feed.steps(8);
  Indicator device = feed.step().indicators[2];
  CHECK(device.event);
  CHECK(device.cause == "queue");
  feed.f.device_queue = 1;
  feed.f.device_read_await_ms = 30;
  feed.steps(10);
  CHECK(feed.step().indicators[2].cause == "await");
}

TEST_CASE("what is missing is named, and is no probability", "[indicators]") {
  Feed feed;
  feed.f = Features{};
  feed.f.fresh = true;
  auto out = feed.step();
  for (const Indicator& indicator : out.indicators) {
    CHECK_FALSE(indicator.valid);
    CHECK(indicator.probability == 0);
    CHECK_FALSE(indicator.why_invalid.empty());
    CHECK(indicator.state == AlertState::kOk);
  }
}

TEST_CASE("without data an alert is kept for a while, then given up", "[indicators]") {
  Feed feed;
  feed.set_l0(20);
  feed.steps(5);
  REQUIRE(feed.alerts.size() == 1);
  feed.f.fresh = false;
  feed.steps(50);
  CHECK(feed.alerts.size() == 1);
  CHECK_FALSE(feed.backlog().valid);
  feed.steps(20);
  REQUIRE(feed.alerts.size() == 2);
  CHECK(feed.alerts[1].message.find("given up") != std::string::npos);
}

TEST_CASE("a reopened database ends its alerts and forgets its trends", "[indicators]") {
  Feed feed;
  feed.set_l0(19);
  feed.steps(20);
  REQUIRE(feed.alerts.size() == 1);
  feed.set_l0(0);
  feed.f.reset = true;
  feed.step();
  REQUIRE(feed.alerts.size() == 2);
  CHECK(feed.alerts[1].message.find("opened anew") != std::string::npos);
  CHECK(feed.alerts[1].indicator.state == AlertState::kOk);
  feed.f.reset = false;
  CHECK(feed.backlog().state == AlertState::kOk);
}

TEST_CASE("after a long gap trends begin anew", "[indicators]") {
  Feed feed;
  for (int i = 0; i < 20; ++i) {
    feed.set_l0(std::floor(4 + 0.4 * i));
    feed.step();
  }
  feed.f.missed_polls = 50;
  CHECK_FALSE(feed.backlog().eta_seconds);
}

TEST_CASE("far from the limit a rising flank promises nothing", "[indicators]") {
  Feed feed;
  for (int i = 0; i < 14; ++i) {
    feed.set_l0(std::floor(0.5 * i));  // 1 file a second, up to 6 of 20
    feed.step();
  }
  Indicator backlog = feed.backlog();
  CHECK_FALSE(backlog.eta_seconds);
  CHECK(backlog.probability < 0.1);
}

TEST_CASE("a state that only hysteresis keeps up has no outlook", "[indicators]") {
  Feed feed;
  feed.set_l0(8);
  feed.steps(20);
  feed.f.stalled_ratio = 0.5;
  feed.step();
  feed.f.stalled_ratio = 0;
  for (int i = 0; i < 40; ++i) {
    feed.set_l0(9 + i % 4);  // in the middle, up and down
    feed.step();
  }
  for (const AlertChange& alert : feed.alerts) {
    if (alert.indicator.probability >= 0.5) continue;
    CHECK(alert.message.find("delayed writes in") == std::string::npos);
  }
  CHECK(feed.alerts.size() >= 2);
}

TEST_CASE("while writes are delayed the stop is in sight", "[indicators]") {
  Feed feed;
  for (int i = 0; i < 8; ++i) {
    feed.set_l0(i);  // 2 files a second
    feed.step();
  }
  feed.set_l0(20);
  feed.f.delayed_bytes_per_second = 16e6;
  feed.step();
  REQUIRE(feed.alerts.size() == 1);
  CHECK(feed.alerts[0].message.find("writes are delayed") == 0);
  CHECK(feed.alerts[0].message.find(": a full stop in about ") != std::string::npos);
  CHECK(*feed.alerts[0].indicator.eta_seconds == 0);
}
