#include "replay/step_stream.h"

#include <fstream>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"
#include "trace/recorder.h"

using namespace rocktune;
using namespace rocktune::replay;

namespace {

constexpr int kPolls = 2000;  // of each of two targets: many batches

// Target 2 is polled 0.1 s after target 1, and at the same time in every tenth poll.
std::string two_targets(const tests::TempDirectory& directory) {
  const std::string path = directory.file("run.sqlite");
  auto recorder = trace::Recorder::create(path, {"0.1.0", "host", Nanoseconds(1), 0.5}, {});
  REQUIRE(recorder);
  for (const char* name : {"a", "b"}) {
    REQUIRE(recorder->add_target({0, name, name, "advise", {}}));
  }
  for (int i = 1; i <= kPolls; ++i) {
    Sample sample;
    sample.sequence = static_cast<std::uint64_t>(i);
    sample.at.tick = std::chrono::milliseconds(500 * i);
    REQUIRE(recorder->begin_tick());
    REQUIRE(recorder->add_sample(1, sample));
    if (i % 10 != 0) sample.at.tick += std::chrono::milliseconds(100);
    REQUIRE(recorder->add_sample(2, sample));
    REQUIRE(recorder->commit());
  }
  return path;
}

std::vector<trace::Reader::Steps> steps_of_both(trace::Reader& reader) {
  std::vector<trace::Reader::Steps> all;
  for (const std::int64_t target : {1, 2}) {
    auto steps = reader.steps(target);
    REQUIRE(steps);
    all.push_back(*std::move(steps));
  }
  return all;
}

}  // namespace

TEST_CASE("steps of several targets come in the order of time", "[replay]") {
  const tests::TempDirectory directory;
  auto reader = trace::Reader::open(two_targets(directory));
  REQUIRE(reader);
  StepStream stream(steps_of_both(*reader));
  Nanoseconds last{0};
  for (int i = 0; i < 2 * kPolls; ++i) {
    const auto next = stream.next();
    REQUIRE(next);
    REQUIRE(*next != nullptr);
    REQUIRE((*next)->target == static_cast<std::size_t>(i % 2));
    REQUIRE((*next)->step.sample.sequence == static_cast<std::uint64_t>(i / 2 + 1));
    REQUIRE((*next)->step.sample.at.tick >= last);
    last = (*next)->step.sample.at.tick;
  }
  for (int again = 0; again < 2; ++again) {
    const auto end = stream.next();
    REQUIRE(end);
    CHECK(*end == nullptr);
  }
}

TEST_CASE("a stream may be left at any time", "[replay]") {
  const tests::TempDirectory directory;
  const std::string path = two_targets(directory);
  for (const int taken : {0, 1, 100, 2 * kPolls - 1}) {
    auto reader = trace::Reader::open(path);
    REQUIRE(reader);
    StepStream stream(steps_of_both(*reader));
    for (int i = 0; i < taken; ++i) REQUIRE(stream.next());
  }
}

TEST_CASE("an error comes behind the good part", "[replay]") {
  const tests::TempDirectory directory;
  const std::string path = two_targets(directory);
  {
    std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
    file.seekp(static_cast<long>(std::filesystem::file_size(path) * 3 / 4));
    file.write("damage", 6);
  }
  auto reader = trace::Reader::open(path);
  REQUIRE(reader);
  StepStream stream(steps_of_both(*reader));
  int good = 0;
  while (true) {
    const auto next = stream.next();
    if (!next) {
      CHECK(next.error().message.find("damaged") != std::string::npos);
      break;
    }
    REQUIRE(*next != nullptr);
    CHECK((*next)->step.sample.sequence == static_cast<std::uint64_t>(good / 2 + 1));
    ++good;
  }
  CHECK(good > 100);
  CHECK(good < 2 * kPolls);
}
