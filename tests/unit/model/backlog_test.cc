// compaction_backlog: from L0, pending bytes and memtables.
#include "model/text.h"
#include "model/write_stall.h"
#include "tests/unit/model/feed.h"

using namespace rocktune;
using rocktune::test::Feed;

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
  CHECK(alert.id == "compaction_backlog-" + text::moment(feed.f.at.wall));
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
        "writers lost 200 ms of the last 500 ms to stalls; which limit it was is not in this "
        "sample: `rocktune events` tells");
  CHECK(now.cause.empty());
}

TEST_CASE("pending bytes that delay nobody near those that stop writes", "[indicators]") {
  Feed feed;
  feed.f.pending_soft_bytes = 0;
  feed.f.pending_hard_bytes = 4e9;
  for (int i = 0; i < 60; ++i) {
    feed.f.pending_bytes = 2.6e9 + 0.02e9 * i;
    feed.f.pending_ratio = *feed.f.pending_bytes / *feed.f.pending_hard_bytes;
    feed.step();
  }
  REQUIRE_FALSE(feed.alerts.empty());
  CHECK(feed.alerts.back().message.find(" of 3.7 GiB wait for compaction") != std::string::npos);
  CHECK(feed.alerts.back().message.find("a write stop") != std::string::npos);
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
  SECTION("the write buffer manager") {
    feed.f.write_buffer_stall = 1;
    CHECK(feed.backlog().cause == "write_buffer_manager");
    CHECK(feed.alerts.at(0).message ==
          "writes are stopped: the memtables of all that share the write buffer manager are at its "
          "limit");
    feed.f.write_buffer_limit_bytes = 1 << 30;
    CHECK(find_write_stall(feed.f)->sentence.ends_with("are at its limit of 1 GiB"));
    feed.set_l0(36);  // where RocksDB stops writes, too
    CHECK(feed.backlog().cause == "l0");
  }
  SECTION("none in this sample") {
    Indicator now = feed.backlog();
    CHECK(now.cause.empty());
    CHECK(now.event);
    CHECK(feed.alerts.at(0).message ==
          "writes are stopped; which limit it was is not in this sample: `rocktune events` tells");
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
