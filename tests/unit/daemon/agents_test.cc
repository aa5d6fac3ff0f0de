#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "daemon/actuator.h"
#include "daemon/agents/discovery.h"
#include "daemon/agents/refusals.h"
#include "daemon/agents/session.h"
#include "daemon/agents/translate.h"
#include "files/text_file.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/support.h"
#include "wire/codec.h"

using namespace rocktune;
using namespace rocktune::daemon;

TEST_CASE("a tick that the wire lets through is one that a trace has", "[daemon]") {
  constexpr std::int64_t kYear = std::int64_t{365} * 86'400 * 1'000'000'000;
  for (const std::int64_t tick :
       {std::int64_t{-1}, std::int64_t{0}, INT64_MAX - kYear - 1, INT64_MAX - kYear, INT64_MAX}) {
    INFO(tick);
    const auto sample = wire::decode<wire::Sample>(R"({"sequence":1,"wall_ns":0,"tick_ns":)" +
                                                   std::to_string(tick) + "}");
    CHECK(sample.has_value() == is_tick(Nanoseconds(tick)));
  }
}

TEST_CASE("limits that RocksDB does not heed are none", "[daemon]") {
  wire::Sample sample;
  wire::ColumnFamily& family = sample.column_families.emplace_back();
  family.name = "default";
  const std::int64_t off = GENERATE(0, 1);
  family.options = {
      {"level0_slowdown_writes_trigger", 20},      {"level0_stop_writes_trigger", 36},
      {"soft_pending_compaction_bytes_limit", 64}, {"hard_pending_compaction_bytes_limit", 256},
      {"level0_file_num_compaction_trigger", 4},   {"disable_auto_compactions", off}};
  const ColumnFamilyReading read = to_database_reading(sample).column_families.at(0);
  CHECK(read.level0_slowdown_trigger.has_value() == (off == 0));
  CHECK(read.level0_stop_trigger.has_value() == (off == 0));
  CHECK(read.soft_pending_limit_bytes.has_value() == (off == 0));
  CHECK(read.hard_pending_limit_bytes.has_value() == (off == 0));
  CHECK(read.level0_compaction_trigger == 4U);
}

TEST_CASE("who cannot write is not stalled by what its files reach", "[daemon]") {
  wire::Sample sample;
  sample.properties = {{"is-write-stopped", 1}, {"actual-delayed-write-rate", 8}};
  wire::ColumnFamily& family = sample.column_families.emplace_back();
  family.levels = {{88, 1}};
  family.options = {{"level0_slowdown_writes_trigger", 20},
                    {"level0_stop_writes_trigger", 36},
                    {"soft_pending_compaction_bytes_limit", 64},
                    {"hard_pending_compaction_bytes_limit", 256}};
  DatabaseReading reading = to_database_reading(sample);
  leave_out_stalls(reading);
  CHECK_FALSE(reading.write_stopped);
  CHECK_FALSE(reading.delayed_write_rate);
  const ColumnFamilyReading& read = reading.column_families.at(0);
  CHECK_FALSE(read.level0_slowdown_trigger);
  CHECK_FALSE(read.level0_stop_trigger);
  CHECK_FALSE(read.soft_pending_limit_bytes);
  CHECK_FALSE(read.hard_pending_limit_bytes);
  CHECK(read.levels.at(0).files == 88);
}

TEST_CASE("root makes the agents' directory for every user, and changes none that is there",
          "[daemon][discovery]") {
  const test::TempTree tree;
  const auto mode_of = [](const std::string& path) {
    struct stat info{};
    REQUIRE(::stat(path.c_str(), &info) == 0);
    return info.st_mode & 07777;
  };
  const std::string made = tree.path("run/rocktune"), there = tree.directory("there");
  REQUIRE(::chmod(there.c_str(), 0700) == 0);
  Log log;
  REQUIRE(log.open("info", tree.path("log")));
  REQUIRE(make_agent_directory(made, log));
  REQUIRE(make_agent_directory(there, log));
  // What was misspelt is seen by that it was made.
  const auto said = read_text_file(tree.path("log"));
  REQUIRE(said);
  CHECK(said->find("made the directory " + made + " for agent sockets: there was none") !=
        std::string::npos);
  CHECK(said->find(there) == std::string::npos);
  CHECK((mode_of(made) == 01777) == (::geteuid() == 0));
  CHECK(mode_of(there) == 0700);
}

TEST_CASE("agents appear, vanish and begin anew under the same name", "[daemon][discovery]") {
  const AgentSocket a{"/r/agent.1.sock", 1, 0, 10, 5};
  const AgentSocket b{"/r/agent.2.sock", 2, 0, 11, 5};
  const AgentSocket b_again{"/r/agent.2.sock", 2, 0, 11, 6};
  const std::map<std::string, AgentSocket> before{{a.path, a}, {b.path, b}};
  CHECK(compare_agents(before, {a, b}).appeared.empty());
  CHECK(compare_agents(before, {a, b}).vanished.empty());
  CHECK(compare_agents(before, {a}).vanished == std::vector<AgentSocket>{b});
  CHECK(compare_agents({}, {a}).appeared == std::vector<AgentSocket>{a});
  const AgentChanges anew = compare_agents(before, {a, b_again});
  CHECK(anew.appeared == std::vector<AgentSocket>{b_again});
  CHECK(anew.vanished == std::vector<AgentSocket>{b});
}

TEST_CASE("a database that was refused is looked at again after ten seconds",
          "[daemon][discovery]") {
  using namespace std::chrono_literals;
  Refusals refusals;
  CHECK_FALSE(refusals.stands("1", "", 5s));
  CHECK_FALSE(refusals.add("1", "not yours", "", 4s));
  CHECK_FALSE(refusals.add("1", "not yours", "", 5s));  // held back: not said yet
  refusals.said("1");
  CHECK(refusals.stands("1", "", 14s));
  CHECK(refusals.stands("1", "whoever/1", 14s));
  CHECK_FALSE(refusals.stands("1", "", 15s));
  CHECK(refusals.add("1", "not yours", "", 15s));  // as before: nothing new to say
  CHECK_FALSE(refusals.add("1", "also open", "a/1", 25s));

  // Taken from the one that had it, it need not wait.
  CHECK(refusals.stands("1", "a/1", 26s));
  CHECK_FALSE(refusals.stands("1", "", 26s));
  CHECK_FALSE(refusals.stands("1", "b/1", 26s));

  CHECK_FALSE(refusals.add("2", "not yours", "", 26s));
  wire::Database listed;
  listed.id = "2";
  refusals.keep({listed});
  CHECK_FALSE(refusals.stands("1", "a/1", 27s));
  CHECK(refusals.stands("2", "", 27s));
  for (std::size_t i = 1; i < Refusals::kMost; ++i) {
    CHECK_FALSE(refusals.full("x"));
    refusals.add("n" + std::to_string(i), "not yours", "", 27s);
  }
  CHECK(refusals.full("x"));
  CHECK_FALSE(refusals.full("2"));
  refusals.remove("2");
  CHECK_FALSE(refusals.stands("2", "", 27s));
}

TEST_CASE("what an agent says is kept short, in whole characters", "[daemon][session]") {
  CHECK(shortened(std::string(500, 'x')) == std::string(500, 'x'));
  CHECK(shortened(std::string(501, 'x')) == std::string(500, 'x') + "...");
  CHECK(shortened(std::string(499, 'x') + "\u00e9\u00e9") == std::string(499, 'x') + "...");
}

TEST_CASE("what is decided for many column families is asked for in several requests",
          "[daemon][actuator]") {
  constexpr int kFamilies = 64, kKnobs = 5;
  Errand all;
  all.incarnation = "i/1";
  for (int knob = 0; knob < kKnobs; ++knob) {
    for (int family = 0; family < kFamilies; ++family) {
      Decision& decision = all.decisions.emplace_back();
      decision.id = "1-" + std::to_string(all.decisions.size());
      decision.proposal.knob = "knob " + std::to_string(knob);
      decision.proposal.column_family = "family " + std::to_string(family);
    }
  }
  std::vector<Errand> requests;
  add_requests(all, requests);
  CHECK(requests.size() > 1);
  std::set<std::string> ids, families;
  for (const Errand& request : requests) {
    CHECK(request.incarnation == "i/1");
    CHECK(request.decisions.size() <= 64 + kKnobs);
    std::map<std::string, std::vector<std::string>> of_family;
    for (const Decision& decision : request.decisions) {
      ids.insert(decision.id);
      of_family[decision.proposal.column_family].push_back(decision.proposal.knob);
    }
    for (const auto& [family, knobs] : of_family) {
      CHECK(families.insert(family).second);  // in no other request
      CHECK(knobs == std::vector<std::string>{"knob 0", "knob 1", "knob 2", "knob 3", "knob 4"});
    }
  }
  CHECK(ids.size() == all.decisions.size());

  requests.clear();
  all.decisions.resize(3);
  add_requests(all, requests);
  REQUIRE(requests.size() == 1);
  CHECK(requests[0].decisions.size() == 3);
  all.decisions.clear();  // the lease alone
  add_requests(all, requests);
  CHECK(requests.size() == 2);
}

TEST_CASE("what an operator orders for many column families is asked for in several requests",
          "[daemon][actuator]") {
  std::vector<wire::Change> changes;
  for (int family = 0; family < 300; ++family) {
    changes.push_back({"1-" + std::to_string(family), "write_buffer_size",
                       "family " + std::to_string(family), 1 << 20, std::nullopt});
  }
  const auto requests = held_requests("rocktune", changes);
  std::vector<std::string> ids;
  for (const wire::ChangesRequest& request : requests) {
    CHECK(request.holder == "rocktune");
    CHECK(request.hold);
    CHECK(request.changes.size() <= 256);  // docs/wire.md, "Limits"
    CHECK(wire::encode(request).size() <= 64u << 10);
    for (const wire::Change& change : request.changes) ids.push_back(change.id);
  }
  REQUIRE(ids.size() == changes.size());
  for (std::size_t i = 0; i < ids.size(); ++i) CHECK(ids[i] == changes[i].id);
  CHECK(held_requests("rocktune", {}).empty());
}

TEST_CASE("every decision gets exactly one actuation", "[daemon][actuator]") {
  Decision first, second;
  first.id = "7-1";
  first.proposal.knob = "max_background_jobs";
  first.proposal.from = 2;
  second.id = "7-2";
  second.proposal.from = 5;
  wire::ChangesRequest request;
  request.changes = {{change_id("run", 3, "7-1"), "max_background_jobs", "", 4, 2},
                     {change_id("run", 3, "7-2"), "x", "", 6, 5}};
  CHECK(request.changes[0].id == "run-3-7-1");

  wire::ChangeResults answer;
  answer.results = {{"run-3-7-1", "applied", "", 2, 4, ""},
                    {"somebody else's", "applied", "", 0, 0, ""}};
  const auto actuations = to_actuations(request, {first, second}, answer);
  REQUIRE(actuations.size() == 2);
  CHECK(actuations[0] == Actuation{"7-1", "applied", "", 2, 4});
  CHECK(actuations[1].status == "failed");
  CHECK(actuations[1].after == 5);

  const auto lost =
      to_actuations(request, {first, second}, fail(ErrorCode::kUnavailable, "no answer in time"));
  REQUIRE(lost.size() == 2);
  CHECK(lost[0] == Actuation{"7-1", "failed", "no answer in time", 2, 2});
  const auto refused = to_actuations(request, {first}, fail(ErrorCode::kConflict, "it is held"));
  CHECK(refused.at(0) == Actuation{"7-1", "refused", "it is held", 2, 2});
}
