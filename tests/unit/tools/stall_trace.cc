#include "stall_trace.h"

#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"
#include "trace/recorder.h"

namespace rocktune::tools::test {
namespace {

using rocktune::test::quiet_sample;

void expect(const Result<void>& done) {
  if (!done) FAIL(done.error().message);
}

}  // namespace

std::string record_stall(const tests::TempDirectory& directory, const std::string& name, int hour,
                         int lead, int targets, int step, const EngineConfig& engine) {
  const std::string path = directory.file(name);
  auto recorder = trace::Recorder::create(path, {"0.1.0", "host", Nanoseconds(1), 1}, {});
  REQUIRE(recorder);
  for (int target = 0; target < targets; ++target) {
    const std::string database = "db" + std::to_string(target);
    trace::TargetInfo info{0, database, "/data/" + database, "advise", engine};
    info.id = *recorder->add_target(info);
    for (int second = 1; second <= 600; second += step) {
      Sample sample = quiet_sample(static_cast<std::uint64_t>(second), second);
      sample.at.wall += std::chrono::hours(hour);
      const bool stalls = second > 500 && second <= 510;
      const bool announced = second > 500 - lead && second <= 510;
      sample.database->column_families[0].levels[0].files = announced ? 15 : 3;
      sample.database->write_stopped = stalls ? 1 : 0;
      expect(recorder->begin_tick());
      expect(recorder->add_sample(info.id, sample));
      expect(recorder->commit());
    }
  }
  return path;
}

}  // namespace rocktune::tools::test
