// A cache that misses much and may not grow, for want of a budget.
#include "daemon/cache_note.h"

#include "model/knobs.h"
#include "tests/unit/daemon/target_world.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

constexpr std::int64_t kMega = std::int64_t{1} << 20;

KnobReading cache_of(std::int64_t value, std::int64_t found) {
  KnobReading knob;
  knob.name = knob::kCacheCapacity;
  knob.value = value;
  knob.found = found;
  knob.owner = value == found ? KnobOwner::kFound : KnobOwner::kRocktune;
  knob.changeable = true;
  return knob;
}

struct Misses {
  Misses() {
    f.at.tick = 1000s;
    f.reads_per_second = 5000;
    f.cache_hit_ratio = 0.6;
    f.cache_misses_per_second = 5000;
    f.device_read_iops = 4000;
    f.cache_fill_ratio = 1;
    f.memory_available_bytes = 8e9;
    f.memory_total_bytes = 16e9;
    f.knobs = {cache_of(256 * kMega, 256 * kMega)};
  }
  std::string run(double seconds) {
    for (int i = 0; i < static_cast<int>(2 * seconds); ++i) {
      f.at.tick += 500ms;
      note.look(f, budget);
    }
    return note.text();
  }
  Features f;
  Budget budget;
  CacheNote note;
};

}  // namespace

TEST_CASE("a cache that misses for minutes, and has no budget, says so", "[daemon]") {
  Misses bench;
  CHECK(bench.run(299).empty());
  CHECK(bench.run(2) ==
        "the full cache of 256 MiB has missed 40% of the block reads for 5 min, and reads wait for "
        "4000/s; budget.memory_max is unset: nothing is added");
  CHECK_FALSE(bench.run(3600).empty());
  bench.f.cache_fill_ratio = 0.5;
  CHECK(bench.run(0.5).empty());
}

TEST_CASE("a cache that lacks no budget says nothing of one", "[daemon]") {
  Misses bench;
  SECTION("there is one") {
    bench.budget.memory_max = Bytes{256 * kMega};
  }
  SECTION("a share of one") {
    bench.f.shared = SharedBudget();
    bench.f.shared->memory_max_bytes = 256 * kMega;
  }
  SECTION("it does not miss much") {
    bench.f.cache_misses_per_second = 50;
  }
  SECTION("the page cache serves it") {
    bench.f.device_read_iops = 10;
  }
  SECTION("it is not full") {
    bench.f.cache_fill_ratio = 0.9;
  }
  SECTION("it is to stay as it is") {
    bench.f.knobs.edit()[0].changeable = false;
  }
  SECTION("it is somebody else's") {
    bench.f.knobs.edit()[0].owner = KnobOwner::kManual;
  }
  SECTION("the host has no more") {
    bench.f.memory_available_bytes = 1e9;
  }
  SECTION("it may go back to what was found") {
    bench.f.knobs = {cache_of(200 * kMega, 256 * kMega)};
  }
  CHECK(bench.run(900).empty());
}

TEST_CASE("beside caches of other column families nobody can tell whose misses they are",
          "[daemon]") {
  Misses bench;
  bench.budget.memory_max = Bytes{256 * kMega};
  KnobReading other = cache_of(64 * kMega, 64 * kMega);
  other.column_family = "other";
  bench.f.knobs.edit().push_back(other);
  SECTION("whichever is full") {
    bench.f.cache_fill_ratio = 0.1;
  }
  CHECK(bench.run(299).empty());
  CHECK(bench.run(2) ==
        "reads have waited for 4000/s of misses for 5 min, and beside its 256 MiB there is 1 cache "
        "of other column families: whose misses they are nobody can tell, and nothing is added");
  other.column_family = "third";
  bench.f.knobs.edit().push_back(other);
  CHECK(bench.run(1).find("there are 2 caches of other") != std::string::npos);
  bench.f.cache_misses_per_second = 50;
  CHECK(bench.run(100).empty());
}

TEST_CASE("a budget that write buffers alone exceed is told of at once", "[daemon]") {
  Misses bench;
  bench.f.cache_misses_per_second = 0;
  for (const char* family : {"one", "two"}) {
    for (const auto& [name, value] :
         {std::pair(knob::kWriteBufferSize, 64 * kMega), {knob::kWriteBuffers, 4}}) {
      KnobReading one = cache_of(value, value);
      one.name = name;
      one.column_family = family;
      bench.f.knobs.edit().push_back(one);
    }
  }
  const std::string much =
      "write buffers may take 512 MiB (write_buffer_size x max_write_buffer_number of all column "
      "families), more than the ";
  SECTION("its own") {
    bench.budget.memory_max = Bytes{384 * kMega};
    CHECK(bench.run(0.5) == much + "384 MiB of budget.memory_max: nothing is left for the cache");
  }
  SECTION("a share of one, which is less") {
    bench.budget.memory_max = Bytes{384 * kMega};
    bench.f.shared = SharedBudget();
    bench.f.shared->memory_max_bytes = 256 * kMega;
    CHECK(bench.run(0.5) ==
          much + "256 MiB that shared.memory_max has for it: nothing is left for the cache");
  }
  SECTION("it has room for them") {
    bench.budget.memory_max = Bytes{512 * kMega};
    CHECK(bench.run(0.5).empty());
  }
  SECTION("there is none") {
    CHECK(bench.run(0.5).empty());
  }
}

TEST_CASE("a cache that is missed, and does not fill", "[daemon]") {
  Misses bench;
  bench.budget.memory_max = Bytes{256 * kMega};
  bench.f.cache_capacity_bytes = 256 * kMega;
  bench.f.cache_usage_bytes = 32 * kMega;
  bench.f.cache_fill_ratio = 0.125;
  SECTION("for minutes") {
    CHECK(bench.run(350).empty());
    CHECK(bench.run(20).find("no more than 12% of 256 MiB has been used for 5 min, while reads "
                             "wait for 4000/s of misses") == 0);
  }
  SECTION("it fills yet") {
    for (int minute = 0; minute < 15; ++minute) {
      *bench.f.cache_usage_bytes += 6 * kMega;
      *bench.f.cache_fill_ratio = *bench.f.cache_usage_bytes / (256 * kMega);
      CHECK(bench.run(59).empty());
    }
  }
  SECTION("it is half full") {
    bench.f.cache_usage_bytes = 128 * kMega;
    bench.f.cache_fill_ratio = 0.5;
    CHECK(bench.run(900).empty());
  }
  SECTION("nobody knows how full") {
    bench.f.cache_usage_bytes.reset();
    bench.f.cache_fill_ratio.reset();
    CHECK(bench.run(900).empty());
  }
  SECTION("hardly missed") {
    bench.f.cache_misses_per_second = 50;
    CHECK(bench.run(900).empty());
  }
}

TEST_CASE("what nobody saw is not counted", "[daemon]") {
  Misses bench;
  bench.run(200);
  bench.f.at.tick += 200s;
  CHECK(bench.run(200).empty());
}

TEST_CASE("rocktune status has what is to be said of the cache", "[daemon][target]") {
  daemon::test::TargetWorld world;
  world.tree.file("proc/meminfo", "MemTotal: 16000000 kB\nMemAvailable: 8000000 kB\n");
  const Mode mode = GENERATE(Mode::kAdvise, Mode::kObserve);
  const auto target = world.target(mode);
  target->opened(world.opening());
  const auto note = [&target] {
    for (const SourceHealth& health : target->status().health) {
      if (health.source == "cache") return health.error;
    }
    return std::string();
  };
  for (std::uint64_t n = 1; n <= 640; ++n) {
    world.now.tick += 500ms;
    world.now.wall += 500ms;
    wire::Sample sample = world.squeezed(n);
    sample.tickers = {{"number.keys.read", n * 2500},
                      {"block.cache.hit", n * 3000},
                      {"block.cache.miss", n * 2000},
                      {"compact.read.bytes", 0}};
    sample.cache = {{"capacity_bytes", 256 * kMega}, {"usage_bytes", 256 * kMega}};
    sample.knobs = {{std::string(knob::kCacheCapacity), "", 256 * kMega, 256 * kMega, "found", true,
                     "", kMega, 1024 * kMega}};
    target->poll(world.now, sample);
    if (n == 500) CHECK(note().empty());
  }
  CHECK(note().empty() == (mode == Mode::kObserve));
  target->closed("the database is closed");
  CHECK(note().empty());
}
