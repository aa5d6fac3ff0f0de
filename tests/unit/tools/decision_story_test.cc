#include "tools/decision_story.h"

#include "support.h"
#include "trace/journal_json.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;

namespace {

constexpr Nanoseconds kStoryWall = std::chrono::milliseconds(1769860800250);

struct StoryLog {
  std::vector<std::string> lines;

  void decide(const std::string& id, std::int64_t from, std::int64_t to, VerdictKind kind,
              const std::string& rule = "jobs.backlog", const std::string& target = "orders") {
    Decision decision;
    decision.id = id;
    decision.proposal.knob = "max_background_jobs";
    decision.proposal.from = from;
    decision.proposal.to = to;
    decision.proposal.rule = rule;
    decision.proposal.reason = "compaction is behind";
    decision.proposal.expected = {"l0_files", true, 12, 30};
    decision.proposal.evidence = {{"l0_files", 12, 20}, {"running_compactions", 2, std::nullopt}};
    const bool refused = kind == VerdictKind::kHeld;
    decision.verdict = {kind, refused ? from : to, refused ? "dwell" : "",
                        refused ? "it rests" : ""};
    lines.push_back(trace::decision_line(kStoryWall, target, decision, "act"));
  }
  void apply(const std::string& id, std::int64_t from, std::int64_t to,
             const std::string& status = "applied", const std::string& target = "orders") {
    lines.push_back(trace::actuation_line(kStoryWall, target, {id, status, "", from, to}));
  }
  void judge(const std::string& id, const std::string& result) {
    lines.push_back(
        trace::outcome_line(kStoryWall, "orders", {id, result, 8.0, "l0_files went down"}));
  }
  [[nodiscard]] DecisionStories read(const DecisionStories::Wanted& wanted) const {
    DecisionStories stories(wanted);
    for (const std::string& line : lines) stories.add(line);
    return stories;
  }
};

std::string story_text(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

}  // namespace

TEST_CASE("a decision's whole story", "[tools]") {
  StoryLog log;
  log.decide("12-1", 2, 4, VerdictKind::kAllowed);
  log.apply("12-1", 2, 4);
  log.judge("12-1", "worse");
  log.decide("70-1", 4, 2, VerdictKind::kAllowed, "rollback.regression");
  log.apply("70-1", 4, 2);
  const DecisionStories stories = log.read({"12-1", "", true, 10});
  REQUIRE(stories.stories().size() == 1);
  CHECK(story_text(story_lines(stories.stories()[0])) ==
        "12-1   orders   2026-01-31 12:00:00.250Z   mode act\n"
        "  what      max_background_jobs 2 -> 4\n"
        "  why       jobs.backlog: compaction is behind\n"
        "  evidence  l0_files 12 (limit 20)\n"
        "            running_compactions 2\n"
        "  expected  l0_files falls from 12 within 30.0 s\n"
        "  guard     allowed\n"
        "  done      applied 2 -> 4, 2026-01-31 12:00:00.250Z\n"
        "  came      worse: l0_files went down\n"
        "  then      taken back by 70-1\n");
  const Json json = story_json(stories.stories()[0]);
  CHECK(json["actuation"]["after"] == 4);
  CHECK(json["outcome"]["result"] == "worse");
  CHECK(json["taken_back_by"] == "70-1");
}

TEST_CASE("evidence without a limit says so", "[tools]") {
  Decision decision;
  decision.id = "12-1";
  decision.proposal.knob = "max_background_jobs";
  decision.proposal.evidence = {{"l0_files", 30, 2147483647}, {"pending_bytes", 1 << 20, 0}};
  DecisionStories stories({"12-1", "", true, 10});
  stories.add(trace::decision_line(kStoryWall, "orders", decision, "act"));
  REQUIRE(stories.stories().size() == 1);
  const std::string text = story_text(story_lines(stories.stories()[0]));
  CHECK(contains(text, "l0_files 30 (no limit)\n"));
  CHECK(contains(text, "pending_bytes 1 MiB (no limit)\n"));
}

TEST_CASE("a path finds the decisions of its read-only instance, too", "[tools]") {
  StoryLog log;
  for (const char* target : {"/x (read_only)", "/x", "/xy", "/x (old)"}) {
    log.decide("12-1", 2, 4, VerdictKind::kAllowed, "jobs.backlog", target);
  }
  CHECK(log.read({"", "/x", true, 10}).stories().size() == 2);
  CHECK(log.read({"", "/x (read_only)", true, 10}).stories().size() == 1);
}

TEST_CASE("what an operator took back by its id is said", "[tools]") {
  StoryLog log;
  log.decide("12-1", 2, 4, VerdictKind::kAllowed);
  log.apply("12-1", 2, 4);
  log.lines.push_back(
      trace::event_line(kStoryWall, "orders", "manual", "operator", "rolled it back", "12-1"));
  const DecisionStories stories = log.read({"12-1", "", true, 10});
  REQUIRE(stories.stories().size() == 1);
  CHECK(contains(story_text(story_lines(stories.stories()[0])),
                 "  then      taken back by the operator\n"));
  CHECK(contains(story_table(stories.stories())[0], "applied, taken back"));
  CHECK(story_json(stories.stories()[0])["taken_back_by"] == "operator");
}

TEST_CASE("what expects nothing does not wait for its judgement", "[tools]") {
  StoryLog log;
  const bool experiment = GENERATE(false, true);
  log.decide("12-1", 4, 2, VerdictKind::kAllowed, "jobs.futile");
  log.apply("12-1", 4, 2);
  if (!experiment) {
    Json line = Json::parse(log.lines[0]);
    line["expected"]["feature"] = "";
    log.lines[0] = line.dump();
  }
  const std::string text = story_text(story_lines(log.read({"", "", false, 10}).stories()[0]));
  CHECK(contains(text, "not judged yet") == experiment);
  CHECK(contains(text, "no experiment, and is not judged") != experiment);
}

TEST_CASE("a change that failed and was made all the same", "[tools]") {
  StoryLog log;
  log.decide("12-1", 2, 4, VerdictKind::kAllowed);
  log.apply("12-1", 2, 2, "failed");
  CHECK_FALSE(log.read({"", "", false, 10}).stories()[0].made());
  log.apply("12-1", 2, 4);  // as a later sample showed
  log.decide("70-1", 4, 2, VerdictKind::kAllowed, "rollback.regression");
  log.apply("70-1", 4, 2);
  const DecisionStories stories = log.read({"", "", false, 10});
  REQUIRE(stories.stories().size() == 2);
  const DecisionStory& late = stories.stories()[0];
  CHECK(late.made());
  CHECK(late.taken_back_by == "70-1");
  CHECK(contains(story_text(story_lines(late)), "applied 2 -> 4"));
  CHECK(contains(story_table(stories.stories())[0],
                 "max_background_jobs 2 -> 4  applied, taken back"));
}

TEST_CASE("only what stood there is taken back by a rollback", "[tools]") {
  StoryLog log;
  log.decide("1-1", 2, 3, VerdictKind::kAllowed);
  log.apply("1-1", 2, 3);
  log.decide("5-1", 3, 4, VerdictKind::kAllowed);
  log.apply("5-1", 3, 4);
  log.decide("6-1", 4, 5, VerdictKind::kAllowed);
  log.apply("6-1", 4, 4, "failed");
  log.decide("9-1", 4, 3, VerdictKind::kAllowed, "rollback.regression");
  log.apply("9-1", 4, 3);
  const DecisionStories stories = log.read({"", "", false, 10});
  REQUIRE(stories.stories().size() == 4);
  CHECK(stories.stories()[0].taken_back_by.empty());
  CHECK(stories.stories()[1].taken_back_by == "9-1");
  CHECK(stories.stories()[2].taken_back_by.empty());
}

TEST_CASE("a rollback in steps takes back each change that nothing is left of", "[tools]") {
  StoryLog log;
  log.decide("1-1", 2, 4, VerdictKind::kAllowed);
  log.apply("1-1", 2, 4);
  log.decide("5-1", 4, 6, VerdictKind::kAllowed);
  log.apply("5-1", 4, 6);
  const auto taken_by = [&log] {
    const DecisionStories read = log.read({"", "", false, 10});
    std::vector<std::string> by;
    for (const auto& story : read.stories()) by.push_back(story.taken_back_by);
    return by;
  };
  using By = std::vector<std::string>;
  SECTION("step by step") {
    log.decide("9-1", 6, 4, VerdictKind::kAllowed, "rollback.regression");
    log.apply("9-1", 6, 4);
    CHECK(taken_by() == By{"", "9-1", ""});
    log.decide("9-2", 4, 3, VerdictKind::kAllowed, "rollback.regression");
    log.apply("9-2", 4, 3);
    CHECK(taken_by() == By{"", "9-1", "", ""});  // a part of the first is left
    log.decide("9-3", 3, 2, VerdictKind::kAllowed, "rollback.regression");
    log.apply("9-3", 3, 2);
    CHECK(taken_by() == By{"9-3", "9-1", "", "", ""});
  }
  SECTION("at once") {
    log.decide("9-1", 6, 2, VerdictKind::kAllowed, "rollback.regression");
    log.apply("9-1", 6, 2);
    CHECK(taken_by() == By{"9-1", "9-1", ""});
  }
  SECTION("by an operator, who named the first") {
    log.lines.push_back(
        trace::event_line(kStoryWall, "orders", "manual", "operator", "rolled it back", "1-1"));
    CHECK(taken_by() == By{"operator", "operator"});
  }
  SECTION("by an operator, with what went the other way since") {
    log.decide("6-1", 6, 5, VerdictKind::kAllowed);
    log.apply("6-1", 6, 5);
    log.lines.push_back(
        trace::event_line(kStoryWall, "orders", "manual", "operator", "rolled it back", "5-1"));
    CHECK(taken_by() == By{"", "operator", "operator"});
  }
  SECTION("but not what somebody else has moved in between") {
    log.decide("7-1", 3, 4, VerdictKind::kAllowed);  // it was at 6
    log.apply("7-1", 3, 4);
    log.decide("9-1", 4, 2, VerdictKind::kAllowed, "rollback.regression");
    log.apply("9-1", 4, 2);
    CHECK(taken_by() == By{"", "", "9-1", ""});
  }
}

TEST_CASE("the last decisions, one line each", "[tools]") {
  StoryLog log;
  for (int i = 1; i <= 5; ++i) {
    const std::string id = std::to_string(i) + "-1";
    log.decide(id, i, i + 1, VerdictKind::kAllowed);
    log.apply(id, i, i + 1);
    log.decide(std::to_string(i) + "-2", i, i + 1, VerdictKind::kHeld);
  }
  log.judge("5-1", "better");
  log.lines.emplace_back("{nonsense");
  const DecisionStories stories = log.read({"", "", false, 2});
  CHECK(stories.malformed() == 1);
  CHECK(stories.refused() == 5);
  const std::vector<std::string> lines = story_table(stories.stories());
  REQUIRE(lines.size() == 2);
  CHECK(contains(lines[1],
                 "2026-01-31 12:00:00Z  orders  5-1  max_background_jobs 5 -> 6  applied, better"));
  CHECK(contains(lines[1], "[jobs.backlog] compaction is behind"));
  const DecisionStories all = log.read({"", "", true, 3});
  CHECK(contains(story_table(all.stories())[2], "max_background_jobs 5 -> 6  held (dwell)"));
}

TEST_CASE("a change that was refused is told as wanted, and as not made", "[tools]") {
  StoryLog log;
  log.decide("5-1", 2, 4, VerdictKind::kAllowed);
  log.apply("5-1", 2, 2, "refused");
  const DecisionStories stories = log.read({"", "", false, 10});
  REQUIRE(stories.stories().size() == 1);
  CHECK(contains(story_table(stories.stories())[0], "max_background_jobs 2 -> 4  refused  "));
  CHECK(contains(story_text(story_lines(stories.stories()[0])),
                 "  done      refused, stays at 2, 2026-01-31 12:00:00.250Z\n"));
}

TEST_CASE("an id of several databases, or after a clock was set back: the newest of each",
          "[tools]") {
  StoryLog log;
  log.decide("1-1", 2, 3, VerdictKind::kAllowed);
  log.apply("1-1", 2, 3);
  log.decide("1-1", 6, 7, VerdictKind::kAllowed, "jobs.backlog", "users");
  log.decide("1-1", 4, 5, VerdictKind::kAllowed);  // after a restart
  const DecisionStories both = log.read({"1-1", "", true, 10});
  CHECK(both.stories().size() == 2);
  const DecisionStories one = log.read({"1-1", "orders", true, 10});
  REQUIRE(one.stories().size() == 1);
  CHECK(one.stories()[0].decision["from"] == 4);
  CHECK(one.stories()[0].actuation.is_null());
  CHECK(contains(story_text(story_lines(one.stories()[0])), "not known: the log says nothing"));
}

TEST_CASE("lines with anything in them do no harm", "[tools]") {
  DecisionStories stories({"", "", true, 10});
  for (const char* line :
       {R"({"kind":"decision"})", R"({"kind":"decision","id":7,"verdict":"x","evidence":5})",
        R"({"kind":"actuation","id":"1"})", R"({"kind":"outcome"})", "", "[]"}) {
    stories.add(line);
  }
  for (const DecisionStory& story : stories.stories()) CHECK(story_lines(story).size() > 4);
  CHECK(story_table(stories.stories()).size() == 2);
  CHECK(stories.malformed() == 1);
}
