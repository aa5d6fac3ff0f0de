// What becomes of a database's events: read on from where they were, some for the trace, few for
// the operator.
#include "daemon/events/stream.h"
#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

constexpr Instant kNow{Nanoseconds(1'700'000'000s), 1000s};

wire::Event event_of(std::uint64_t sequence, const std::string& kind) {
  wire::Event event;
  event.sequence = sequence;
  event.tick_ns = kNow.tick.count() + static_cast<std::int64_t>(sequence) * 1'000'000;
  event.wall_ns = kNow.wall.count() + static_cast<std::int64_t>(sequence) * 1'000'000;
  event.kind = kind;
  return event;
}

wire::Event change(std::uint64_t sequence, const std::string& why,
                   const std::string& knob = "max_background_jobs") {
  wire::Event event = event_of(sequence, "change");
  event.numbers = {{"before", 8}, {"after", 2}};
  event.words = {{"knob", knob}, {"why", why}, {"status", "applied"}};
  return event;
}

wire::Event stall(std::uint64_t sequence) {
  wire::Event event = event_of(sequence, "stall");
  event.column_family = "default";
  event.words = {{"condition", "normal"}, {"before", "delayed"}};
  event.numbers = {{"before_us", 1'500'000}};
  return event;
}

// What an agent with these events would answer.
wire::Events answer(std::vector<wire::Event> events, std::uint64_t next_event = 0) {
  wire::Events answer;
  answer.next_event = next_event == 0 ? events.back().sequence + 1 : next_event;
  answer.events = std::move(events);
  return answer;
}

EventStream opened(bool all = false) {
  EventStream stream(all);
  stream.opened("abc/1", kNow.tick + 2ms);
  return stream;
}

std::vector<std::uint64_t> numbers(const std::vector<DatabaseEvent>& events) {
  std::vector<std::uint64_t> numbers;
  for (const DatabaseEvent& event : events) numbers.push_back(event.number);
  return numbers;
}

}  // namespace

TEST_CASE("a new opening is read from its beginning, and then on", "[daemon][events]") {
  EventStream stream = opened();
  CHECK_FALSE(stream.wanted());
  stream.seen(1);  // none yet
  CHECK_FALSE(stream.wanted());
  stream.seen(3);
  CHECK(stream.wanted() == 0U);
  stream.take(answer({change(1, "lease_expired"), change(2, "lease_expired")}), kNow);
  CHECK_FALSE(stream.wanted());
  stream.seen(4);
  CHECK(stream.wanted() == 2U);
  stream.opened("abc/1", kNow.tick);  // the connection was lost for a while
  stream.seen(4);
  CHECK(stream.wanted() == 2U);
  stream.opened("abc/2", kNow.tick);
  CHECK_FALSE(stream.wanted());
  stream.seen(4);
  CHECK(stream.wanted() == 0U);
  stream.seen(0);  // an agent without events
  CHECK_FALSE(stream.wanted());
}

TEST_CASE("what the agent no longer has is counted as missed", "[daemon][events]") {
  EventStream stream = opened();
  stream.seen(600);
  stream.take(answer({change(88, "closing"), change(90, "closing")}, 600), kNow);
  CHECK(stream.wanted() == 90U);
  stream.take(answer({}, 600), kNow);  // nothing is left of them at all
  CHECK_FALSE(stream.wanted());
  CHECK(stream.counts() ==
        std::map<std::string, std::uint64_t>{{"change", 2}, {"missed", 87 + 1 + 509}});
  const auto recorded = stream.to_record();
  CHECK(numbers(recorded) == std::vector<std::uint64_t>{87, 88, 89, 90, 599});
  CHECK(recorded[0].kind == "missed");
  CHECK(recorded[0].numbers.at("events") == 87);
  CHECK(recorded[0].incarnation == "abc/1");
  CHECK(recorded[4].numbers.at("events") == 509);
}

TEST_CASE("an agent that repeats itself or sends too much is cut short", "[daemon][events]") {
  EventStream stream = opened(true);
  stream.seen(2);
  std::vector<wire::Event> many;
  for (std::uint64_t i = 1; i <= 1000; ++i) many.push_back(event_of(i, "k" + std::to_string(i)));
  many[0].words["text"] = std::string(5000, 'x');
  stream.take(answer(many), kNow);
  const auto recorded = stream.to_record();
  CHECK(recorded.size() == 256);
  CHECK(recorded[0].words.at("text").size() == 520);
  CHECK(stream.counts().size() <= 33);
  CHECK(stream.counts().at("other") > 0);
  CHECK(stream.wanted() == 256U);  // the rest is asked for again
  stream.take(answer({many[10]}, 257), kNow);
  CHECK(stream.to_record().empty());
}

TEST_CASE("the trace gets what nothing else tells, and stalls at a bounded rate",
          "[daemon][events]") {
  EventStream stream = opened();
  stream.take(answer({event_of(1, "flush_begin"), event_of(2, "flush_end"), change(3, "request"),
                      change(4, "lease_expired"), event_of(5, "background_error"),
                      event_of(6, "error_recovery"), change(7, "restore")}),
              kNow);
  CHECK(numbers(stream.to_record()) == std::vector<std::uint64_t>{4, 5, 6, 7});
  std::vector<wire::Event> stalls;
  for (std::uint64_t i = 8; i < 108; ++i) stalls.push_back(stall(i));
  stalls.push_back(change(108, "lease_expired"));
  stream.take(answer(stalls), kNow);
  const auto recorded = stream.to_record();
  REQUIRE(recorded.size() == 8 + 1 + 1);
  CHECK(recorded[7].kind == "stall");
  CHECK(recorded[8].kind == "skipped");
  CHECK(recorded[8].number == 107);
  CHECK(recorded[8].numbers.at("events") == 92);
  CHECK(recorded[9].number == 108);
  wire::Event later = stall(109);
  later.tick_ns += 16'500'000'000;
  stream.take(answer({later, stall(110), stall(111), stall(112)}), kNow);
  CHECK(numbers(stream.to_record()) == std::vector<std::uint64_t>{109, 110});
  CHECK(numbers(stream.to_record(true)) == std::vector<std::uint64_t>{112});  // two skipped
}

TEST_CASE("all means all", "[daemon][events]") {
  EventStream stream = opened(true);
  std::vector<wire::Event> events = {event_of(1, "flush_begin"), change(2, "request")};
  for (std::uint64_t i = 3; i < 100; ++i) events.push_back(stall(i));
  stream.take(answer(events), kNow);
  CHECK(stream.to_record().size() == 99);
}

TEST_CASE("returns are one line for all knobs, once everything is read", "[daemon][events]") {
  EventStream stream = opened();
  stream.seen(5);
  stream.take(answer({change(1, "lease_expired"), change(2, "lease_expired", "cache")}, 5), kNow);
  CHECK(stream.to_say(kNow.tick).empty());  // more is waiting
  wire::Event failed = change(3, "lease_expired", "write_buffer_size");
  failed.column_family = "index";
  failed.words["status"] = "failed";
  failed.words["reason"] = "no";
  stream.take(answer({failed, change(4, "restore")}), kNow);
  const auto notes = stream.to_say(kNow.tick);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].id == "change");
  CHECK(notes[0].wall == kNow.wall + 3ms);
  CHECK(notes[0].message ==
        "the agent could not return every knob to what was found, since no daemon held it any "
        "longer: max_background_jobs 8 -> 2, cache 8 -> 2, write_buffer_size of index 8 B -> 2 B "
        "(failed: no)");
  CHECK(stream.to_say(kNow.tick).empty());
}

TEST_CASE("returns that a daemon has answered with changes are no news", "[daemon][events]") {
  EventStream stream = opened();
  SECTION("of another daemon") {
    stream.opened("abc/2", kNow.tick + 3ms);
    stream.take(answer({change(1, "lease_expired"), change(2, "request")}), kNow);
    CHECK(stream.to_say(kNow.tick).empty());
  }
  SECTION("and are told of where the changes are this one's, made while it still reads") {
    stream.take(answer({change(1, "lease_expired"), change(2, "request")}), kNow);
    REQUIRE(stream.to_say(kNow.tick).size() == 1);
  }
  std::vector<wire::Event> many;
  for (std::uint64_t i = 3; i < 23; ++i) many.push_back(change(i, "closing"));
  stream.take(answer(many), kNow);
  const auto notes = stream.to_say(kNow.tick);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message.find("column family, was being closed: max") != std::string::npos);
  CHECK(notes[0].message.find("and 12 more") != std::string::npos);
}

TEST_CASE("stalls are said at most once a minute, errors once in 10 s", "[daemon][events]") {
  EventStream stream = opened();
  stream.take(answer({stall(2)}), kNow);
  auto notes = stream.to_say(kNow.tick);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message == "writes: delayed -> normal of default, the longest stall 1.5 s");
  for (std::uint64_t i = 3; i < 50; ++i) {
    stream.take(answer({stall(i)}), kNow);
    CHECK(stream.to_say(kNow.tick + 59s).empty());
  }
  notes = stream.to_say(kNow.tick + 60s);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message.find("47 changes in 46 ms, the longest stall, begun before, 1.5 s") !=
        std::string::npos);
  CHECK(stream.to_say(kNow.tick + 300s).empty());  // nothing new

  wire::Event error = event_of(50, "background_error");
  error.words = {{"reason", "flush"}, {"status", "IO error: no space"}};
  stream.take(answer({error}), kNow);
  notes = stream.to_say(kNow.tick);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].id == "background_error");
  CHECK(notes[0].message == "error in RocksDB, flush, IO error: no space");
  for (std::uint64_t i = 51; i < 54; ++i) stream.take(answer({event_of(i, error.kind)}), kNow);
  CHECK(stream.to_say(kNow.tick + 9s).empty());
  notes = stream.to_say(kNow.tick + 10s);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message.find("2 more since") != std::string::npos);
}

TEST_CASE("stalls from before the daemon came are no news", "[daemon][events]") {
  EventStream stream = opened();
  stream.take(answer({stall(1)}), kNow);
  CHECK(stream.to_say(kNow.tick).empty());
  CHECK(stream.counts().at("stall") == 1);
  wire::Event later = stall(3);
  later.wall_ns -= 3'600'000'000'000;  // the wall clock was set back
  stream.take(answer({later}), kNow);
  CHECK(stream.to_say(kNow.tick).size() == 1);
}

TEST_CASE("a failure in the background stands until RocksDB has recovered", "[daemon][events]") {
  EventStream stream = opened();
  CHECK_FALSE(stream.failure());
  wire::Event error = event_of(2, "background_error"), again = event_of(3, "background_error");
  error.words = {{"reason", "Flush"}, {"status", "IO error: No space left"}};
  again.words = {{"reason", "Compaction"}, {"status", "IO error: No space left"}};
  stream.take(answer({error, again}), kNow);
  REQUIRE(stream.failure());
  CHECK(stream.failure()->message == "Flush, IO error: No space left");
  CHECK(stream.failure()->wall == Nanoseconds(error.wall_ns));
  wire::Event begin = event_of(4, "error_recovery"), end = event_of(5, "error_recovery");
  begin.words = {{"phase", "begin"}, {"status", "IO error: No space left"}};
  end.words = {{"phase", "end"}, {"status", "IO error: No space left"}};
  stream.take(answer({begin, end}), kNow);
  CHECK(stream.failure());
  SECTION("recovered") {
    wire::Event good = event_of(6, "error_recovery");
    good.words = {{"phase", "end"}, {"status", "OK"}};
    stream.take(answer({good}), kNow);
  }
  SECTION("opened anew") {
    stream.opened("abc/2", kNow.tick);
  }
  CHECK_FALSE(stream.failure());
}

TEST_CASE("a change that is told late is not how writes stand", "[daemon][events]") {
  EventStream stream = opened();
  wire::Event end = stall(3), begin = stall(4);
  end.words = {{"condition", "normal"}, {"before", "stopped"}, {"cause", "memtables"}};
  end.numbers.clear();
  begin.words = {{"condition", "stopped"},
                 {"before", "normal"},
                 {"cause", "memtables"},
                 {"late", "the change that followed it was told before"}};
  begin.numbers.clear();
  stream.take(answer({end}), kNow);
  SECTION("beside the one that followed it") {
    stream.take(answer({begin}), kNow);
    CHECK(stream.to_say(kNow.tick).at(0).message ==
          "writes: stopped -> normal (memtables) of default; 2 changes in 1 ms");
  }
  SECTION("alone") {
    REQUIRE(stream.to_say(kNow.tick).size() == 1);
    stream.take(answer({begin}), kNow);
    CHECK(stream.to_say(kNow.tick + 60s).at(0).message ==
          "writes: normal -> stopped (memtables) of default, and over already");
  }
}

TEST_CASE("what waits to be said is said when its database is closed", "[daemon][events]") {
  EventStream stream = opened();
  stream.take(answer({stall(3)}), kNow);
  REQUIRE(stream.to_say(kNow.tick).size() == 1);
  stream.take(answer({stall(4)}), kNow);
  REQUIRE(stream.to_say(kNow.tick + 1s).empty());
  CHECK(stream.to_say(kNow.tick + 1s, true).size() == 1);
  CHECK(stream.to_say(kNow.tick + 300s).empty());
}

TEST_CASE("no time is not said as 0.0 s", "[daemon][events]") {
  EventStream stream = opened();
  wire::Event first = stall(2), second = stall(3);
  second.wall_ns = first.wall_ns;
  second.tick_ns = first.tick_ns;
  first.numbers = second.numbers = {{"before_us", 40'000}};
  stream.take(answer({first, second}), kNow);
  const auto notes = stream.to_say(kNow.tick);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0].message ==
        "writes: delayed -> normal of default; 2 changes at once, the longest stall, begun before, "
        "40 ms");
}
