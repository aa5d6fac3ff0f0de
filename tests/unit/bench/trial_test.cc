#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "bench/cli/temporary.h"
#include "bench/text_file.h"
#include "bench/trial/child.h"
#include "bench/trial/clone.h"
#include "bench/trial/daemon.h"
#include "bench/trial/load_key.h"
#include "bench/trial/subject.h"
#include "bench/trial/watch.h"
#include "tests/support/catch.h"

using namespace rocktune::bench;
using namespace rocktune::scenario;
namespace fs = std::filesystem;

namespace {

// The value after `option`; empty when it is not given.
std::string value_of(const std::vector<std::string>& arguments, const std::string& option) {
  for (std::size_t i = 0; i + 1 < arguments.size(); ++i) {
    if (arguments[i] == option) return arguments[i + 1];
  }
  return "";
}

bool has(const std::vector<std::string>& arguments, const std::string& wanted) {
  return std::find(arguments.begin(), arguments.end(), wanted) != arguments.end();
}

TrialSubject small_workload() {
  TrialSubject subject;
  subject.workload = "ycsb-a";
  subject.configuration = "Baseline";
  subject.device = "nvme-p41";
  subject.scale = 64;
  subject.device_scale = 4;
  subject.records = 1000;
  return subject;
}

void write(const fs::path& path, const std::string& text) {
  std::ofstream(path) << text;
}

}  // namespace

TEST_CASE("a child is not told what the user's own rocktuned is", "[bench][trial]") {
  const auto directory = TemporaryDirectory::create("rocktune-test");
  REQUIRE(directory);
  setenv("ROCKTUNED_DAEMON_AGENT_DIR", "/run/rocktune", 1);
  setenv("ROCKTUNE_SEEN", "1", 1);
  auto child = Child::start({{"/usr/bin/env"}, {}, directory->path() + "/stderr"});
  unsetenv("ROCKTUNED_DAEMON_AGENT_DIR");
  unsetenv("ROCKTUNE_SEEN");
  REQUIRE(child);
  std::string told;
  for (int i = 0; i < 100 && !child->exit_code(); ++i) {
    for (const auto& line : child->read_lines(std::chrono::milliseconds(100))) told += line + "\n";
  }
  CHECK(told.find("ROCKTUNE_SEEN=1") != std::string::npos);
  CHECK(told.find("ROCKTUNED_") == std::string::npos);
}

TEST_CASE("a load knows nothing of what only a run has", "[bench][trial]") {
  TrialSubject subject = small_workload();
  subject.load_options = {"bloom_bits_per_key=10"};
  subject.options = {"rate_limit=1MiB"};
  subject.seconds = 3;
  const auto load = load_arguments(subject, "/d");
  CHECK(load[1] == "load");
  CHECK(value_of(load, "--db") == "/d");
  CHECK(value_of(load, "--workload") == "ycsb-a");
  CHECK(value_of(load, "--scale") == "64");
  CHECK(value_of(load, "--records") == "1000");
  CHECK(has(load, "bloom_bits_per_key=10"));
  CHECK_FALSE(has(load, "rate_limit=1MiB"));
  CHECK_FALSE(has(load, "--device"));
  CHECK_FALSE(has(load, "--device-scale"));
  CHECK_FALSE(has(load, "--seconds"));
  const auto run = run_arguments(subject, "/d", "/r.json");
  CHECK(run[1] == "run");
  CHECK(has(run, "bloom_bits_per_key=10"));
  CHECK(has(run, "rate_limit=1MiB"));
  CHECK(value_of(run, "--device") == "nvme-p41");
  CHECK(value_of(run, "--device-scale") == "4");
  CHECK(value_of(run, "--seconds") == "3");
  CHECK(value_of(run, "--json") == "/r.json");
}

TEST_CASE("a scenario is named, not taken apart", "[bench][trial]") {
  TrialSubject subject;
  subject.scenario = "steady";
  subject.full = true;
  const auto run = run_arguments(subject, "/d", "/r.json");
  CHECK(value_of(run, "--scenario") == "steady");
  CHECK(has(run, "--full"));
  CHECK_FALSE(has(run, "--workload"));
  CHECK_FALSE(has(run, "--device"));
  subject.device = "loop:nvme-p41";
  CHECK(value_of(run_arguments(subject, "/d", "/r.json"), "--device") == "loop:nvme-p41");
}

TEST_CASE("a scenario with another configuration is loaded and run with it", "[bench][trial]") {
  TrialSubject own;
  own.scenario = "start-baseline";
  TrialSubject other = own;
  other.configuration = "ReadOpt-512MB";
  const std::vector<std::string> wanted = {"--configuration", "ReadOpt-512MB"};
  for (const auto& arguments : {load_arguments(other, "/d"), run_arguments(other, "/d", "/r")}) {
    CHECK(std::search(arguments.begin(), arguments.end(), wanted.begin(), wanted.end()) !=
          arguments.end());
  }
  const auto plain = run_arguments(own, "/d", "/r");
  CHECK(std::find(plain.begin(), plain.end(), "--configuration") == plain.end());
  // Its tables have filters.
  REQUIRE(load_key(own));
  REQUIRE(load_key(other));
  CHECK(*load_key(own) != *load_key(other));
  other.configuration = "none-such";
  CHECK_FALSE(load_key(other));
}

TEST_CASE("subjects share a loaded database when the load would be the same", "[bench][trial]") {
  const TrialSubject subject = small_workload();
  const auto key = load_key(subject);
  REQUIRE(key);
  TrialSubject other = subject;
  other.options = {"rate_limit=1MiB"};
  other.seconds = 9;
  other.device = "none";
  other.load_options = {"max_background_jobs=8", "block_cache=1GiB"};
  CHECK(*load_key(other) == *key);
  other = subject;
  other.records = 2000;
  CHECK(*load_key(other) != *key);
  other = subject;
  other.configuration = "Mild-Pressure";
  CHECK(*load_key(other) != *key);
  other = subject;
  other.load_options = {"bloom_bits_per_key=10"};
  CHECK(*load_key(other) != *key);
  auto directory = TemporaryDirectory::create("rocktune-test");
  REQUIRE(directory);
  const auto in_order = [&](const std::string& order) {
    TrialSubject ordered = subject;
    ordered.workload = directory->path() + "/" + order + ".yaml";
    write(ordered.workload,
          "name: w\nload_order: " + order + "\nphases: [{name: run, seconds: 1, workload: A}]\n");
    return load_key(ordered);
  };
  REQUIRE(in_order("key"));
  REQUIRE(in_order("spread"));
  CHECK(*in_order("key") != *in_order("spread"));
  other.workload = "none-such";
  CHECK_FALSE(load_key(other));
}

TEST_CASE("only what was applied counts as a change", "[bench][trial]") {
  const std::string log = R"({"kind":"decision","id":"1","verdict":{"kind":"allowed"}})"
                          "\n"
                          R"({"kind":"actuation","id":"1","status":"applied"})"
                          "\n"
                          R"({"kind":"actuation","id":"2","status":"conflict"})"
                          "\n"
                          R"({"kind":"actuation","id":"3","status":"applied"})"
                          "\n"
                          R"({"kind":"actuation","id":"4","sta)";
  CHECK(count_changes(log) == 2);
  CHECK(count_changes("") == 0);
}

TEST_CASE("a copy has every file of every database and does not touch the original",
          "[bench][trial]") {
  auto directory = TemporaryDirectory::create("rocktune-test");
  REQUIRE(directory);
  const fs::path from = fs::path(directory->path()) / "from";
  const fs::path to = fs::path(directory->path()) / "to";
  fs::create_directories(from / "front");
  write(from / "front" / "000001.sst", "table");
  write(from / "front" / "CURRENT", "MANIFEST-1\n");
  REQUIRE(clone_database(from.string(), to.string()));
  CHECK(*read_text_file((to / "front" / "000001.sst").string()) == "table");
  write(to / "front" / "CURRENT", "MANIFEST-2\n");
  fs::remove(to / "front" / "000001.sst");
  CHECK(*read_text_file((from / "front" / "CURRENT").string()) == "MANIFEST-1\n");
  CHECK(*read_text_file((from / "front" / "000001.sst").string()) == "table");
  CHECK_FALSE(clone_database(from.string(), to.string()));
}

TEST_CASE("a child that was killed is told with its signal", "[bench][trial]") {
  CHECK(how_it_ended(1) == "failed with exit code 1");
  CHECK(how_it_ended(128) == "failed with exit code 128");
  CHECK(how_it_ended(137) == "was killed by signal 9 (SIGKILL)");
  CHECK(how_it_ended(255) == "failed with exit code 255");
  CHECK(how_it_ended(130) == "was stopped");  // by itself, when SIGINT or SIGTERM came
}

TEST_CASE("only a child that was stopped or killed may go better the next time", "[bench][trial]") {
  auto directory = TemporaryDirectory::create("rocktune-test");
  REQUIRE(directory);
  const auto code_of = [&](const std::string& script) {
    auto child = Child::start({{"/bin/sh", "-c", script}, {}, directory->path() + "/log"});
    REQUIRE(child);
    const auto watched = watch_child(*child, "the run", directory->path() + "/log", {});
    REQUIRE_FALSE(watched);
    return watched.error().code;
  };
  CHECK(code_of("exit 130") == rocktune::ErrorCode::kUnavailable);
  CHECK(code_of("kill -KILL $$") == rocktune::ErrorCode::kUnavailable);
  CHECK(code_of("exit 1") == rocktune::ErrorCode::kIo);
}
