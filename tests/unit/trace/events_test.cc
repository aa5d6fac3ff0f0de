// Events of the database in the trace, and traces from before there were any.

#include "support.h"
#include "trace/reader.h"
#include "trace/sqlite.h"

using namespace rocktune;
using namespace rocktune::trace;
using namespace rocktune::trace::test;

namespace {

DatabaseEvent returned(std::uint64_t number) {
  DatabaseEvent event;
  event.incarnation = "4711-1/1";
  event.number = number;
  event.at = {Nanoseconds(7'000'000'001), Nanoseconds(5)};
  event.kind = event::kChange;
  event.column_family = "index";
  event.numbers = {{"before", -4}, {"after", 1LL << 40}};
  event.words = {{"knob", "write_buffer_size"}, {"why", "lease_expired"}, {"status", "applied"}};
  return event;
}

DatabaseEvent compacted(std::uint64_t number) {
  DatabaseEvent event;
  event.incarnation = "4711-1/1";
  event.number = number;
  event.kind = "compaction_end";
  event.numbers = {{"job", 12}, {"input_bytes", 1LL << 62}, {"output_level", 1}};
  event.words = {{"reason", "LevelL0FilesNum"}, {"status", ""}};
  return event;
}

DatabaseEvent missed(std::uint64_t number, std::int64_t events) {
  DatabaseEvent event;
  event.incarnation = "4711-2/1";
  event.number = number;
  event.kind = event::kMissed;
  event.numbers = {{"events", events}};
  return event;
}

std::vector<RecordedStep> read_all(const std::string& path) {
  auto reader = checked(Reader::open(path));
  auto steps = checked(reader.steps(1));
  std::vector<RecordedStep> all;
  while (auto step = checked(steps.next())) all.push_back(std::move(*step));
  return all;
}

// Three samples; events with the second and with the third.
void record(const std::string& path) {
  auto recorder = checked(Recorder::create(path, run_info(), {}));
  const auto target = checked(recorder.add_target(target_info("a")));
  RandomSamples random(3);
  for (int i = 0; i < 3; ++i) {
    checked(recorder.begin_tick());
    const Sample sample = random.next();
    checked(recorder.add_sample(target, sample));
    if (i == 1) {
      checked(recorder.add_database_event(target, sample.sequence, returned(1)));
      checked(recorder.add_database_event(target, sample.sequence, compacted(2)));
    }
    if (i == 2) checked(recorder.add_database_event(target, sample.sequence, missed(40, 39)));
    checked(recorder.commit());
  }
}

}  // namespace

TEST_CASE("events come back equal beside the sample of their tick", "[trace]") {
  const TempDirectory directory;
  record(directory.file("run"));
  const auto steps = read_all(directory.file("run"));
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].events.empty());
  CHECK(steps[1].events == std::vector{returned(1), compacted(2)});
  CHECK(steps[2].events == std::vector{missed(40, 39)});
  const auto summary = checked(checked(Reader::open(directory.file("run"))).targets())[0];
  CHECK(summary.events ==
        std::map<std::string, std::uint64_t>{{"change", 1}, {"compaction_end", 1}, {"missed", 39}});
}

TEST_CASE("an event whose details are broken ends the stream with an error", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run");
  record(path);
  run_sql(path, "UPDATE database_events SET details = '[1]' WHERE kind = 'compaction_end'");
  auto reader = checked(Reader::open(path));
  auto steps = checked(reader.steps(1));
  checked(steps.next());
  const auto broken = steps.next();
  REQUIRE_FALSE(broken);
  CHECK(broken.error().code == ErrorCode::kCorrupt);
}

TEST_CASE("what became of a decision is not looked for among all of its target's", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  checked(Recorder::create(path, run_info(), {}));
  const auto connection = checked(Connection::open(path, SQLITE_OPEN_READONLY));
  auto plan =
      checked(Statement::prepare(connection, "EXPLAIN QUERY PLAN SELECT * FROM decision_story"));
  int by_id = 0;
  while (checked(plan.step())) {
    for (int i = 0; i < 3; ++i) (void)plan.take_int();
    if (plan.take_text().find("(decision_id=?") != std::string::npos) ++by_id;
  }
  CHECK(by_id == 2);  // actuations, outcomes
}
