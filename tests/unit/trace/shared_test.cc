// Slices of shared budgets in a trace.
#include "support.h"
#include "trace/reader.h"

using namespace rocktune;
using namespace rocktune::trace;
using namespace rocktune::trace::test;

namespace {

Sample with_slices(std::uint64_t sequence) {
  Sample sample;
  sample.sequence = sequence;
  sample.at.tick = Nanoseconds(static_cast<std::int64_t>(sequence) * 500'000'000);
  if (sequence == 2) return sample;
  sample.shared.emplace();
  sample.shared->host_members = 3;
  sample.shared->jobs_max = 6;
  if (sequence == 3) sample.shared->background_max_bytes_per_second = 40'000'000;
  return sample;
}

void record_slices(const std::string& path) {
  auto recorder = checked(Recorder::create(path, run_info(), {}));
  const auto target = checked(recorder.add_target(target_info("a")));
  for (std::uint64_t i = 1; i <= 3; ++i) {
    checked(recorder.begin_tick());
    checked(recorder.add_sample(target, with_slices(i)));
    checked(recorder.commit());
  }
}

std::vector<Sample> samples_of(const std::string& path) {
  auto reader = checked(Reader::open(path));
  auto steps = checked(reader.steps(1));
  std::vector<Sample> samples;
  while (auto step = checked(steps.next())) samples.push_back(std::move(step->sample));
  return samples;
}

}  // namespace

TEST_CASE("slices come back, absent ones absent", "[trace]") {
  const TempDirectory directory;
  record_slices(directory.file("run"));
  const std::vector<Sample> samples = samples_of(directory.file("run"));
  REQUIRE(samples.size() == 3);
  for (std::uint64_t i = 1; i <= 3; ++i) CHECK(samples[i - 1].shared == with_slices(i).shared);
}
