// The small parts: schedule, notes, limits, alert log, sd_notify, metrics.
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <fstream>
#include <sstream>

#include "daemon/alert_log.h"
#include "daemon/feature_help.h"
#include "daemon/health_notes.h"
#include "daemon/http/unix_socket.h"
#include "daemon/limited.h"
#include "daemon/metrics.h"
#include "daemon/notify.h"
#include "daemon/schedule.h"
#include "files/text_file.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/support.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

std::string contents(const std::string& path) {
  std::ifstream stream(path);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("the next poll is due at the previous due time plus the interval", "[daemon][schedule]") {
  Schedule schedule(500ms, 10s);
  Schedule::Poll poll = schedule.take(10s + 20ms);
  CHECK(poll.due == 10s);
  CHECK(poll.missed == 0);
  CHECK_FALSE(poll.late);
  CHECK(schedule.next() == 10s + 500ms);  // not 10.52 s

  poll = schedule.take(10s + 800ms);  // late, but within its interval
  CHECK(poll.due == 10s + 500ms);
  CHECK(poll.late);
  CHECK(poll.missed == 0);
  CHECK(schedule.next() == 11s);

  poll = schedule.take(12s + 700ms);  // 11, 11.5 and 12 passed unpolled
  CHECK(poll.missed == 3);
  CHECK(poll.first_missed == 11s);
  CHECK(poll.due == 12s + 500ms);
  CHECK(poll.late);
  CHECK(schedule.next() == 13s);

  schedule.set_interval(100ms);
  CHECK(schedule.take(13s).due == 13s);
  CHECK(schedule.next() == 13s + 100ms);
}

TEST_CASE("a source's trouble is said once", "[daemon][notes]") {
  HealthNotes notes;
  CHECK_FALSE(notes.note("device", "", 0s));
  CHECK(notes.note("device", "gone", 1s) == "device: gone");
  CHECK_FALSE(notes.note("device", "gone", 20s));
  CHECK(notes.note("host", "x", 20s) == "host: x");  // each by itself
  CHECK_FALSE(notes.note("device", "", 21s));        // until it has been read for 10 s
  CHECK(notes.note("device", "", 30s) == "device: read again");
  CHECK_FALSE(notes.note("device", "", 31s));
  CHECK(notes.note("device", "gone", 32s) == "device: gone");
  CHECK_FALSE(notes.note("device", "worse", 33s));  // another error: quiet for 10 s
  CHECK(notes.note("device", "worse", 42s) == "device: worse");
}

TEST_CASE("trouble that comes and goes is said once", "[daemon][notes]") {
  HealthNotes notes;
  CHECK(notes.note("agent", "no time", 0s) == "agent: no time");
  for (Nanoseconds now = 1s; now < 60s; now += 1s) {
    CHECK_FALSE(notes.note("agent", now.count() % 2 == 0 ? "no time" : "", now));
  }
}

TEST_CASE("limited messages tell how many were held back", "[daemon][notes]") {
  Limited limited(60s);
  CHECK(limited.pass(5s) == 0U);
  CHECK_FALSE(limited.pass(6s));
  CHECK_FALSE(limited.pass(64s));
  CHECK(limited.pass(65s) == 2U);
  CHECK_FALSE(limited.pass(66s));

  Limited two(60s, 2);
  CHECK(two.pass(5s) == 0U);
  CHECK(two.pass(6s) == 0U);
  CHECK_FALSE(two.pass(7s));
  CHECK(two.pass(65s) == 1U);
  CHECK(two.pass(66s) == 0U);
  CHECK_FALSE(two.pass(67s));
}

TEST_CASE("a read-only file system is told with what to do", "[daemon][alert_log]") {
  CHECK(read_only_advice(EROFS).find("ReadWritePaths=") != std::string::npos);
  CHECK(read_only_advice(ENOSPC).empty());
  const test::TempTree tree;
  CHECK(check_not_read_only(tree.path()));
}

TEST_CASE("the alert log appends, and reopens after rotation", "[daemon][alert_log]") {
  const test::TempTree tree;
  const std::string file = tree.file("a.jsonl", "{\"old\":1}\n");
  AlertLog log(file);
  REQUIRE(log.open());
  REQUIRE(log.write("{\"n\":1}"));
  std::filesystem::rename(file, tree.path("a.jsonl.1"));
  REQUIRE(log.write("{\"n\":2}"));
  REQUIRE(log.open());
  REQUIRE(log.write("{\"n\":3}"));
  CHECK(contents(tree.path("a.jsonl.1")) == "{\"old\":1}\n{\"n\":1}\n{\"n\":2}\n");
  CHECK(contents(file) == "{\"n\":3}\n");
}

TEST_CASE("an alert log that was removed is made anew by the next line", "[daemon][alert_log]") {
  const test::TempTree tree;
  AlertLog log(tree.file("a.jsonl", ""));
  REQUIRE(log.write("{\"n\":1}"));
  std::filesystem::remove(log.file());
  REQUIRE(log.write("{\"n\":2}"));
  CHECK(contents(log.file()) == "{\"n\":2}\n");
}

TEST_CASE("a failing alert log is tried again", "[daemon][alert_log]") {
  const test::TempTree tree;
  AlertLog log(tree.path("later/a.jsonl"));
  CHECK_FALSE(log.write("{}"));
  tree.directory("later");
  CHECK(log.write("{}"));
  CHECK(contents(tree.path("later/a.jsonl")) == "{}\n");
  CHECK_FALSE(log.open(tree.path("nowhere/b.jsonl")));
  CHECK(log.file() == tree.path("later/a.jsonl"));  // the old one stays in use
  CHECK(log.write("{}"));
  AlertLog full("/dev/full");
  CHECK_FALSE(full.write("{}"));
}

TEST_CASE("a line that was cut short costs no other line", "[daemon][alert_log]") {
  const test::TempTree tree;
  const std::string file = tree.file("a.jsonl", "{\"n\":1}\n{\"n\":");  // killed in mid-write
  AlertLog log(file);
  REQUIRE(log.write("{\"n\":3}"));
  REQUIRE(log.write("{\"n\":4}"));
  CHECK(contents(file) == "{\"n\":1}\n{\"n\":\n{\"n\":3}\n{\"n\":4}\n");
}

TEST_CASE("a pipe that nobody reads costs its lines, not the daemon", "[daemon][alert_log]") {
  const test::TempTree tree;
  const std::string pipe = tree.path("pipe");
  REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
  AlertLog log(pipe);
  REQUIRE(log.open());
  const std::string line(4000, 'x');
  int failures = 0;
  for (int i = 0; i < 100; ++i) failures += log.write(line) ? 0 : 1;
  CHECK(failures > 0);
}

TEST_CASE("only regular files are read", "[daemon][text_file]") {
  const test::TempTree tree;
  CHECK(read_text_file(tree.file("a", "text")) == std::string("text"));
  tree.link("link", tree.path("a"));
  CHECK(read_text_file(tree.path("link")) == std::string("text"));
  CHECK(read_text_file(tree.path("none")).error().code == ErrorCode::kNotFound);
  tree.link("device", "/dev/zero");
  for (const std::string& path : {tree.path("device"), tree.path()}) {
    const auto text = read_text_file(path);
    REQUIRE_FALSE(text);
    CHECK(text.error().message == path + ": is no regular file");
  }
}

TEST_CASE("sd_notify", "[daemon][notify]") {
  const test::TempTree tree;
  const std::string path = tree.path("notify");
  const int fd = ::socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  REQUIRE(path.size() < sizeof address.sun_path);
  std::memcpy(address.sun_path, path.c_str(), path.size() + 1);
  REQUIRE(::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0);
  const auto received = [fd] {
    std::array<char, 256> buffer{};
    const ssize_t got = ::recv(fd, buffer.data(), buffer.size(), 0);
    return got > 0 ? std::string(buffer.data(), static_cast<std::size_t>(got)) : std::string();
  };
  Notifier notifier(path, "20000000");  // 20 s: say so every 10 s
  notifier.ready("mode act");
  CHECK(received() == "READY=1\nSTATUS=mode act");
  notifier.reloading(1500us);
  CHECK(received() == "RELOADING=1\nMONOTONIC_USEC=1500");
  CHECK(notifier.every() == 10s);
  notifier.alive();
  CHECK(received() == "WATCHDOG=1");
  notifier.stopping();
  CHECK(received() == "STOPPING=1");
  Notifier off("", "");
  CHECK_FALSE(off.enabled());
  off.ready("");
  CHECK(off.every() == 0s);
  off.alive();
  CHECK(received().empty());
  ::close(fd);
}

TEST_CASE("one daemon per control socket", "[daemon][control]") {
  const test::TempTree tree;
  const std::string path = tree.path("c.sock");
  int first = -1;
  {
    auto socket = UnixSocket::listen(path);
    REQUIRE(socket);
    const auto second = UnixSocket::listen(path);
    REQUIRE_FALSE(second);
    CHECK(second.error().code == ErrorCode::kConflict);
    first = socket->release();
  }
  CHECK(std::filesystem::exists(path));
  ::close(first);  // as after kill -9: the file stays, nobody answers
  {
    const auto third = UnixSocket::listen(path);
    REQUIRE(third);
    CHECK((std::filesystem::status(path).permissions() & std::filesystem::perms::mask) ==
          (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
    remove_if_ours(path, inode_of(path) + 1);
    CHECK(std::filesystem::exists(path));
  }
  CHECK_FALSE(std::filesystem::exists(path));
  tree.file("plain", "x");
  CHECK_FALSE(UnixSocket::listen(tree.path("plain")));
  CHECK(contents(tree.path("plain")) == "x");
}

TEST_CASE("a control socket that was removed takes nobody's place", "[daemon][control]") {
  const test::TempTree tree;
  const std::string path = tree.path("run/c.sock");
  const auto without = UnixSocket::listen_again(path);
  REQUIRE_FALSE(without);
  CHECK(without.error().message.ends_with(
      "No such file or directory; make its directory anew, or restart rocktuned, which does"));
  static_cast<void>(tree.directory("run"));
  {
    auto theirs = UnixSocket::listen_again(path);
    REQUIRE(theirs);
    CHECK_FALSE(UnixSocket::listen_again(path));
    ::close(theirs->release());
  }
  const auto abandoned = UnixSocket::listen_again(path);  // or about to be listened at
  REQUIRE_FALSE(abandoned);
  CHECK(abandoned.error().code == ErrorCode::kIo);
  CHECK(std::filesystem::exists(path));
}

TEST_CASE("nobody else keeps a daemon from its control socket", "[daemon][control]") {
  if (::geteuid() != 0) {
    WARN("skipped: another user's files need root");
    return;
  }
  const test::TempTree tree;
  REQUIRE(::chmod(tree.path("").c_str(), 01777) == 0);
  const std::string path = tree.path("c.sock");
  auto theirs = UnixSocket::listen(path);
  REQUIRE(theirs);
  REQUIRE(::chown(path.c_str(), 65534, 65534) == 0);
  const auto ours = UnixSocket::listen(path);
  REQUIRE(ours);
  struct stat info{};
  REQUIRE(::stat(path.c_str(), &info) == 0);
  CHECK(info.st_uid == 0);
  ::close(theirs->release());

  const std::string other = tree.path("d.sock");
  static_cast<void>(tree.file("d.sock/x", ""));
  REQUIRE(::chown(other.c_str(), 65534, 65534) == 0);
  CHECK(UnixSocket::listen(other));
}

TEST_CASE("each feature's metric says what it is", "[daemon][metrics]") {
  Features features;
  Features::visit_values(features, [](const char* name, const Value&) {
    INFO(name);
    CHECK(feature_help(name).size() > 5);
  });
  CHECK(feature_help("cache_pinned_bytes").empty());
}

TEST_CASE("Prometheus text", "[daemon][metrics]") {
  CHECK(escape_label("a\\b\"c\nd") == "a\\\\b\\\"c\\nd");
  CHECK(escape_label("caf\xc3\xa9 \xff\xc3") ==
        "caf\xc3\xa9 \xef\xbf\xbd\xef\xbf\xbd");  // as in JSON
  // Too long a form, half of a pair, beyond the last character, and cut short.
  CHECK(escape_label("\xc0\x80|\xed\xa0\x80|\xf4\x90\x80\x80|\xe2\x82").find('\xed') ==
        std::string::npos);
  CHECK(escape_label("\xe2\x82\xac\xf0\x9f\x98\x80") == "\xe2\x82\xac\xf0\x9f\x98\x80");
  CHECK(escape_help("a\"b\\\n") == "a\"b\\\\\\n");
  CHECK(feature_metric("read_p99_us").name == "read_p99_seconds");
  CHECK(feature_metric("device_read_await_ms").factor == 1e-3);
  CHECK(feature_metric("l0_files").name == "l0_files");

  Status status;
  status.version = "1.2.3";
  status.counters.polls_due = 7;
  status.counters.decisions = {{"held", 3}};
  TargetStatus target;
  target.name = "/data/\"x\"";
  target.state = "live";
  target.due = 9;
  target.features.emplace();
  target.features->read_p99_us = 2500;
  target.features->l0_files = 4;
  Indicator indicator;
  indicator.kind = IndicatorKind::kCompactionBacklog;
  indicator.probability = 0.25;
  indicator.near_probability = 0.125;
  indicator.warn_probability = 0.75;
  indicator.valid = true;
  target.indicators.push_back(indicator);
  KnobReading knob;
  knob.name = "max_background_jobs";
  knob.value = 6;
  target.knobs.push_back(knob);
  // Of column families what stands changed alone: an order may hold every knob of hundreds.
  for (const std::int64_t value : {2, 3}) {
    knob.name = "max_write_buffer_number";
    knob.column_family = "f" + std::to_string(value);
    knob.value = value;
    knob.found = 2;
    knob.owner = KnobOwner::kManual;
    target.knobs.push_back(knob);
  }
  status.targets.push_back(target);
  const std::string text = metrics_text(status);
  const auto has = [&](const std::string& line) {
    INFO(line);
    CHECK(text.find("\n" + line + "\n") != std::string::npos);
  };
  has("# TYPE rocktuned_polls_due_total counter");
  has("rocktuned_polls_due_total 7");
  has("rocktuned_build_info{version=\"1.2.3\"} 1");
  has("rocktuned_decisions_total{verdict=\"held\"} 3");
  has("rocktuned_decisions_total{verdict=\"allowed\"} 0");  // counters begin at 0
  has("rocktuned_actuations_total{status=\"failed\"} 0");
  has("rocktuned_source_errors_total{source=\"device\"} 0");
  has("rocktune_target_up{target=\"/data/\\\"x\\\"\"} 1");
  has("rocktune_target_samples_due_total{target=\"/data/\\\"x\\\"\"} 9");
  has("rocktune_read_p99_seconds{target=\"/data/\\\"x\\\"\"} 0.0025");
  has("rocktune_l0_files{target=\"/data/\\\"x\\\"\"} 4");
  has("rocktune_indicator_probability_ratio{target=\"/data/\\\"x\\\"\","
      "indicator=\"compaction_backlog\"} 0.25");
  has("rocktune_indicator_near_probability_ratio{target=\"/data/\\\"x\\\"\","
      "indicator=\"compaction_backlog\"} 0.125");
  has("rocktune_indicator_warn_probability_ratio{target=\"/data/\\\"x\\\"\","
      "indicator=\"compaction_backlog\"} 0.75");
  has("# HELP rocktune_l0_files Files of level 0, of the column family nearest to its limit.");
  has("rocktune_knob_value{target=\"/data/\\\"x\\\"\",knob=\"max_background_jobs\","
      "column_family=\"\"} 6");
  has("rocktune_knob_manual{target=\"/data/\\\"x\\\"\",knob=\"max_write_buffer_number\","
      "column_family=\"f3\"} 1");
  CHECK(text.find("\"f2\"") == std::string::npos);
  CHECK(text.find("write_p99") == std::string::npos);  // absent is not zero
  CHECK(text.find("nan") == std::string::npos);
  CHECK(text.back() == '\n');
}
