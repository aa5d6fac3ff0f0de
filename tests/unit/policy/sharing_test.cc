// What several databases on one device and host are given.
#include "policy/sharing.h"

#include <map>

#include "tests/support/catch.h"
#include "tests/unit/policy/share_member.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

std::uint64_t jobs_of(const Sharing::Slices& slices, const std::string& name) {
  return slices.at(name).jobs_max.value_or(0);
}

}  // namespace

TEST_CASE("a database alone shares nothing, but keeps within the host's budget", "[sharing]") {
  Sharing sharing;
  CHECK(sharing.update(at_seconds(1), {}, 8.0, {member("a")}).empty());
  HostBudget host;
  host.jobs_max = 5;
  host.memory_max = Bytes{300 * kShareTestMiB};
  const auto slices = sharing.update(at_seconds(2), host, 8.0, {member("a")});
  CHECK(slices.at("a").jobs_max == 5);
  CHECK(slices.at("a").memory_max_bytes == 300 * kShareTestMiB);
  CHECK_FALSE(slices.at("a").background_max_bytes_per_second);
}

TEST_CASE("two databases have the CPUs' jobs together, and two each in any case", "[sharing]") {
  Sharing sharing;
  auto slices = sharing.update(at_seconds(1), {}, 8.0, {member("a"), member("b")});
  CHECK(jobs_of(slices, "a") + jobs_of(slices, "b") == 10);
  CHECK(slices.at("a").host_members == 2);
  CHECK(slices.at("a").device_members == 2);
  HostBudget tight;
  tight.jobs_max = 2;
  slices = sharing.update(at_seconds(2), tight, 8.0, {member("a"), member("b")});
  CHECK(jobs_of(slices, "a") == 2);
  CHECK(jobs_of(slices, "b") == 2);
}

TEST_CASE("jobs that the operator counted out may be more than the CPUs", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.jobs_max = 24;
  ShareMember own = member("b");
  own.budget.jobs_max = 4;
  const auto slices = sharing.update(at_seconds(1), host, 8.0, {member("a"), own});
  CHECK(jobs_of(slices, "a") == 20);
  CHECK(jobs_of(slices, "b") == 4);
}

TEST_CASE("who has a number of jobs of its own has it beside the others", "[sharing]") {
  Sharing sharing;
  ShareMember a = member("a"), b = member("b");
  a.cpus = b.cpus = 2;
  a.budget.jobs_max = b.budget.jobs_max = 4;
  const auto slices = sharing.update(at_seconds(1), {}, 2.0, {a, b});
  CHECK(jobs_of(slices, "a") == 4);
  CHECK(jobs_of(slices, "b") == 4);
  Sharing mixed;
  b.budget.jobs_max.reset();
  CHECK(jobs_of(mixed.update(at_seconds(1), {}, 2.0, {a, b}), "a") == 4);
  CHECK(jobs_of(mixed.update(at_seconds(2), {}, 2.0, {a, b}), "b") == 2);
}

TEST_CASE("a number of jobs of its own takes none of those that were found", "[sharing]") {
  Sharing sharing;
  ShareMember found = member("a", 7), other = member("b");
  found.budget.jobs_max = other.budget.jobs_max = 4;
  found.demand.jobs_used = 2;
  other.demand.wants_jobs = true;
  Sharing::Slices slices;
  for (int i = 0; i < 60; ++i) slices = sharing.update(at_seconds(i), {}, 8.0, {found, other});
  CHECK(jobs_of(slices, "a") == 7);
  CHECK(jobs_of(slices, "b") == 4);
  // What it does not have any more it cannot take again, and keeps from nobody.
  found.knobs.edit()[1] = jobs_knob(4, 7);
  other = member("b", 8);
  found.demand.wants_jobs = other.demand.wants_jobs = true;
  HostBudget host;
  host.jobs_max = 12;
  for (int i = 60; i < 120; ++i) slices = sharing.update(at_seconds(i), host, 8.0, {found, other});
  CHECK(jobs_of(slices, "a") == 4);
  CHECK(jobs_of(slices, "b") == 8);
}

TEST_CASE("what its budget lets a database not give back is promised to nobody", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  ShareMember kept = member("a", 8), other = member("b", 2);
  kept.demand.jobs_used = 2;
  other.demand.wants_jobs = other.demand.wants_cache = true;
  Sharing::Slices slices;
  SECTION("jobs") {
    host.jobs_max = 10;
    kept.budget.drift_max = 2;
    for (int i = 0; i < 60; ++i) {
      slices = sharing.update(at_seconds(i), host, 8.0, {kept, other});
      kept.knobs.edit()[1].value = 4;
    }
    CHECK(jobs_of(slices, "a") == 4);
    CHECK(jobs_of(slices, "b") == 6);
  }
  SECTION("a cache") {
    host.memory_max = Bytes{512 * kShareTestMiB};
    kept.budget.drift_max_of["block_cache_capacity_bytes"] = 1.25;
    kept.demand.cache_used = 0;
    set_cache(other, 300 * kShareTestMiB);
    for (int i = 0; i < 200; ++i) slices = sharing.update(at_seconds(i), host, 8.0, {kept, other});
    CHECK(slices.at("a").memory_max_bytes.value_or(0) >= 200 * kShareTestMiB);
  }
}

TEST_CASE("who cannot take more takes nothing from who has it", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.jobs_max = 8;
  ShareMember busy = member("a", 6), other = member("b", 2);
  busy.demand.jobs_used = 6;
  other.demand.wants_jobs = true;
  std::uint64_t left = 6;
  SECTION("it acts: both are due the same") {
    left = 4;
  }
  SECTION("it only advises") {
    other.acts = false;
  }
  SECTION("its jobs are pinned") {
    other.pins = {{std::string(knob::kBackgroundJobs), 2}};
  }
  Sharing::Slices slices;
  for (int i = 0; i < 60; ++i) slices = sharing.update(at_seconds(i), host, 8.0, {busy, other});
  CHECK(jobs_of(slices, "a") == left);
}

TEST_CASE("what is left over counts for advice", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.jobs_max = 8;
  ShareMember idle = member("a", 2), advised = member("b", 2);
  advised.acts = false;
  advised.demand.wants_jobs = true;
  Sharing::Slices slices;
  for (int i = 0; i < 60; ++i) slices = sharing.update(at_seconds(i), host, 8.0, {idle, advised});
  CHECK(jobs_of(slices, "b") == 4);
}

TEST_CASE("memory that only an advised database wishes for stays where it is", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.memory_max = Bytes{512 * kShareTestMiB};
  ShareMember full = member("a"), other = member("b");
  set_cache(full, 384 * kShareTestMiB);
  set_cache(other, 128 * kShareTestMiB);
  full.demand.cache_used = 384.0 * kShareTestMiB;
  other.demand.wants_cache = true;
  other.acts = GENERATE(false, true);
  Sharing::Slices slices;
  for (int i = 0; i < 300; ++i) slices = sharing.update(at_seconds(i), host, 8.0, {full, other});
  const bool keeps = slices.at("a").memory_max_bytes.value_or(0) >= 384 * kShareTestMiB;
  CHECK(keeps != other.acts);
}

TEST_CASE("without the number of CPUs and a budget jobs are not divided", "[sharing]") {
  Sharing sharing;
  const auto slices = sharing.update(at_seconds(1), {}, std::nullopt, {member("a"), member("b")});
  CHECK_FALSE(slices.at("a").jobs_max);
}

TEST_CASE("what was found is not taken away because there are few CPUs", "[sharing]") {
  Sharing sharing;
  const auto slices = sharing.update(at_seconds(1), {}, 2.0, {member("a", 8), member("b", 6)});
  CHECK(jobs_of(slices, "a") == 8);
  CHECK(jobs_of(slices, "b") == 6);
}

TEST_CASE("memory goes where it is missed, and stays above a floor", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.memory_max = Bytes{512 * kShareTestMiB};
  ShareMember busy = member("a"), idle = member("b");
  busy.demand.wants_cache = true;
  idle.demand.cache_used = 10.0 * kShareTestMiB;
  Sharing::Slices slices;
  for (int i = 0; i < 400; ++i) {
    slices = sharing.update(at_seconds(1 + i), host, 8.0, {busy, idle});
    const std::uint64_t a = *slices.at("a").memory_max_bytes;
    const std::uint64_t b = *slices.at("b").memory_max_bytes;
    CHECK(a + b <= 512 * kShareTestMiB);
    CHECK(b >= 64 * kShareTestMiB);
    set_cache(busy, static_cast<std::int64_t>(a));
    set_cache(idle, std::min(idle.knobs[2].value, static_cast<std::int64_t>(b)));
  }
  CHECK(*slices.at("a").memory_max_bytes >= 440 * kShareTestMiB);
}

TEST_CASE("a cache that several databases have counts once among all", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.memory_max = Bytes{512 * kShareTestMiB};
  ShareMember one = member("a"), two = member("b"), own = member("c");
  for (ShareMember* each : {&one, &two}) {
    each->in_common = {{{std::string(knob::kCacheCapacity), ""}, "process/7"}};
    each->knobs.edit()[2].changeable = false;
  }
  const auto slices = sharing.update(at_seconds(1), host, 8.0, {one, two, own});
  // Each sees all of the one cache in its sample, and its slice has room for it.
  CHECK(*slices.at("a").memory_max_bytes == 256 * kShareTestMiB);
  CHECK(*slices.at("b").memory_max_bytes == 256 * kShareTestMiB);
  CHECK(*slices.at("c").memory_max_bytes == 256 * kShareTestMiB);
  // A read-only opening that has it, too, is no member: then it is all of this one's.
  Sharing without;
  const auto alone = without.update(at_seconds(1), host, 8.0, {one, own});
  CHECK(*alone.at("a").memory_max_bytes + *alone.at("c").memory_max_bytes <= 512 * kShareTestMiB);
}

TEST_CASE("write buffers of column families whose knobs are not read count", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.memory_max = Bytes{400 * kShareTestMiB};
  ShareMember buffered = member("a"), other = member("b");
  ColumnFamilyReading family;
  family.name = "index";
  family.write_buffer_bytes = 64 * kShareTestMiB;
  family.max_write_buffer_number = 2;
  buffered.memory = memory_use(buffered.knobs, {family});
  const auto slices = sharing.update(at_seconds(1), host, 8.0, {buffered, other});
  CHECK(*slices.at("a").memory_max_bytes >= (128 + 64) * kShareTestMiB);  // buffers, cache's floor
}

TEST_CASE("memory that was granted and is not used goes back", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.memory_max = Bytes{512 * kShareTestMiB};
  ShareMember knee = member("a"), other = member("b");
  knee.demand.wants_cache = true;  // it misses, and yet never grows: its cache has found the knee
  other.demand.cache_used = 10.0 * kShareTestMiB;
  set_cache(other, 64 * kShareTestMiB);
  auto slices = sharing.update(at_seconds(1), host, 8.0, {knee, other});
  const std::uint64_t granted = *slices.at("a").memory_max_bytes;
  CHECK(granted > 256 * kShareTestMiB);
  other.demand.wants_cache = true;
  for (int i = 2; i < 800; ++i) slices = sharing.update(at_seconds(i), host, 8.0, {knee, other});
  CHECK(*slices.at("a").memory_max_bytes <= 264 * kShareTestMiB);
}

TEST_CASE("memory that nobody used is not taken from another again and again", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.memory_max = Bytes{512 * kShareTestMiB};
  ShareMember knee = member("a"), other = member("b");
  knee.demand.wants_cache = true;  // it misses, and never grows
  other.demand.cache_used = 1e12;  // full, and content
  set_cache(other, 384 * kShareTestMiB);
  set_cache(knee, 128 * kShareTestMiB);
  int taken = 0;
  std::int64_t before = 384 * kShareTestMiB;
  const auto granted = [&](int second) {
    const auto slices = sharing.update(at_seconds(second), host, 8.0, {knee, other});
    const auto part = static_cast<std::int64_t>(*slices.at("b").memory_max_bytes);
    taken += part < before ? 1 : 0;
    before = part;
    set_cache(other, std::min<std::int64_t>(part, 384 * kShareTestMiB));  // as the guard has it
    return static_cast<std::int64_t>(*slices.at("a").memory_max_bytes);
  };
  for (int i = 1; i < 3600; ++i) granted(i);
  CHECK(taken >= 1);
  CHECK(taken <= 3);  // at once, and after rests of 10 and 20 minutes
  // It takes what it is granted: it counts again.
  set_cache(knee, 132 * kShareTestMiB);
  std::int64_t most = 0;
  for (int i = 3600; i < 3800; ++i) most = std::max(most, granted(i));
  CHECK(most > 180 * kShareTestMiB);
}

TEST_CASE("a wish for memory that has ended leaves nothing idle", "[sharing]") {
  Sharing sharing;
  HostBudget host;
  host.memory_max = Bytes{4160 * kShareTestMiB};
  ShareMember grows = member("a"), other = member("b");
  const auto holds = [](ShareMember& one, std::int64_t mib) {
    one.knobs.edit()[2] = cache_knob(mib * kShareTestMiB, 2048 * kShareTestMiB);
    one.memory = memory_use(one.knobs);
  };
  grows.weight = 2;
  holds(grows, 2048);
  holds(other, 1300);
  grows.demand.wants_cache = true;
  double second = 0;
  const auto run = [&](double seconds) {
    Sharing::Slices slices;
    for (const double end = second + seconds; second < end; second += 1) {
      slices = sharing.update(at_seconds(1 + second), host, 8.0, {grows, other});
    }
    return slices;
  };
  run(60);
  holds(grows, 2300);
  run(60);
  grows.demand.wants_cache = false;
  other.demand.wants_cache = true;
  const auto after = run(1200);
  CHECK(*after.at("b").memory_max_bytes > 1600 * kShareTestMiB);
}

TEST_CASE("within_share: the smaller of one's own budget and the slice", "[sharing]") {
  Budget own;
  SharedBudget shared;
  CHECK(within_share(own, std::nullopt) == own);
  CHECK(within_share(own, shared) == own);
  shared.jobs_max = 4;
  shared.memory_max_bytes = 100;
  CHECK(within_share(own, shared).jobs_max == 4);
  own.jobs_max = 3;
  own.memory_max = Bytes{50};
  CHECK(within_share(own, shared).jobs_max == 3);
  CHECK(within_share(own, shared).memory_max == Bytes{50});
  shared.memory_max_bytes = ~std::uint64_t{0};
  CHECK(within_share(own, shared).memory_max == Bytes{50});
}
