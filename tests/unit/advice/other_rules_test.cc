// The rules on memory, background work and direct I/O: each fires, and only on its trouble.
#include "model/knobs.h"
#include "tests/support/catch.h"
#include "tests/unit/advice/recording.h"

namespace rocktune::advice {
namespace {

// Read P99 of 4 ms while compactions run, of 0.1 ms while none does: a minute each in turn.
void slow_reads_beside_compactions(Recording& now, int second) {
  const bool compacting = second / 60 % 2 == 1;
  now.sample.database->running_compactions = compacting ? 1 : 0;
  now.read_us = compacting ? 4000 : 100;
}

}  // namespace

TEST_CASE("more memtables for bursts", "[advice]") {
  Recording r;
  r.each = [](Recording& now, int second) {
    now.family().immutable_memtables = second % 20 == 0 ? 2 : 0;
  };
  const Report report = r.report();
  const Advice& one = only_advice(report, "memtables");
  // RocksDB stops at as many immutable memtables as there may be memtables.
  CHECK(*one.effect.now == 2 * 64.0 * kMiBytes);
  CHECK(one.effect.low == 4 * 64.0 * kMiBytes);
  CHECK(one.effect.reason.find("a delay then begins at 192 MiB") != std::string::npos);
  CHECK(one.steps.front().value == "4");
  SECTION("not beyond the memory") {
    r.sample.host->memory_available_bytes = 300 * kMiBytes;
    CHECK_FALSE(advises(r.report(), "memtables"));
  }
  SECTION("not where flushes cannot keep up") {
    r.each = [](Recording& now, int) { now.family().immutable_memtables = 2; };
    CHECK(content_of(r.report(), "memtables").find("cannot keep up") != std::string::npos);
  }
  SECTION("not where level 0 is the cause") {
    r.each = [](Recording& now, int second) {
      now.family().immutable_memtables = second % 20 == 0 ? 2 : 0;
      now.family().levels[0].files = second % 20 == 0 ? 20 : 4;
    };
    CHECK_FALSE(advises(r.report(), "memtables"));
  }
}

TEST_CASE("larger memtables", "[advice]") {
  Recording r;
  r.family().write_buffer_bytes = kMiBytes / 4;
  r.flushes = 1;
  r.stall_us = 100'000;
  const Report report = r.report();
  const Advice& one = only_advice(report, "small_memtables");
  CHECK(*one.effect.now == Approx(1));
  CHECK(one.effect.high == Approx(1.0 / 8));
  CHECK(one.steps.front().value == std::to_string(2 * kMiBytes));
  CHECK(one.steps.size() == 1);
  r.family().max_bytes_for_level_base_bytes = 1 * kMiBytes;
  CHECK(one.confidence == Confidence::kHigh);
  // Four files of 8 times what a flush brings now.
  CHECK(only_advice(r.report(), "small_memtables").steps.back().value == "8000000");
  r.family().write_buffer_bytes = 64 * kMiBytes;
  CHECK(content_of(r.report(), "small_memtables").find("long before they are full") !=
        std::string::npos);
  r.flushes = 0.1;
  CHECK(content_of(r.report(), "small_memtables") == "flushes are not frequent");
}

TEST_CASE("memtables that are flushed before they are full", "[advice]") {
  Recording r;
  r.family().write_buffer_bytes = kMiBytes / 4;
  r.flushes = 1;
  r.stall_us = 100'000;
  auto& options = r.opening.options;
  SECTION("for db_write_buffer_size") {
    options.database["db_write_buffer_size"] = std::to_string(kMiBytes / 2);
    CHECK(content_of(r.report(), "small_memtables").find("db_write_buffer_size has no room") == 0);
    options.database["db_write_buffer_size"] = std::to_string(kMiBytes);  // twice all memtables
    CHECK(only_advice(r.report(), "small_memtables").steps.front().value ==
          std::to_string(kMiBytes / 2));
    options.database["db_write_buffer_size"] = "0";
    CHECK(advises(r.report(), "small_memtables"));
  }
  SECTION("by what users wrote, or by files that are not compressed") {
    r.family().write_buffer_bytes = kMiBytes * 3 / 4;
    const char* early = "long before they are full";
    CHECK(content_of(r.report(), "small_memtables").find(early) != std::string::npos);
    r.sample.database->user_bytes_written.reset();
    const Report unknown = r.report();
    CHECK(only_advice(unknown, "small_memtables").confidence == Confidence::kLow);
    options.column_families["default"]["compression"] = "kLZ4Compression";
    CHECK(only_advice(r.report(), "small_memtables").confidence == Confidence::kHigh);
    options.column_families["default"]["compression"] = "kNoCompression";
    CHECK(content_of(r.report(), "small_memtables").find(early) != std::string::npos);
  }
  SECTION("files that compression makes small are none of them") {
    r.flushed_per_written = 0.2;
    r.family().max_bytes_for_level_base_bytes = kMiBytes;
    const Report report = r.report();
    CHECK(only_advice(report, "small_memtables").confidence == Confidence::kHigh);
    CHECK(only_advice(report, "small_memtables").steps.back().value == "1600000");
  }
}

TEST_CASE("background jobs", "[advice]") {
  Recording r;
  r.stall_us = 100'000;
  r.sample.database->running_compactions = 3;
  const Report report = r.report();
  const Advice& one = only_advice(report, "background_jobs");
  CHECK(one.steps.front().value == "8");
  CHECK(one.effect.high == Approx(2 * *one.effect.now));  // 3 slots, then 6
  SECTION("not while slots are free") {
    r.sample.database->running_compactions = 1;
    CHECK_FALSE(advises(r.report(), "background_jobs"));
  }
  SECTION("not while the limiter is what they wait for") {
    r.sample.knobs.edit()[0].value = 1'000'000;
    CHECK(content_of(r.report(), "background_jobs").find("limiter") != std::string::npos);
  }
  SECTION("not while the CPUs are busy") {
    r.cpu_busy_us = 6'000'000;
    CHECK_FALSE(advises(r.report(), "background_jobs"));
  }
  SECTION("fewer where they press on the CPUs") {
    r.sample.knobs.edit()[1].value = 32;
    r.cpu_busy_us = 7'900'000;
    r.each = [](Recording& now, int) { *now.sample.host->cpu_pressure_some_us += 400'000; };
    CHECK(only_advice(r.report(), "background_jobs").title == "no more background jobs than CPUs");
  }
  SECTION("CPUs unknown") {
    r.sample.host.reset();
    CHECK(not_judged_of(r.report(), "background_jobs") == "CPUs are not in the trace");
  }
  SECTION("where max_background_compactions overrides them") {
    KnobReading& knob = r.sample.knobs.edit()[1];
    knob.changeable = false;
    knob.reason = "the host sets max_background_compactions, which overrides it";
    CHECK(not_judged_of(r.report(), "background_jobs")
              .find("--options with the OPTIONS file brings them") != std::string::npos);
    auto& options = r.opening.options.database;
    options = {{"max_background_compactions", "-1"}, {"max_background_flushes", "-1"}};
    CHECK_FALSE(not_judged_of(r.report(), "background_jobs").empty());  // it is of another time
    options["max_background_compactions"] = "3";
    const Advice slots = only_advice(r.report(), "background_jobs");
    CHECK(slots.steps.front().option == "max_background_compactions");
    CHECK(slots.steps.front().value == "6");
    CHECK(slots.effect.high == Approx(2 * *slots.effect.now));
    options["max_background_compactions"] = "5";
    CHECK(content_of(r.report(), "background_jobs") == "there are free slots for compactions");
    options = {{"max_background_compactions", "-1"}, {"max_background_flushes", "2"}};
    CHECK(only_advice(r.report(), "background_jobs").steps.front().value == "2");  // of one
  }
  SECTION("of one, as many as bring a slot") {
    r.sample.knobs.edit()[1].value = 1;
    const Report report_of_one = r.report();
    CHECK(only_advice(report_of_one, "background_jobs").steps.front().value == "3");
    r.sample.host->cpus = 2;
    CHECK(content_of(r.report(), "background_jobs") == "no CPU is free for more");
  }
}

TEST_CASE("the cliff of a write delay", "[advice]") {
  Recording r;
  r.writes = 200'000;
  r.each = [](Recording& now, int second) {
    now.sample.database->delayed_write_rate = second % 10 == 0 ? 8 << 20 : 0;
  };
  const Report report = r.report();
  const Advice& one = only_advice(report, "delayed_write_rate");
  CHECK(*one.effect.now == 16.0 * kMiBytes);
  CHECK(one.effect.low == Approx(80'000'000));  // 0.8 times 100 MB/s, in KiB
  r.writes = 20'000;
  CHECK(content_of(r.report(), "delayed_write_rate") ==
        "a delay begins near the usual rate of writes");
  SECTION("of a small rate") {
    r.sample.knobs.edit()[3].value = 128 << 10;
    r.writes = 1500;
    const Report small = r.report();
    CHECK(only_advice(small, "delayed_write_rate").effect.low == 585 << 10);
    CHECK(only_advice(small, "delayed_write_rate").steps.front().value == "599040");
    r.sample.knobs.edit()[3].value = 100;
    r.writes = 2;
    CHECK_FALSE(advises(r.report(), "delayed_write_rate"));
  }
  r.each = [](Recording&, int) {};
  CHECK(content_of(r.report(), "delayed_write_rate") == "writes are hardly ever delayed");
}

TEST_CASE("a database without a limiter", "[advice]") {
  Recording r;
  r.opening.limiter = "none";
  r.each = slow_reads_beside_compactions;
  const Report report = r.report();
  const Advice& one = only_advice(report, "rate_limiter");
  CHECK(*one.effect.now > 3900);
  CHECK(one.effect.low < 110);
  CHECK(one.steps.front().needs_open);
  // Else a delay begins at the limiter's rate.
  CHECK(one.steps.back().option == "delayed_write_rate");
  CHECK(one.steps.back().value == "16777216");
  r.sample.knobs.edit()[3].value = 32 << 20;
  CHECK(only_advice(r.report(), "rate_limiter").steps.back().value == "33554432");
  r.each = [](Recording& now, int second) {
    slow_reads_beside_compactions(now, second);
    now.read_us = 100;
  };
  CHECK(content_of(r.report(), "rate_limiter").find("about as fast") != std::string::npos);
  r.sample.database->read_latency.reset();
  CHECK_FALSE(not_judged_of(r.report(), "rate_limiter").empty());
  r.opening.limiter = "";
  CHECK(not_judged_of(r.report(), "rate_limiter") ==
        "the trace does not tell whether there is one");
}

TEST_CASE("write delays that nobody read are not judged", "[advice]") {
  Recording r;
  r.sample.database->delayed_write_rate.reset();
  CHECK_FALSE(not_judged_of(r.report(), "delayed_write_rate").empty());
  r.sample.database->delayed_write_rate = 0;
  CHECK(content_of(r.report(), "delayed_write_rate") == "writes are hardly ever delayed");
}

TEST_CASE("a limiter that is too tight", "[advice]") {
  Recording r;
  r.stall_us = 500'000;
  r.sample.knobs.edit()[0].value = 1'000'000;
  const Report report = r.report();
  const Advice& one = only_advice(report, "rate_limiter");
  CHECK(*one.effect.now == Approx(0.5));
  CHECK_FALSE(one.steps.front().needs_open);
  r.sample.knobs.edit()[0].value = 100'000'000;
  CHECK_FALSE(advises(r.report(), "rate_limiter"));
  SECTION("not for a few seconds under a limit") {
    r.each = [](Recording& now, int second) {
      now.sample.knobs.edit()[0].value = second <= 25 ? 1'000'000 : kUnlimitedBytesPerSecond;
    };
    CHECK(r.evidence().limiter_full.share() == Approx(24.0 / 300).epsilon(0.01));
    CHECK(*r.evidence().limiter_rate.mean() == Approx(1'000'000));
    CHECK(content_of(r.report(), "rate_limiter") == "there is one, and no limit is in force");
  }
  SECTION("not where it limits nothing any more") {
    r.each = [](Recording& now, int second) {
      now.sample.knobs.edit()[0].value = second <= 250 ? 1'000'000 : kUnlimitedBytesPerSecond;
    };
    CHECK(content_of(r.report(), "rate_limiter") == "there is one, and no limit is in force");
  }
  SECTION("not where it was raised since") {
    r.each = [](Recording& now, int second) {
      now.sample.knobs.edit()[0].value = second <= 180 ? 1'000'000 : 10'000'000;
    };
    CHECK(content_of(r.report(), "rate_limiter").find("suffices now") != std::string::npos);
  }
  SECTION("and what rocktuned raised is said") {
    r.stall_us = 0;
    r.each = [](Recording& now, int second) {
      KnobReading& limiter = now.sample.knobs.edit()[0];
      limiter.found = 4 << 20;
      limiter.value = second <= 20 ? 4 << 20 : 256 << 20;
      limiter.owner = second <= 20 ? KnobOwner::kFound : KnobOwner::kRocktune;
    };
    CHECK(content_of(r.report(), "rate_limiter") ==
          "its rate is not what writers wait for, as rocktuned raised it: each opening begins with "
          "the program's own 4 MiB/s, until it is raised again");
  }
  SECTION("and not what it raised for some seconds") {
    r.stall_us = 0;
    r.each = [](Recording& now, int second) {
      KnobReading& limiter = now.sample.knobs.edit()[0];
      limiter.found = 4 << 20;
      limiter.value = second <= 20 ? 256 << 20 : 4 << 20;
      limiter.owner = second <= 20 ? KnobOwner::kRocktune : KnobOwner::kFound;
    };
    CHECK(content_of(r.report(), "rate_limiter") == "its rate is not what writers wait for");
  }
  SECTION("above the limit of now, where it was lowered") {
    r.each = [](Recording& now, int second) {
      now.sample.knobs.edit()[0].value = second <= 100 ? 10'000'000 : 1'000'000;
    };
    const Report lowered = r.report();
    CHECK(std::stod(only_advice(lowered, "rate_limiter").steps.front().value) > 4'000'000);
    CHECK(only_advice(lowered, "rate_limiter").evidence.back().value == 1'000'000);
  }
}

TEST_CASE("a limiter that nobody read", "[advice]") {
  Recording r;
  r.stall_us = 500'000;
  r.sample.database->running_compactions = 3;
  CHECK(only_advice(r.report(), "background_jobs").confidence == Confidence::kMedium);
  r.sample.knobs.edit().erase(r.sample.knobs.edit().begin());
  const Report report = r.report();
  CHECK(not_judged_of(report, "rate_limiter").find("is not in the trace") != std::string::npos);
  CHECK(only_advice(report, "background_jobs").confidence == Confidence::kLow);
  r.opening.limiter = "none";
  CHECK(only_advice(r.report(), "background_jobs").confidence == Confidence::kMedium);
  SECTION("nor the trouble that it is asked for") {
    r = Recording();
    DatabaseReading& d = *r.sample.database;
    d.stall_us.reset();
    d.delayed_write_rate.reset();
    d.write_stopped.reset();
    d.column_families.clear();
    CHECK(not_judged_of(r.report(), "rate_limiter") == "write stalls are not in the trace");
  }
}

TEST_CASE("statistics", "[advice]") {
  Recording r;
  r.opening.statistics = "none";
  CHECK(only_advice(r.report(), "statistics").steps.front().needs_open);
  r.opening.statistics = "host";
  CHECK_FALSE(advises(r.report(), "statistics"));
  r.sample.database->read_latency.reset();
  CHECK(only_advice(r.report(), "statistics").steps.front().option == "stats_level");
  r.sample.database->keys_read.reset();
  CHECK_FALSE(not_judged_of(r.report(), "statistics").empty());
}

TEST_CASE("direct I/O", "[advice]") {
  Recording r;
  r.each = slow_reads_beside_compactions;
  const char* option = "use_direct_io_for_flush_and_compaction";
  CHECK_FALSE(not_judged_of(r.report(), "direct_io").empty());
  r.opening.options.database[option] = "false";
  CHECK(content_of(r.report(), "direct_io") == "the page cache has room for all data");
  r.sample.host->memory_total_bytes = 2 * kGiBytes;
  CHECK(only_advice(r.report(), "direct_io").confidence == Confidence::kLow);
  SECTION("not where reads are direct") {
    r.opening.options.database["use_direct_reads"] = "true";
    CHECK(content_of(r.report(), "direct_io").find("do not use the page cache") !=
          std::string::npos);
  }
  SECTION("not where files are written without a buffer") {
    const char* why = "RocksDB does not take it together with writable_file_max_buffer_size=0";
    r.opening.options.database["writable_file_max_buffer_size"] = "0";
    CHECK(content_of(r.report(), "direct_io") == why);
    r.opening.options.database["writable_file_max_buffer_size"] = "1048576";
    CHECK(only_advice(r.report(), "direct_io").risk.find("O_DIRECT") != std::string::npos);
    KnobReading size = r.sample.knobs.edit()[0];  // rocktuned has set it since
    size.name = knob::kWriteSize;
    size.found = 0;
    size.value = 1 << 20;
    r.sample.knobs.edit().push_back(size);
    CHECK(content_of(r.report(), "direct_io") == why);
  }
  SECTION("not where files are mapped") {
    const std::string mapped = GENERATE("allow_mmap_writes", "allow_mmap_reads");
    r.opening.options.database[mapped] = "true";
    CHECK(content_of(r.report(), "direct_io") ==
          "RocksDB does not take it together with " + mapped);
  }
  r.opening.options.database[option] = "true";
  CHECK(content_of(r.report(), "direct_io") == "flushes and compactions use it");
}

}  // namespace rocktune::advice
