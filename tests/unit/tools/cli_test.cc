#include "tools/cli.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <sstream>

#include "prior/prior.h"
#include "stall_trace.h"
#include "support.h"
#include "trace/json_text.h"

using namespace rocktune::tools;
using rocktune::tools::test::contains;
using Words = std::vector<std::string>;

namespace {

struct Ran {
  int code = 0;
  std::string out, err;
};

Ran run(const Words& arguments) {
  std::ostringstream out, err;
  auto* before_out = std::cout.rdbuf(out.rdbuf());
  auto* before_err = std::cerr.rdbuf(err.rdbuf());
  const int code = run_cli(arguments);
  std::cout.rdbuf(before_out);
  std::cerr.rdbuf(before_err);
  return {code, out.str(), err.str()};
}

}  // namespace

TEST_CASE("the arguments of the command that run starts stay untouched", "[tools]") {
  auto split = split_run({"run", "--agent-dir", "/x", "--mode=ro", "--", "cmd", "--help", "--"});
  CHECK(split.own == Words{"run", "--agent-dir", "/x", "--mode=ro"});
  CHECK(split.command == Words{"cmd", "--help", "--"});
  split = split_run({"run", "--mode", "rw", "status", "--json"});
  CHECK(split.own == Words{"run", "--mode", "rw"});
  CHECK(split.command == Words{"status", "--json"});
  CHECK(split_run({"run"}).command.empty());
  CHECK(split_run({"run", "--agent-dir"}).own == Words{"run", "--agent-dir"});
  CHECK(split_run({"status", "--json"}).own == Words{"status", "--json"});
}

TEST_CASE("an error shows nothing that the terminal would obey", "[tools]") {
  const rocktune::tools::test::TempDirectory directory;
  const std::string name = "agent." + std::to_string(::getpid()) + ".why";
  CHECK_FALSE(directory.write(name, "/data/\x1b[2J: not attached\n").empty());
  const Ran ran = run({"stats", "--agent-dir", directory.path().string()});
  CHECK(ran.code == 1);
  CHECK(contains(ran.err, "/data/?[2J: not attached"));
  CHECK_FALSE(contains(ran.err, "\x1b"));
}

TEST_CASE("wrong usage is one line and exit code 2", "[tools]") {
  for (const Words& arguments :
       {Words{},
        Words{"nonsense"},
        Words{"replay"},
        Words{"status", "--nonsense"},
        Words{"release"},
        Words{"release", "k", "--all"},
        Words{"release", ""},
        Words{"release", "--all", "--target", ""},
        Words{"rollback"},
        Words{"rollback", ""},
        Words{"rollback", "k", ""},
        Words{"rollback", "k", "--all"},
        Words{"rollback", "--all", "--target", ""},
        Words{"rollback", "--all", "--column-family", "default"},
        Words{"rollback", "--column-family", "default"},
        Words{"freeze", "--for", "10"},
        Words{"freeze", "--for", "-5m"},
        Words{"explain", "1-1", "--last", "0"},
        Words{"trace"},
        Words{"trace", "info"},
        Words{"trace", "run.sqlite"},
        Words{"run"},
        Words{"run", "--mode", "rx", "--", "true"},
        Words{"alerts", "x", "--kind", "nonsense"},
        Words{"watch", "--interval", "-1"},
        Words{"replay", "x", "--policy", "hedroom"},
        Words{"knobs", "--pid", "no"},
        Words{"events", "more"},
        Words{"score"},
        Words{"score", "x", "--detector", "sttic"},
        Words{"score", "x", "--horizon", "1"},
        Words{"score", "x", "--horizon", "601"},
        Words{"score", "x", "--false-alarms-per-hour", "-1"},
        Words{"score", "x", "x"},
        Words{"score", "x", "--false-alarms-per-hour", "1", "--false-alarms-per-day", "9"},
        Words{"alerts", "x", "--score", "--follow"}}) {
    const Ran ran = run(arguments);
    INFO((arguments.empty() ? "" : arguments[0]) << ": " << ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.out.empty());
    CHECK(ran.err.starts_with("rocktune: "));
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  }
  CHECK(contains(run({"statuus"}).err, "did you mean \"status\"?"));
  CHECK(contains(run({"replay", "x", "--policy", "hedroom"}).err, "headroom, static"));
  CHECK(contains(run({"trace", "run.sqlite"}).err,
                 "there is no command \"trace run.sqlite\"; after trace there is: info"));
  CHECK(contains(run({"import", "rocksdb-lgo"}).err, "did you mean \"import rocksdb-log\"?"));
  CHECK(contains(run({"freeze", "--for", "10"}).err, "--for: needs a unit: 10s, 10m, 10h or 10d"));
  CHECK(contains(run({"freeze", "--for", "-5m"}).err, "must be from 1s to 365d"));
  CHECK(contains(run({"release"}).err, "`rocktune knobs` lists them"));
  CHECK(contains(run({"rollback"}).err, "or say --all: every knob"));
  CHECK(contains(run({"rollback", ""}).err, "is empty"));
}

TEST_CASE("a name that is no UTF-8 is refused with what does without one", "[tools]") {
  for (const Words& arguments :
       {Words{"release", "k", "--column-family", "\xe9"}, Words{"release", "\xe9"},
        Words{"rollback", "k", "--column-family", "\xe9"},
        Words{"rollback", "k", "--target", "/db/\xe9"}, Words{"rollback", "k\xe9"}}) {
    const Ran ran = run(arguments);
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK(contains(ran.err, "no UTF-8"));
    CHECK(contains(ran.err, "--all needs no name"));
  }
}

TEST_CASE("help and version are answers, not errors", "[tools]") {
  const Ran help = run({"--help"});
  CHECK(help.code == 0);
  CHECK(contains(help.out, "rocktune replay"));
  CHECK(run({"--version"}).out.starts_with("rocktune "));
  for (const char* command : {"run", "status", "watch", "alerts", "explain", "release", "rollback",
                              "freeze", "unfreeze", "replay", "score"}) {
    const Ran ran = run({command, "--help"});
    CHECK(ran.code == 0);
    CHECK(contains(ran.out, "--help"));
  }
}

TEST_CASE("what cannot be done is one line and exit code 1", "[tools]") {
  const rocktune::tools::test::TempDirectory directory;
  const std::string socket = directory.file("none.sock");
  for (const Words& arguments :
       {Words{"status", "--socket", socket}, Words{"watch", "--socket", socket},
        Words{"rollback", "--all", "--socket", socket}, Words{"rollback", "1-1", "--log", socket},
        Words{"explain", "--log", socket}, Words{"freeze", "--socket", socket},
        Words{"unfreeze", "--socket", socket}, Words{"release", "--all", "--socket", socket},
        Words{"trace", "info", directory.file("none.sock")},
        Words{"replay", directory.write("none.sock.txt", "text")},
        Words{"alerts", directory.file("none.sock")}}) {
    const Ran ran = run(arguments);
    CHECK(ran.code == 1);
    CHECK(ran.out.empty());
    CHECK(contains(ran.err, "none.sock"));
    CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') == 1);
  }
  const Ran missing = run({"run", "--", "no-such-program-here"});
  CHECK(missing.code == 127);
  CHECK(contains(missing.err, "no-such-program-here"));
}

TEST_CASE("train says before all else that its model cannot be written", "[tools]") {
  const rocktune::tools::test::TempDirectory directory;
  const std::string model = directory.file("no/model.yaml");
  const Ran ran = run({"train", directory.file("none.sqlite"), "-o", model});
  CHECK(ran.code == 1);
  CHECK(contains(ran.err, model + " cannot be written: No such file or directory"));
}

TEST_CASE("alerts prints a log", "[tools]") {
  const rocktune::tools::test::TempDirectory directory;
  const std::string line =
      R"({"time":"2026-01-31T12:00:00.250Z","target":"a","kind":"daemon","id":"1","message":"hi"})";
  const std::string log = directory.write("log", line + "\nbroken\n" + line);
  const Ran ran = run({"alerts", log});
  CHECK(ran.code == 0);
  CHECK(ran.out ==
        "2026-01-31 12:00:00.250Z  a  DAEMON    hi\n"
        "2026-01-31 12:00:00.250Z  a  DAEMON    hi\n");
  CHECK(contains(ran.err, "1 line is no alert-log line"));
  CHECK(run({"alerts", log, "--json"}).out == line + "\n" + line + "\n");
  CHECK(run({"alerts", log, "--kind", "alert,decision"}).out.empty());

  REQUIRE(::setenv("ROCKTUNE_ALERT_LOG", log.c_str(), 1) == 0);
  CHECK(run({"alerts"}).out == ran.out);
  CHECK(run({"explain", "--target", "a"}).code == 0);
  const Ran none = run({"explain", "--target", "nix"});
  CHECK(none.code == 1);
  CHECK(contains(none.err, log + " tells of no database nix; it tells of a"));
  REQUIRE(::unsetenv("ROCKTUNE_ALERT_LOG") == 0);
}

TEST_CASE("score takes budget and prior from the trace where it is told to", "[tools]") {
  const rocktune::tools::test::TempDirectory directory;
  rocktune::EngineConfig engine;
  engine.objective.false_alarms_per_day.fill(1e6);
  engine.prior = *rocktune::choose_prior("builtin");
  const std::string trace =
      rocktune::tools::test::record_stall(directory, "a", 1, 20, 1, 1, engine);
  const auto scored = [&](const Words& options) {
    Words words = {"score", trace, "--detector", "rocktune-alerts,rocktune=0.6", "--json"};
    words.insert(words.end(), options.begin(), options.end());
    const Ran ran = run(words);
    INFO(ran.err);
    REQUIRE(ran.code == 0);
    return rocktune::trace::Json::parse(ran.out)["tables"];
  };
  const auto own = scored({});
  CHECK(own == scored({"--false-alarms-per-day", "1000000"}));
  CHECK(own != scored({"--false-alarms-per-day", "1"}));
  CHECK(own != scored({"--false-alarms-per-hour", "1"}));
  CHECK(own == scored({"--model", "recorded"}));
  CHECK(own != scored({"--model", "none"}));
}
