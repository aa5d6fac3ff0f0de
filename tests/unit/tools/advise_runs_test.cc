// Which traces `rocktune advise` takes for recordings of one database.
#include "tools/advise_runs.h"

#include <fstream>

#include "support.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"
#include "tools/advise_text.h"
#include "trace/recorder.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::test::quiet_sample;
using rocktune::tools::test::contains;

namespace {

class Traces {
 public:
  // Of a hundred seconds, an hour after the trace before. `members`: those that the daemon saw
  // sharing with it.
  void add(const std::string& host, const std::string& path, const std::string& incarnation,
           Counter members = {}) {
    const std::string file = directory_.file("run" + std::to_string(files_.size()) + ".sqlite");
    auto recorder =
        trace::Recorder::create(file, {"0.1.0", host, Nanoseconds(1), poll_seconds}, {});
    REQUIRE(recorder);
    add_to(*recorder, path, incarnation, members);
    if (reloaded) add_to(*recorder, path, incarnation, members);
    if (closed) add_to(*recorder, "/closed", "agent-9/9", members, 80);
    REQUIRE(recorder->commit());
    files_.push_back(file);
  }
  bool closed = false;  // beside it another one, for the first 80 s alone
  double poll_seconds = 1;
  OpenOptions options;    // as the agent told them
  bool reloaded = false;  // its settings were changed: it is one more target of the same trace
  std::string options_file;
  [[nodiscard]] std::string file(const std::string& name) const { return directory_.file(name); }
  std::vector<AdvisedDatabase> advised() const {
    auto databases = advise_on({files_, {}, options_file});
    REQUIRE(databases);
    return *std::move(databases);
  }

 private:
  void add_to(trace::Recorder& recorder, const std::string& path, const std::string& incarnation,
              Counter members, int seconds = 100) {
    const auto target = recorder.add_target({0, path, path, "advise", {}});
    REQUIRE(target);
    trace::IncarnationInfo opening;
    opening.incarnation = incarnation;
    opening.options = options;
    REQUIRE(recorder.add_incarnation(*target, opening));
    for (int second = 1; second <= seconds; ++second) {
      Sample sample = quiet_sample(static_cast<std::uint64_t>(second), second);
      sample.at.wall += std::chrono::hours(files_.size());
      sample.incarnation = incarnation;
      if (members) sample.shared.emplace().host_members = members;
      REQUIRE(recorder.begin_tick());
      REQUIRE(recorder.add_sample(*target, sample));
    }
  }

  rocktune::tools::test::TempDirectory directory_;
  std::vector<std::string> files_;
};

bool says_apart(const AdvisedDatabase& database) {
  for (const std::string& line : advice_lines({database})) {
    if (contains(line, "do not count together")) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("traces of one path on one host count together", "[advise]") {
  Traces traces;
  traces.add("a", "/data/db", "agent-1/1");
  traces.add("a", "/data/db", "agent-2/1");
  traces.add("b", "/data/db", "agent-3/1");
  const auto databases = traces.advised();
  REQUIRE(databases.size() == 2);
  CHECK(databases[0].traces.size() == 2);
  CHECK_FALSE(says_apart(databases[0]));
  CHECK(databases[1].host == "b");
}

TEST_CASE("a trace is named once, also where a reload made two targets of a database", "[advise]") {
  Traces traces;
  traces.reloaded = true;
  traces.add("a", "/data/db", "agent-1/1");
  const auto databases = traces.advised();
  REQUIRE(databases.size() == 1);
  CHECK(databases[0].traces.size() == 1);
  CHECK(databases[0].evidence.samples == 200);
}

TEST_CASE("where the host is not known only a common opening tells", "[advise]") {
  Traces traces;
  traces.add("unknown", "/data/db", "log:WQXU");
  traces.add("unknown", "/data/db", "log:I8KN");  // of another replica, for all that is known
  traces.add("unknown", "/data/db", "log:WQXU");
  traces.add("unknown", "/data/old", "log:1");  // a number, and no id
  traces.add("unknown", "/data/old", "log:1");
  const auto databases = traces.advised();
  REQUIRE(databases.size() == 4);
  CHECK(databases[0].traces.size() == 2);
  CHECK(databases[1].traces.size() == 1);
  CHECK(says_apart(databases[0]));
  CHECK(says_apart(databases[3]));
}

TEST_CASE("options are those of the trace, unless a file is given", "[advise]") {
  constexpr const char* kOption = "use_direct_io_for_flush_and_compaction";
  Traces traces;
  traces.options.database[kOption] = "false";
  traces.add("a", "/data/db", "agent-1/1");
  CHECK(traces.advised().at(0).evidence.option(kOption) == "false");
  CHECK(traces.advised().at(0).options_file.empty());
  traces.options.database[kOption] = "true";  // which is another option: what was before is out
  traces.add("a", "/data/db", "agent-2/1");
  const AdvisedDatabase reopened = traces.advised().at(0);
  CHECK(reopened.evidence.option(kOption) == "true");
  CHECK(reopened.evidence.begun_anew == 1);
  CHECK(reopened.evidence.samples == 100);
  traces.options = {};  // nothing was told of the last opening
  traces.add("a", "/data/db", "agent-3/1");
  CHECK_FALSE(traces.advised().at(0).evidence.option(kOption));
  traces.options_file = traces.file("OPTIONS-000007");
  std::ofstream(traces.options_file)
      << "[DBOptions]\n  " << kOption << "=false\n[CFOptions \"default\"]\n  num_levels=7\n";
  const AdvisedDatabase told = traces.advised().at(0);
  CHECK(told.evidence.option(kOption) == "false");
  CHECK(told.evidence.begun_anew == 0);
  CHECK(told.options_file == traces.options_file);
}

TEST_CASE("databases of one host in a request share what is free there", "[advise]") {
  Traces traces;
  traces.add("a", "/data/one", "agent-1/1");
  traces.add("a", "/data/two", "agent-1/2");
  traces.add("b", "/data/one", "agent-3/1");
  const auto databases = traces.advised();
  REQUIRE(databases.size() == 3);
  CHECK(databases[0].evidence.memory_sharers == 2);
  CHECK(databases[1].evidence.memory_sharers == 2);
  CHECK(databases[2].evidence.memory_sharers == 1);
}

TEST_CASE("a database that was closed by the end of the trace shares nothing", "[advise]") {
  Traces traces;
  traces.closed = true;
  traces.add("a", "/data/one", "agent-1/1");
  const auto databases = traces.advised();
  REQUIRE(databases.size() == 2);
  CHECK(databases[0].path == "/data/one");
  CHECK(databases[0].evidence.memory_sharers == 1);
  CHECK(databases[1].evidence.memory_sharers == 2);  // was it to be opened again
}

TEST_CASE("one poll without an answer closes no database, however rare polls are", "[advise]") {
  Traces traces;
  traces.closed = true;  // or slow: 20 s from its last sample to the end
  traces.poll_seconds = 15;
  traces.add("a", "/data/one", "agent-1/1");
  const auto databases = traces.advised();
  REQUIRE(databases.size() == 2);
  CHECK(databases[0].evidence.memory_sharers == 2);
}

// The daemon divides among the databases of one user: two circles of one host, of two and of one.
TEST_CASE("databases of several users on one host share what is free there", "[advise]") {
  Traces traces;
  traces.add("a", "/alice/one", "agent-1/1", 2);
  traces.add("a", "/alice/two", "agent-1/2", 2);
  traces.add("a", "/bob/one", "agent-2/1", 1);
  traces.add("b", "/data/one", "agent-3/1", 5);  // of four of them there is no trace
  const auto databases = traces.advised();
  REQUIRE(databases.size() == 4);
  for (std::size_t i = 0; i < 3; ++i) CHECK(databases[i].evidence.memory_sharers == 3);
  CHECK(databases[3].evidence.memory_sharers == 5);
}
