#include "policy/policy_choice.h"

#include "tests/support/catch.h"

using namespace rocktune;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a policy is chosen by name, with parameters, under a label", "[policy_choice]") {
  const auto plain = parse_policy_choice("static");
  REQUIRE(plain);
  CHECK(plain->label == "static");
  CHECK(plain->name == "static");
  CHECK(plain->params.empty());

  const std::string text = "headroom:limiter_raise_factor=1.5:jobs_return_seconds=60";
  const auto tuned = parse_policy_choice(text);
  REQUIRE(tuned);
  CHECK(tuned->label == text);
  CHECK(tuned->name == "headroom");
  CHECK(tuned->params == PolicyParams{{"limiter_raise_factor", 1.5}, {"jobs_return_seconds", 60}});

  const auto named = parse_policy_choice("bold=" + text);
  REQUIRE(named);
  CHECK(named->label == "bold");
  CHECK(named->name == "headroom");
  CHECK(named->params == tuned->params);
  CHECK(choice_text(named->name, named->params) ==
        "headroom:jobs_return_seconds=60:limiter_raise_factor=1.5");
}

TEST_CASE("what is no policy is said in one sentence", "[policy_choice]") {
  for (const auto& [text, said] : std::vector<std::pair<std::string, std::string>>{
           {"", "unknown policy"},
           {"hedroom", "known ones: headroom"},
           {"x=hedroom", "known ones: headroom"},
           {"=headroom", "label is empty"},
           {"headroom:", "nothing stands after"},
           {"headroom:jobs_return_seconds=60:", "nothing stands after"},
           {"headroom:jobs_return_seconds", "is no param=value"},
           {"headroom:=60", "is no param=value"},
           {"headroom:jobs_return_seconds=", "is no number"},
           {"headroom:jobs_return_seconds=60s", "is no number"},
           {"headroom:jobs_return_seconds=inf", "is no number"},
           {"headroom:jobs_return_seconds=60:jobs_return_seconds=61", "given twice"},
           {"headroom:no_such=1", "unknown parameter \"no_such\""},
           {"headroom:jobs_return_seconds=1", "has to be from"},
           {"static:x=1", "it takes none"}}) {
    INFO(text);
    const auto choice = parse_policy_choice(text);
    REQUIRE_FALSE(choice);
    CHECK(choice.error().code == ErrorCode::kInvalidArgument);
    CHECK(contains(choice.error().message, said));
  }
}

TEST_CASE("labels are told apart", "[policy_choice]") {
  CHECK(parse_policy_choices({"static", "headroom", "h=headroom"}));
  const auto twice = parse_policy_choices({"static", "x=headroom", "x=silk"});
  REQUIRE_FALSE(twice);
  CHECK(contains(twice.error().message, "\"x\" is given twice"));
}

TEST_CASE("parameters that are not given are as recorded where that policy ran",
          "[policy_choice]") {
  EngineConfig recorded;
  recorded.policy = "headroom";
  recorded.policy_params = {{"jobs_return_seconds", 60}, {"limiter_raise_factor", 1.5}};
  CHECK(engine_of(recorded, *parse_policy_choice("headroom")) == recorded);
  const EngineConfig changed =
      engine_of(recorded, *parse_policy_choice("headroom:jobs_return_seconds=90"));
  CHECK(changed.policy_params ==
        PolicyParams{{"jobs_return_seconds", 90}, {"limiter_raise_factor", 1.5}});
  const EngineConfig other = engine_of(recorded, *parse_policy_choice("static"));
  CHECK(other.policy == "static");
  CHECK(other.policy_params.empty());
  CHECK(other.objective == recorded.objective);
}
