// What a target says of knobs that others turn, that several databases have, or that come and go.
#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using World = rocktune::daemon::test::TargetWorld;
using namespace std::chrono_literals;

TEST_CASE("knobs that nobody here turns are no news", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  world.now.tick += 500ms;
  wire::Sample sample = world.squeezed(1);
  wire::Knob knob = sample.knobs[0];
  knob.name = "block_size";
  sample.knobs.push_back(knob);  // found: not of interest
  for (const char* family : {"default", "index"}) {
    knob.column_family = family;
    knob.owner = "manual";
    sample.knobs.push_back(knob);
  }
  target->poll(world.now, sample);
  CHECK(world.alert_lines("manual").empty());
  const auto knobs = target->status().knobs;
  REQUIRE(knobs.size() == 3);
  CHECK(knobs[1].column_family == "default");
  CHECK(knobs[2].column_family == "index");
}

TEST_CASE("what several databases of a process have is turned for none of them",
          "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kAct);
  target->opened(world.opening());
  wire::Sample sample = world.squeezed(1);
  sample.knobs[0].databases = 2;
  sample.knobs[0].object = 7;
  world.now.tick += 500ms;
  target->poll(world.now, sample);
  const KnobReading shared = target->knobs()[0];
  CHECK_FALSE(shared.changeable);
  CHECK(shared.reason.find("2 databases") != std::string::npos);
  REQUIRE(target->share_member());
  CHECK(target->share_member()->in_common.size() == 1);
  sample = world.squeezed(2);
  sample.knobs[0].databases = 2;
  sample.knobs[0].owner = "rocktune";
  sample.knobs[0].value /= 2;  // turned while it was this one's alone
  world.now.tick += 500ms;
  const auto back = target->poll(world.now, sample);
  REQUIRE(back.size() == 1);
  CHECK(back[0].proposal.rule == "common.returned");
  CHECK(back[0].verdict.value == sample.knobs[0].found);
  sample = world.squeezed(3);
  world.now.tick += 500ms;
  target->poll(world.now, sample);  // the other one has been closed
  CHECK(target->knobs()[0].changeable);
  CHECK(target->share_member()->in_common.empty());
}

TEST_CASE("a pin that is half reached does not keep what several databases have from going back",
          "[daemon][target]") {
  World world;
  TargetRule rule;
  rule.path = "/db";
  rule.mode = Mode::kAct;
  rule.engine.pins = {{"rate_limiter_bytes_per_second", 160'000'000}};
  const Roots nowhere{world.tree.path("proc"), world.tree.path("sys")};
  const auto made = Target::create(1, world.tree.path("db"), rule, nowhere, world.journal,
                                   world.counters, world.learnt);
  REQUIRE(made);
  (*made)->opened(world.opening());
  std::vector<Decision> back;
  for (std::uint64_t n = 1; n < 3 && back.empty(); ++n) {
    world.now.tick += 500ms;
    wire::Sample sample = world.squeezed(n);
    sample.knobs[0].owner = "rocktune";
    sample.knobs[0].value = 40'000'000;  // found at half of that
    sample.knobs[0].databases = 2;
    back = (*made)->poll(world.now, sample);
  }
  REQUIRE(back.size() == 1);
  CHECK(back[0].proposal.rule == "common.returned");
  CHECK(back[0].verdict.value == 20'000'000);
}

TEST_CASE("a family's knob that is gone and comes back by hand is news again", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kAct);
  target->opened(world.opening());
  const auto poll = [&](std::uint64_t n, bool there) {
    wire::Sample sample = world.squeezed(n);
    if (there) {
      sample.knobs.push_back(
          {"write_buffer_size", "today", 4 << 20, 8 << 20, "manual", true, "", 1 << 20, 1 << 30});
    }
    world.now.tick += 500ms;
    target->poll(world.now, sample);
  };
  for (std::uint64_t n = 1; n < 4; ++n) poll(n, true);
  CHECK(world.alert_lines("manual").size() == 1);
  for (std::uint64_t n = 4; n < 8; ++n) poll(n, n > 5);
  CHECK(world.alert_lines("manual").size() == 2);
}

TEST_CASE("a database that is closed before its knobs are read is no trouble", "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  world.poll(*target, 1);
  const std::size_t lines = world.alert_lines("source").size();
  target->take_family_knobs(fail(ErrorCode::kNotFound, "no open database has the id '1'"));
  CHECK(world.alert_lines("source").size() == lines);
  target->take_family_knobs(fail(ErrorCode::kIo, "connection reset"));
  CHECK(world.alert_lines("source").size() == lines + 1);
}

TEST_CASE("column families' knobs are asked for once, and then follow the samples",
          "[daemon][target]") {
  World world;
  const auto target = world.target(Mode::kObserve);
  target->opened(world.opening());
  CHECK_FALSE(target->knobs_wanted());
  world.poll(*target, 1);
  CHECK(target->knobs_wanted());
  CHECK(target->knobs().size() == 1);
  wire::Knobs answer;
  auto add = [&answer](const char* name, const char* family, std::int64_t value, bool changeable) {
    wire::Knobs::Entry& entry = answer.knobs.emplace_back();
    entry.knob = {name, family, value, value, "found", changeable, changeable ? "" : "why", 1, 100};
  };
  add("level0_slowdown_writes_trigger", "default", 20, true);
  add("level0_stop_writes_trigger", "default", 36, false);
  add("block_size", "default", 4096, true);      // not in the catalogue
  add("write_buffer_size", "default", 1, true);  // not among the sample's options
  add("max_background_jobs", "", 2, true);       // samples tell of it
  target->take_family_knobs(answer);
  CHECK_FALSE(target->knobs_wanted());

  wire::Sample sample = world.squeezed(2);
  sample.column_families[0].options["level0_slowdown_writes_trigger"] = 30;  // the host's
  world.now.tick += 500ms;
  target->poll(world.now, sample);
  REQUIRE(target->knobs().size() == 3);
  const KnobReading& slowdown = target->knobs()[1];
  CHECK(slowdown.name == "level0_slowdown_writes_trigger");
  CHECK(slowdown.column_family == "default");
  CHECK(slowdown.value == 30);
  CHECK(slowdown.found == 30);
  CHECK(slowdown.owner == KnobOwner::kFound);
  CHECK(slowdown.changeable);
  CHECK(target->knobs()[2].reason == "why");
  CHECK(target->status().knobs.size() == 1);

  // What is not as found comes with the sample, and stands there once.
  sample = world.squeezed(3);
  sample.knobs.push_back(
      {"level0_slowdown_writes_trigger", "default", 40, 20, "rocktune", true, "", 1, 100});
  sample.column_families[0].options["level0_slowdown_writes_trigger"] = 40;
  sample.column_families.push_back(sample.column_families[0]);
  sample.column_families[1].name = "index";
  world.now.tick += 500ms;
  target->poll(world.now, sample);
  CHECK(target->knobs().size() == 3);
  CHECK(target->status().knobs.size() == 2);
  CHECK_FALSE(target->knobs_wanted());  // another family, but it was asked a moment ago
  world.now.tick += 10s;
  target->poll(world.now, sample);
  CHECK(target->knobs_wanted());
}

TEST_CASE("the CPUs that a process may use are known through polls that were missed",
          "[daemon][target]") {
  World world;
  world.tree.file("proc/stat", "cpu  100 10 50 1000 20 1 2 3 99 99\ncpu0 1 2 3\n");
  world.tree.file("proc/42/status", "Name:\tx\nCpus_allowed_list:\t0-3\n");
  world.tree.file("proc/42/cgroup", "0::/\n");
  const auto target = world.target(Mode::kAct);
  Opening opening = world.opening();
  opening.pid = 42;
  target->opened(opening);
  for (std::uint64_t n = 1; n < 4; ++n) {
    world.now.tick += 500ms;
    target->poll(world.now, world.squeezed(n));
  }
  REQUIRE(target->share_member()->cpus == 4.0);
  world.now.tick += 500ms;
  target->missed(world.now, "this poll did not take place");
  CHECK(target->share_member()->cpus == 4.0);
}

TEST_CASE("no warning of stalls where nobody can write", "[daemon][target]") {
  World world;
  const std::string access = GENERATE("read_write", "read_only", "secondary");
  const auto target = world.target(Mode::kObserve);
  Opening opening = world.opening();
  opening.database.access = access;
  target->opened(opening);
  for (std::uint64_t n = 1; n < 20; ++n) {
    world.now.tick += 500ms;
    wire::Sample sample = world.squeezed(n);
    sample.column_families[0].levels[0].files = 40;
    sample.column_families[0].properties["num-immutable-mem-table"] = 0;
    sample.properties["is-write-stopped"] = 1;
    sample.tickers["stall.micros"] = 0;  // what other openings do is not counted in this one
    target->poll(world.now, sample);
  }
  std::size_t backlogs = 0;
  for (const std::string& line : world.alert_lines("alert")) {
    backlogs += line.find("\"compaction_backlog\"") != std::string::npos ? 1 : 0;
  }
  CHECK((backlogs > 0) == (access == "read_write"));
}

TEST_CASE("a column family's knob that the rule freezes is in the status, as found, once",
          "[daemon][target]") {
  World world;
  const std::string knob = "level0_slowdown_writes_trigger";
  const auto target = world.target(Mode::kAct, {knob});
  target->opened(world.opening());
  world.poll(*target, 1);
  wire::Knobs answer;
  wire::Sample sample = world.squeezed(2);
  for (const char* family : {"default", "index"}) {
    answer.knobs.emplace_back().knob = {knob, family, 20, 20, "found", true, "", 1, 100};
    if (sample.column_families[0].name != family) {
      sample.column_families.push_back(sample.column_families[0]);
      sample.column_families.back().name = family;
    }
  }
  target->take_family_knobs(answer);
  world.now.tick += 500ms;
  target->poll(world.now, sample);
  const TargetStatus status = target->status();
  REQUIRE(target->knobs().size() == 3);
  REQUIRE(status.knobs.size() == 2);
  CHECK(status.knobs[1].name == knob);
  CHECK(status.knobs[1].column_family == "default");
  CHECK(status.freeze == std::vector{knob});
}
