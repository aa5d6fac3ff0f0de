// What rocktuned has settled on, over openings, and what is said of it.
#include "model/knobs.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/recording.h"

namespace rocktune::advice {
namespace {

KnobReading reading_of(std::string_view name, const std::string& family, std::int64_t found,
                       std::int64_t value, KnobOwner owner) {
  return {std::string(name), family, value, found, owner, true, "", 0, kUnlimitedBytesPerSecond};
}

// Write buffers go from 64 to 256 MiB after 40 s, the cache to 64 MiB after 100 s.
struct Tuned {
  Recording recording;
  KnobOwner owner = KnobOwner::kRocktune;
  int reopened_at = -1;
  std::int64_t limit = kUnlimitedBytesPerSecond;

  Tuned() { recording.seconds = 900; }

  Report report() {
    recording.each = [this](Recording& now, int second) {
      const bool again = reopened_at >= 0 && second >= reopened_at;
      now.sample.incarnation = again ? '2' : '1';
      const int age = again ? second - reopened_at : second;
      now.sample.knobs = {
          knob(knob::kWriteBufferSize, "default", 64 * kMiBytes, age < 40 ? 64 : 256),
          knob(knob::kCacheCapacity, "", 8 * kMiBytes, age < 100 ? 8 : 64),
          knob(knob::kBackgroundJobs, "", 2, 0), limiter(age),
          knob(knob::kDelayedWriteRate, "", 16 * kMiBytes, 4)};
    };
    return recording.report();
  }

  const Advice* of(const Report& report, const std::string& family) const {
    for (const Advice& one : report.advice) {
      if (one.rule == "tuned" && one.column_family == family) return &one;
    }
    return nullptr;
  }

 private:
  KnobReading knob(std::string_view name, const std::string& family, std::int64_t found,
                   std::int64_t mib) const {
    const std::int64_t value = mib == 0 ? found : mib * static_cast<std::int64_t>(kMiBytes);
    return reading_of(name, family, found, value, value == found ? KnobOwner::kFound : owner);
  }
  KnobReading limiter(int age) const {
    const bool stays = age < 10 || limit == kUnlimitedBytesPerSecond;
    return knob(knob::kRateLimit, "", 50 * static_cast<std::int64_t>(kMiBytes),
                stays ? 50 : limit / static_cast<std::int64_t>(kMiBytes));
  }
};

}  // namespace

TEST_CASE("the next opening may begin where rocktuned has settled", "[advice]") {
  Tuned tuned;
  const Report report = tuned.report();
  const Advice* family = tuned.of(report, "default");
  REQUIRE(family != nullptr);
  REQUIRE(family->steps.size() == 1);
  CHECK(family->steps[0].option == "write_buffer_size");
  CHECK(family->steps[0].value == std::to_string(256 * kMiBytes));
  CHECK(family->steps[0].needs_open);
  CHECK(family->evidence.at(0).text ==
        "write_buffer_size was found at 64 MiB and has stood at 256 MiB for 14 min");
  CHECK(*family->effect.now == Approx(40).margin(1));
  CHECK(family->effect.high == 0);
  CHECK(family->confidence == Confidence::kMedium);
  const Advice* database = tuned.of(report, "");
  REQUIRE(database != nullptr);
  REQUIRE(database->steps.size() == 1);  // the jobs stand as they were found
  CHECK(database->steps[0].option == "block_cache (capacity)");
  CHECK(database->steps[0].value == std::to_string(64 * kMiBytes));
  CHECK(*database->effect.now == Approx(100).margin(1));
}

TEST_CASE("a day of it is sure", "[advice]") {
  Tuned tuned;
  tuned.recording.seconds = 24 * 3600 + 200;
  CHECK(tuned.of(tuned.report(), "")->confidence == Confidence::kHigh);
}

TEST_CASE("nothing has settled in less than ten minutes", "[advice]") {
  Tuned tuned;
  SECTION("of the recording") {
    tuned.recording.seconds = 590;
    CHECK(content_of(tuned.report(), "tuned").find("10 min") != std::string::npos);
  }
  SECTION("of the cache") {
    tuned.recording.seconds = 690;
    const Report report = tuned.report();
    CHECK(tuned.of(report, "default") != nullptr);
    CHECK(tuned.of(report, "") == nullptr);
  }
  SECTION("or where somebody else set it") {
    tuned.owner = KnobOwner::kManual;
    CHECK(content_of(tuned.report(), "tuned").find("no knob stands") != std::string::npos);
  }
}

TEST_CASE("an opening that was too short takes the word of the one before", "[advice]") {
  Tuned tuned;
  tuned.reopened_at = 900;
  tuned.recording.seconds = 930;  // nothing is set again yet
  const Report report = tuned.report();
  REQUIRE(tuned.of(report, "default") != nullptr);
  CHECK(*tuned.of(report, "default")->effect.now == Approx(40).margin(1));
  CHECK(tuned.of(report, "") != nullptr);
}

TEST_CASE("a limit is kept where it was raised, and not where it was lowered", "[advice]") {
  Tuned tuned;
  tuned.limit = GENERATE(20, 200) * static_cast<std::int64_t>(kMiBytes);
  const bool raised = tuned.limit > 50 * static_cast<std::int64_t>(kMiBytes);
  const Report report = tuned.report();
  const Advice* database = tuned.of(report, "");
  REQUIRE(database != nullptr);
  REQUIRE(database->steps.size() == (raised ? 3 : 1));
  if (!raised) return;
  CHECK(database->steps[1].option == "rate_limiter (rate_bytes_per_sec)");
  CHECK(database->steps[1].value == std::to_string(tuned.limit));
  // RocksDB would take the limit for it; where it stands now is for the moment.
  CHECK(database->steps[2].option == "delayed_write_rate");
  CHECK(database->steps[2].value == std::to_string(16 * kMiBytes));
}

TEST_CASE("settled knobs are followed over openings", "[advice]") {
  SettledKnobs knobs;
  const auto reading = [](std::int64_t value, std::int64_t found, KnobOwner owner) {
    return KnobReadings{reading_of(knob::kWriteBufferSize, "default", found, value, owner)};
  };
  const auto stay = [&](const KnobReadings& at, double seconds) {
    for (double passed = 0; passed < seconds; passed += 10) knobs.add(at, 10, false);
  };
  const KnobReadings tuned = reading(32, 8, KnobOwner::kRocktune);
  knobs.add(tuned, 0, true);
  stay(tuned, 700);
  REQUIRE(knobs.settled().size() == 1);
  CHECK_FALSE(knobs.settled().begin()->second.reached_seconds);  // by an earlier recording

  SECTION("one that is back where it was found has not settled elsewhere") {
    stay(reading(8, 8, KnobOwner::kFound), 10);
    CHECK(knobs.settled().empty());
  }
  SECTION("nor one that is not seen any more") {
    knobs.add({}, 10, false);
    CHECK(knobs.settled().empty());
  }
  SECTION("an opening of ten minutes without it says that it is not needed") {
    knobs.add(reading(8, 8, KnobOwner::kFound), 0, true);
    stay(reading(8, 8, KnobOwner::kFound), 590);
    CHECK(knobs.settled().size() == 1);
    stay(reading(8, 8, KnobOwner::kFound), 20);
    CHECK(knobs.settled().empty());
    knobs.add(reading(8, 8, KnobOwner::kFound), 0, true);
    CHECK(knobs.settled().empty());
  }
  SECTION("opened with another value, the old one says nothing") {
    knobs.add(reading(16, 16, KnobOwner::kFound), 0, true);
    CHECK(knobs.settled().empty());
  }
  SECTION("nor where somebody has set it by hand") {
    knobs.add(reading(9, 8, KnobOwner::kManual), 0, true);
    CHECK(knobs.settled().empty());
  }
}

// And not by those of smaller ones, from before rocktuned raised it.
TEST_CASE("memtables are judged by what was flushed at the last size", "[advice]") {
  constexpr int kRaisedAt = 150, kSeconds = 300;
  Recording r;
  r.seconds = kSeconds;
  r.stall_us = 100'000;
  const auto at_size = [&](std::int64_t mib, double flushes) {
    const auto size = mib * static_cast<std::int64_t>(kMiBytes);
    const KnobReading knob =
        reading_of(knob::kWriteBufferSize, "default", std::int64_t{kMiBytes}, size,
                   size == kMiBytes ? KnobOwner::kFound : KnobOwner::kRocktune);
    return [=](Recording& now) {
      now.sample.knobs = {knob};
      now.family().write_buffer_bytes = static_cast<std::uint64_t>(size);
      now.flushes = flushes;
      now.bytes_per_write = static_cast<std::uint64_t>(static_cast<double>(size) * flushes /
                                                       static_cast<double>(now.writes));
    };
  };
  const auto found = at_size(1, 4);
  const std::string own =
      "write_buffer_size is 4 MiB, as rocktuned raised it: each opening begins with the program's "
      "own 1 MiB, until it is raised again";
  SECTION("which are still many") {
    const auto raised = at_size(4, 1);
    r.each = [=](Recording& now, int second) { (second < kRaisedAt ? found : raised)(now); };
    const Report report = r.report();
    const Advice& one = only_advice(report, "small_memtables");
    CHECK(*one.effect.now == Approx(1).margin(0.05));  // and not 2.5
    CHECK(one.evidence.back().text == own);
    CHECK(one.confidence == Confidence::kHigh);
  }
  SECTION("which are few by now") {
    const auto raised = at_size(4, 0.1);
    r.each = [=](Recording& now, int second) { (second < kRaisedAt ? found : raised)(now); };
    CHECK(content_of(r.report(), "small_memtables") == "flushes are not frequent; " + own);
  }
  SECTION("where it stood long enough") {
    const auto raised = at_size(4, 1);
    r.each = [=](Recording& now, int second) { (second < kSeconds - 20 ? found : raised)(now); };
    CHECK(not_judged_of(r.report(), "small_memtables") ==
          "write_buffer_size was changed shortly before the end");
  }
}

}  // namespace rocktune::advice
