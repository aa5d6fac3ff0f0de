#include <cmath>

#include "tests/unit/model/feed.h"

using namespace rocktune;
using rocktune::test::Feed;

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
    CHECK(indicator.horizon_seconds == 60);
    CHECK(indicator.drivers.empty());
    const auto drivers = feed.model.drivers(indicator.kind, feed.f);
    CHECK(drivers.size() >= 2);
    CHECK(drivers.size() <= 5);
  }
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
  CHECK(cleared.message.find("another one") == std::string::npos);
  CHECK(feed.backlog().state == AlertState::kOk);
}

TEST_CASE("an indicator knows how long ago its event was, and what to say of now", "[indicators]") {
  Feed feed;
  CHECK_FALSE(feed.backlog().seconds_since_event);
  feed.f.delayed_bytes_per_second = 16e6;
  feed.set_l0(20);
  CHECK(feed.backlog().seconds_since_event == 0.0);
  CHECK(feed.model.sentence(IndicatorKind::kCompactionBacklog) ==
        "writes are delayed to 15 MiB/s: L0 has 20 files in column family default, its limit for a "
        "slowdown is 20");
  feed.f.delayed_bytes_per_second.reset();
  feed.set_l0(2);
  feed.steps(3);
  CHECK(feed.backlog().seconds_since_event == Approx(2.0));
  CHECK(feed.model.sentence(IndicatorKind::kCompactionBacklog).starts_with("L0 has 2 of 20 files"));
}

TEST_CASE("an alert whose event is over says so where the next one is foreseen", "[indicators]") {
  Feed feed;
  feed.set_l0(19);
  feed.step();
  feed.f.delayed_bytes_per_second = 16e6;
  feed.set_l0(20);
  feed.step();
  feed.f.delayed_bytes_per_second.reset();
  feed.set_l0(19);
  feed.steps(25);
  REQUIRE(feed.alerts.size() >= 4);
  CHECK(feed.alerts[2].indicator.state == AlertState::kOk);
  CHECK(feed.alerts[2].message.ends_with("; another one is foreseen"));
  CHECK(feed.alerts[3].indicator.state != AlertState::kOk);
  CHECK(feed.alerts[3].id != feed.alerts[2].id);
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
  for (int i = 0; i < 60; ++i) {  // a horizon: then it counts as a false alarm, and less is warned
    feed.set_l0(i % 2 ? 19 : 17);
    feed.step();
  }
  CHECK(feed.alerts.size() == 1);
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

TEST_CASE("P99: hardly above the SLO is not said in equal figures", "[indicators]") {
  Feed feed;
  feed.steps(20);
  feed.f.read_p99_us = 5010;
  feed.steps(6);
  REQUIRE_FALSE(feed.alerts.empty());
  CHECK(feed.alerts.back().message == "read P99 is 5 ms, just above its limit");
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
