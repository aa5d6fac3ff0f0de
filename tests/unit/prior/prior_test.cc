#include "prior/prior.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <limits>
#include <random>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using namespace rocktune;

namespace {

// Every number another one, of every size that there is.
Prior random_prior(std::uint32_t seed) {
  std::mt19937 random(seed);
  const auto any = [&random] {
    const double mantissa = static_cast<double>(random()) / 4294967296.0 - 0.5;
    return std::ldexp(mantissa, static_cast<int>(random() % 60) - 30);
  };
  const auto fill = [&](HeadWeights& head) {
    // Within what learning bounds them to.
    for (float& weight : head.weights) weight = static_cast<float>(std::remainder(any(), 16));
    for (float& square : head.squares) square = static_cast<float>(std::abs(any()));
    head.bias = static_cast<float>(std::remainder(any(), 16));
    head.bias_squares = static_cast<float>(std::abs(any()));
  };
  Prior prior;
  for (LearntIndicator& one : prior.learnt.indicators) {
    for (Moments& moment : one.moments) {
      moment = {std::floor(std::abs(any())), std::remainder(any(), 2e6), std::abs(any())};
    }
    for (HeadWeights& head : one.events) fill(head);
    for (auto& of_value : one.values) {
      for (auto& of_horizon : of_value) {
        for (HeadWeights& head : of_horizon) fill(head);
      }
    }
    one.threshold_log_odds = any();
    one.seconds = (std::uint64_t{random()} << 32) + random();
    one.onsets = random();
  }
  prior.notes.made_by = "rocktune train \"a b\" -o x";
  prior.notes.database = "/data/\xff\xfe 100%\n\\x";
  prior.notes.trained_on = {{"one.trace/db 1", 300, {1, 2, 3}}, {"zwei", 0, {}}};
  prior.notes.scored = {{IndicatorKind::kP99, 60, "rocktune", 12, 0.1, 1.0 / 3, std::nullopt, -2.5},
                        {IndicatorKind::kDeviceSaturation, 10, "static=0.7", 0, {}, {}, {}, {}}};
  return prior;
}

std::string error_of(const std::string& text) {
  const auto parsed = parse_prior(text, "m.yaml");
  return parsed ? "" : parsed.error().message;
}

// The text with the first `from` replaced.
std::string changed(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

std::string place_of(const std::string& text, const std::string& word) {
  const auto at = text.find(word);
  const auto line = std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
  return "m.yaml:" + std::to_string(line + 1) + ":";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a prior that is written is read back exactly", "[prior]") {
  for (std::uint32_t seed = 0; seed < 20; ++seed) {
    const Prior prior = random_prior(seed);
    const auto read = parse_prior(prior_text(prior), "m.yaml");
    REQUIRE(read.has_value());
    CHECK(*read == prior);
  }
  const auto nothing = parse_prior(prior_text({}), "m.yaml");
  REQUIRE(nothing.has_value());
  CHECK(*nothing == Prior{});
  CHECK(is_prior_text(prior_text({})));
  CHECK_FALSE(is_prior_text("version: 1\n"));
}

TEST_CASE("the largest and smallest numbers survive", "[prior]") {
  Prior prior;
  LearntIndicator& one = prior.learnt.indicators[0];
  one.events[0].bias = 8;
  one.events[1].bias = std::numeric_limits<float>::denorm_min();
  one.events[2].bias = -8;
  one.threshold_log_odds = std::numeric_limits<double>::denorm_min();
  one.seconds = std::numeric_limits<std::uint64_t>::max();
  const auto read = parse_prior(prior_text(prior), "m.yaml");
  REQUIRE(read.has_value());
  CHECK(*read == prior);
}

TEST_CASE("a person can read which input weighs what", "[prior]") {
  Prior prior;
  LearntIndicator& backlog = prior.learnt.indicators[1];
  const auto l0 = static_cast<std::size_t>(HeadInput::kL0Use);
  for (std::size_t i = 0; i < 3; ++i) {
    backlog.events.at(i).weights.at(l0) = static_cast<float>(i) + 0.5F;
  }
  const std::string text = prior_text(prior);
  const auto place = text.find("compaction_backlog:\n    seconds");
  REQUIRE(place != std::string::npos);
  const auto event = text.find("event:", place);
  CHECK(text.find("l0_use:               [0.5, 1.5, 2.5]", event) < text.find("squares:", event));
}

TEST_CASE("what is wrong with a prior is named with its place and the way out", "[prior]") {
  const std::string good = prior_text(random_prior(1));
  struct Case {
    std::string from, to, place, says;
  };
  const std::vector<Case> cases = {
      {"version: 1", "version: 2", "version:", "version '2' is of other inputs"},
      {"version: 1\n", "", "version: 1", "has no version"},
      {"l0_use:  ", "l0_used: ", "l0_use:  ", "there is no input 'l0_used'"},
      {"onsets: {p99: 1", "onsets: {p98: 1", "onsets: {p99: 1", "'p98' is not known here"},
      {"    seconds: ", "    seconds: -", "    seconds: ", "is no finite number from 0 on"},
      {"    threshold_log_odds: ", "    threshold_log_odds: nan #", "    threshold", "'nan'"},
      {"    threshold_log_odds: ", "    threshold_log_odds: inf #", "    threshold", "'inf'"},
      {"    threshold_log_odds: ", "    threshold_log_odds: 1e999 #", "    threshold", "1e999"},
      {"    threshold_log_odds: ", "    threshold_log_odds: 1x #", "    threshold", "'1x'"},
      {"detector: \"static=0.7\"", "detector: \"%4\"", "detector: \"static", "%XX"},
      {"indicator: p99", "indicator: p98", "indicator: p99", "no such indicator"},
      {"made_by: ", "made: ", "made_by: ", "'made' is not known here"},
  };
  for (const Case& one : cases) {
    INFO(one.to);
    const std::string said = error_of(changed(good, one.from, one.to));
    CHECK(contains(said, one.says));
    CHECK(contains(said, place_of(good, one.place)));
    CHECK(contains(said, "`rocktune train`"));
    CHECK(std::count(said.begin(), said.end(), '\n') == 0);
  }
}

TEST_CASE("inputs that are missing, doubled or of another size are refused", "[prior]") {
  const std::string good = prior_text({});
  const std::string row = "      l0_use:               [0, 0, 0]\n";
  CHECK(contains(error_of(changed(good, row, "")), "input 'l0_use' is missing"));
  CHECK(contains(error_of(changed(good, row, row + row)), "'l0_use' is given twice"));
  CHECK(contains(error_of(changed(good, row, "      l0_use: [0, 0]\n")), "of 3 was expected"));
  CHECK(contains(error_of(changed(good, row, "      l0_use: 0\n")), "a list was expected"));
  const std::string bias = "        bias:                 [0, 0, 0]\n";
  CHECK(contains(error_of(changed(good, bias, "")), "'bias' is missing"));
  CHECK(contains(error_of(changed(good, "  p99:\n", "  p9:\n")), "'p9' is not known here"));
}

TEST_CASE("counts and squares below zero are refused", "[prior]") {
  const std::string good = prior_text({});
  CHECK(contains(error_of(changed(good, "quiet:                [0, 0, 0]", "quiet: [-1, 0, 0]")),
                 "is less than 0"));
  const auto squares = good.find("squares:");
  std::string bad = good;
  bad.replace(good.find('[', squares), 2, "[-0.5");
  CHECK(contains(error_of(bad), "is less than 0"));
}

TEST_CASE("what is no YAML, or no map, is refused with its place", "[prior]") {
  for (const char* text : {"", "[]", "- 1", "x", "{", "version", "\xff", "a: &a [*a]"}) {
    INFO(text);
    const std::string said = error_of(text);
    CHECK(said.rfind("m.yaml:", 0) == 0);
  }
}

TEST_CASE("a prior in a file", "[prior]") {
  const tests::TempDirectory directory;
  const std::string path = directory.file("model.yaml");
  CHECK(read_prior(path).error().code == ErrorCode::kNotFound);
  const Prior prior = random_prior(3);
  REQUIRE(write_prior(path, prior).has_value());
  REQUIRE(write_prior(path, prior).has_value());
  CHECK(*read_prior(path) == prior);
  CHECK(std::filesystem::file_size(path) < 150'000);
}

TEST_CASE("the built-in prior fits this program", "[prior]") {
  const auto& prior = builtin_prior();
  if (!prior) FAIL(prior.error().message);
  CHECK(is_sound(prior->learnt));
  CHECK(prior->notes.database.empty());
  CHECK_FALSE(prior->notes.trained_on.empty());
  const auto chosen = choose_prior("builtin");
  REQUIRE(chosen);
  CHECK(**chosen == prior->learnt);
  const auto none = choose_prior("none");
  REQUIRE(none);
  CHECK_FALSE(*none);
  CHECK_FALSE(choose_prior("/nowhere/model.yaml"));
}
