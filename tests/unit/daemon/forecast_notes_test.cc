// A forecast that is not known any more, and one that is again.
#include "daemon/forecast_notes.h"

#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

struct Forecast {
  explicit Forecast(IndicatorKind kind) { indicator.kind = kind; }
  // What is said within so many seconds of samples, two a second.
  std::vector<std::string> run(double seconds, bool valid) {
    std::vector<std::string> said;
    indicator.valid = valid;
    indicator.why_invalid = valid ? "" : "nothing was read";
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      features.at.tick += 500ms;
      if (const auto message = notes.note(indicator, features)) said.push_back(*message);
    }
    return said;
  }
  Indicator indicator;
  Features features = [] {
    Features f;
    f.fresh = true;
    f.at.tick = 1000s;
    f.reads_per_second = 1000;
    f.writes_per_second = 1000;
    return f;
  }();
  ForecastNotes notes;
};

}  // namespace

TEST_CASE("a forecast that is lost for long is said once, and so is that it is back", "[daemon]") {
  Forecast forecast(IndicatorKind::kCompactionBacklog);
  CHECK(forecast.run(60, true).empty());
  CHECK(forecast.run(30, false).empty());
  const auto lost = forecast.run(600, false);
  REQUIRE(lost.size() == 1);
  CHECK(lost[0] == "compaction_backlog: not known for 30 s: nothing was read");
  CHECK(forecast.run(5, true).empty());
  CHECK(forecast.run(20, false).empty());  // of that it was said
  CHECK(forecast.run(10, true).empty());
  CHECK(forecast.run(10, true) == std::vector<std::string>{"compaction_backlog: known again"});
  CHECK(forecast.run(600, true).empty());
}

TEST_CASE("nothing is said of a forecast that comes and goes, or was never known", "[daemon]") {
  Forecast forecast(IndicatorKind::kDeviceSaturation);
  CHECK(forecast.run(600, false).empty());
  for (int i = 0; i < 20; ++i) {
    CHECK(forecast.run(1, true).empty());
    CHECK(forecast.run(29, false).empty());
  }
}

TEST_CASE("samples that were not read tell nothing of a forecast", "[daemon]") {
  Forecast forecast(IndicatorKind::kCompactionBacklog);
  forecast.run(60, true);
  forecast.features.fresh = false;  // which is told of the agent
  CHECK(forecast.run(600, false).empty());
  forecast.features.fresh = true;
  CHECK(forecast.run(20, false).empty());
}

TEST_CASE("a database that rests has no P99, which is no news", "[daemon]") {
  Forecast forecast(IndicatorKind::kP99);
  forecast.run(60, true);
  SECTION("it rests") {
    forecast.features.reads_per_second = 3;
    forecast.features.writes_per_second = 0;
    CHECK(forecast.run(600, false).empty());
    forecast.features.reads_per_second = 1000;
    CHECK(forecast.run(20, false).empty());
  }
  SECTION("it does not") {
    CHECK(forecast.run(60, false).size() == 1);
  }
  SECTION("nobody counts") {
    forecast.features.reads_per_second.reset();
    forecast.features.writes_per_second.reset();
    CHECK(forecast.run(60, false).size() == 1);
  }
}

TEST_CASE("a lost forecast is a line of kind source", "[daemon][target]") {
  daemon::test::TargetWorld world;
  const auto target = world.target(Mode::kAdvise);
  target->opened(world.opening());
  std::uint64_t n = 0;
  const auto lines = [&world] {
    std::size_t count = 0;
    for (const std::string& line : world.alert_lines("source")) {
      count += line.find("\"id\":\"compaction_backlog\"") != std::string::npos ? 1 : 0;
    }
    return count;
  };
  const auto run = [&](int polls, bool families) {
    for (int i = 0; i < polls; ++i) {
      world.now.tick += 500ms;
      world.now.wall += 500ms;
      wire::Sample sample = world.squeezed(++n);
      sample.tickers.erase("stall.micros");  // a stall is known without them
      if (!families) sample.column_families.clear();
      target->poll(world.now, sample);
    }
  };
  run(20, true);
  run(50, false);
  CHECK(lines() == 0);
  run(50, false);
  CHECK(lines() == 1);
  run(40, true);
  CHECK(lines() == 2);
  target->opened(world.opening("2"));
  run(100, false);  // of another opening nothing was known
  CHECK(lines() == 2);
}
