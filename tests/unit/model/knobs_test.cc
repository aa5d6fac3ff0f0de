#include "model/knobs.h"

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/catch.h"

using namespace rocktune;

TEST_CASE("every knob of the catalogue can be found and moved", "[knobs]") {
  for (const KnobSpec& spec : knob_catalogue()) {
    CHECK(find_knob(spec.name) == &spec);
    CHECK(spec.min < spec.max);
    CHECK(spec.max_step_ratio > 1);
    CHECK(spec.min_step > 0);
    CHECK(spec.dwell > Nanoseconds(0));
    CHECK(spec.evaluation >= spec.dwell);
  }
  CHECK(find_knob("compaction_style") == nullptr);
  CHECK(find_knob(knob::kRateLimit)->max == kUnlimitedBytesPerSecond);
}

TEST_CASE("a knob's value in its unit", "[knobs]") {
  CHECK(shown(knob::kRateLimit, 4 << 20) == "4 MiB/s");
  CHECK(shown(knob::kRateLimit, kUnlimitedBytesPerSecond) == "unlimited");
  CHECK(shown(knob::kLimitFlushes, 0) == "off");
  CHECK(shown("rate_limiter_limit_reads", 1) == "on");
  CHECK(shown("block_size", 4096) == "4 KiB");
  CHECK(shown(knob::kL0Trigger, 4) == "4");
  CHECK(shown("some_other", 4096) == "4096");
}

TEST_CASE("knobs have the units that agents tell", "[knobs]") {
  std::ifstream document(ROCKTUNE_SOURCE_DIR "/docs/wire.md");  // which has the agent's catalogue
  REQUIRE(document);
  std::vector<std::string> units;
  for (std::string line; std::getline(document, line);) {
    std::istringstream row(line);
    std::string mark, name, scope, unit;
    std::getline(row, mark, '|');
    std::getline(row, name, '`');
    std::getline(row, name, '`');
    std::getline(row, mark, '|');
    std::getline(row, scope, '|');
    std::getline(row, unit, '|');
    const auto trimmed = [](std::string text) {
      std::erase(text, ' ');
      return text;
    };
    const std::string whose = trimmed(scope);
    const std::vector<std::string> scopes{"database", "column_family", "cache", "limiter"};
    if (std::find(scopes.begin(), scopes.end(), whose) == scopes.end()) continue;
    INFO(name);
    std::string told = trimmed(unit);
    if (told == "boolean") told = "switch";
    if (name == "rate_limiter_l0_weight") continue;  // a bare number on the wire
    CHECK(knob_unit(name) == told);
    units.push_back(told);
  }
  CHECK(units.size() == 30);
}
