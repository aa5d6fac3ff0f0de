#include "tools/decision_log.h"

#include "support.h"
#include "trace/journal_json.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;

namespace {

constexpr Nanoseconds kLogWall = std::chrono::milliseconds(1769860800250);

// One allowed change of the jobs from 2 to 4, and what the log says of it.
class WrittenLog {
 public:
  explicit WrittenLog(const std::string& status, std::int64_t after = 2,
                      const std::string& target = "orders") {
    Decision decision;
    decision.id = "57-1";
    decision.proposal.knob = "max_background_jobs";
    decision.proposal.from = 2;
    decision.proposal.to = 4;
    decision.proposal.rule = "jobs.backlog";
    decision.verdict = {VerdictKind::kAllowed, 4, "", ""};
    add(trace::decision_line(kLogWall, target, decision, "act"));
    add(trace::actuation_line(kLogWall, target, {"57-1", status, "why", 2, after}));
  }
  void add(const std::string& line) { text_ += line + "\n"; }
  [[nodiscard]] std::string file() const { return directory_.write("alerts.jsonl", text_); }
  [[nodiscard]] Result<Json> order(const std::string& id = "57-1",
                                   const std::string& target = "") const {
    return rollback_order(file(), {id, target, true, 1000}).map([](const RollbackOrder& order) {
      return order.body;
    });
  }

 private:
  rocktune::tools::test::TempDirectory directory_;
  std::string text_;
};

}  // namespace

TEST_CASE("what was made is taken back to what it was", "[tools]") {
  const auto order = WrittenLog("applied", 4).order();
  REQUIRE(order);
  CHECK(*order == Json{{"target", "orders"},
                       {"knob", "max_background_jobs"},
                       {"column_family", ""},
                       {"value", 2},
                       {"decision", "57-1"},
                       {"left_at", {4}}});
}

TEST_CASE("what failed and moved the knob all the same is taken back", "[tools]") {
  const auto mismatch = WrittenLog("mismatch", 3).order();
  REQUIRE(mismatch);
  CHECK((*mismatch)["value"] == 2);

  WrittenLog late("failed");
  late.add(trace::actuation_line(kLogWall, "orders", {"57-1", "applied", "late", 2, 4}));
  REQUIRE(late.order());
  CHECK((*late.order())["value"] == 2);

  WrittenLog judged("failed");
  judged.add(trace::outcome_line(kLogWall, "orders", {"57-1", "better", 1.0, ""}));
  CHECK(judged.order());
}

TEST_CASE("what was not made is not taken back, and that says why", "[tools]") {
  for (const char* status : {"failed", "refused", "not_sent"}) {
    const auto order = WrittenLog(status).order();
    REQUIRE_FALSE(order);
    CHECK(contains(order.error().message, std::string("decision 57-1 was not made, by what the "
                                                      "log says (") +
                                              status + ": why)"));
    CHECK(contains(order.error().message, "`rocktune rollback max_background_jobs`"));
  }
}

TEST_CASE("a decision that is not in the log may be in an older one", "[tools]") {
  const WrittenLog log("applied", 4);
  const auto none = log.order("58-1");
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kNotFound);
  CHECK(contains(none.error().message, "has no decision 58-1; an older log may (--log FILE)"));
  CHECK(contains(none.error().message, "`rocktune rollback KNOB` reads no log"));
  CHECK_FALSE(
      contains(no_such_decision("log", {"58-1", "", false, 1}).message, "rollback"));  // explain's
  const auto elsewhere = log.order("57-1", "users");
  REQUIRE_FALSE(elsewhere);
  CHECK(contains(elsewhere.error().message, "has no decision 57-1 of users; an older log may"));
}

TEST_CASE("a log without the decision names what logrotate has put beside it", "[tools]") {
  const rocktune::tools::test::TempDirectory directory;
  const std::string log = directory.file("alerts.jsonl");
  CHECK(no_decision_text(log, "") == "no decision in " + log);
  const std::string older = directory.write("alerts.jsonl.1", "");
  CHECK(no_decision_text(log, "orders") == "no decision of orders in " + log +
                                               "; what was logged before is in " + older +
                                               " (--log " + older + ")");
  CHECK(contains(no_such_decision(log, {"58-1", "", false, 1}).message, "(--log " + older + ")"));
  CHECK(contains(no_such_target(log, "nix", DecisionStories({"", "nix", false, 20}))->message,
                 "(--log " + older + ")"));
}

TEST_CASE("a database that the log does not tell of is told of, with those that it does",
          "[tools]") {
  DecisionStories stories({"", "nix", false, 20});
  CHECK(no_such_target("a.jsonl", "nix", stories)->message == "a.jsonl tells of no database nix");
  for (const char* name : {"users", "orders (read_only)", ""}) {
    stories.add(trace::event_line(kLogWall, name, "source", "agent", "opened"));
  }
  CHECK(no_such_target("a.jsonl", "nix", stories)->message ==
        "a.jsonl tells of no database nix; it tells of orders (read_only), users");
  CHECK_FALSE(no_such_target("a.jsonl", "orders", stories));
  CHECK_FALSE(no_such_target("a.jsonl", "", stories));
}

TEST_CASE("a file of which no line is one of an alert log is none", "[tools]") {
  const rocktune::tools::test::TempDirectory directory;
  const auto none = read_stories(directory.write("trace", "SQLite format 3\nx\n"), {});
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kCorrupt);
  CHECK(contains(none.error().message, "is no alert log"));
  CHECK(read_stories(directory.write("empty", ""), {}));
  const auto torn = read_stories(
      directory.write("torn", "{\"ki\n" + trace::event_line(kLogWall, "", "daemon", "x", "y")), {});
  REQUIRE(torn);
  CHECK(torn->malformed() == 1);
}

TEST_CASE("of several decisions on one knob the earliest takes the others along", "[tools]") {
  const auto order = [](const char* id, std::uint64_t line, const char* knob = "a") {
    return RollbackOrder{
        {{"target", "orders"}, {"knob", knob}, {"column_family", ""}}, id, line, {}};
  };
  const auto left = earliest_of_each({order("30-1", 9), order("10-1", 1), order("12-1", 2, "b"),
                                      order("20-1", 5), order("10-1", 1)});
  REQUIRE(left.size() == 2);
  CHECK(left[0].decision == "10-1");
  CHECK(left[0].takes_along == std::vector<std::string>{"30-1", "20-1"});
  CHECK(left[1].decision == "12-1");
  CHECK(left[1].takes_along.empty());
  // A knob's name is another order: to what was found.
  CHECK(earliest_of_each({order("", 0), order("10-1", 1), order("", 0)}).size() == 3);
}
