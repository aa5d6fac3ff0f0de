#include "policy/give_back.h"

#include "policy/situation.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

struct GiveBackBench {
  GiveBackBench() {
    f.fresh = true;
    f.knobs = {jobs_knob(8, 8)};
    slice(4);
  }
  void slice(std::uint64_t jobs) {
    f.shared = SharedBudget{};
    f.shared->jobs_max = jobs;
    f.shared->host_members = 2;
  }
  std::vector<Proposal> step() {
    f.at.tick += at_seconds(0.5);
    std::vector<Proposal> proposals;
    if (policy_wants) proposals.push_back(propose(f.knobs[0], *policy_wants, "jobs.idle"));
    give_back.propose({f, {}, objective, budget}, proposals);
    if (!guard_allows) return proposals;
    for (const Proposal& one : proposals) {
      f.knobs.edit()[0].value = one.to;
      f.knobs.edit()[0].owner = KnobOwner::kRocktune;
    }
    return proposals;
  }

  std::optional<std::int64_t> policy_wants;
  bool guard_allows = true;
  GiveBack give_back;
  Features f;
  Objective objective;
  Budget budget;
};

}  // namespace

TEST_CASE("a knob goes down to its slice, and back where it stood", "[sharing]") {
  GiveBackBench bench;
  const auto down = bench.step();
  REQUIRE(down.size() == 1);
  CHECK(down[0].rule == "share.jobs");
  CHECK(down[0].to == 4);
  CHECK(bench.step().empty());
  bench.slice(16);
  const auto back = bench.step();
  REQUIRE(back.size() == 1);
  CHECK(back[0].rule == "share.returned");
  CHECK(back[0].to == 8);
  CHECK(back[0].reason.find("8 background jobs") != std::string::npos);
}

TEST_CASE("the rate of who had a backlog is not lowered for others soon after it", "[sharing]") {
  GiveBackBench bench;
  bench.f.knobs = {limiter_knob(100 << 20)};
  bench.f.shared = SharedBudget{};
  bench.f.shared->device_members = 2;
  bench.f.shared->background_max_bytes_per_second = 20 << 20;
  bench.f.write_stopped = 1;
  CHECK(bench.step().empty());
  bench.f.write_stopped = 0;
  for (int i = 0; i < 59; ++i) CHECK(bench.step().empty());
  bench.step();
  const auto down = bench.step();
  const std::int64_t stands = bench.f.knobs[0].value;
  CHECK(stands == 20 << 20);
  CHECK(down.empty());
}

TEST_CASE("a rate does not follow each breath of its slice", "[sharing]") {
  GiveBackBench bench;
  bench.f.knobs = {limiter_knob(100 << 20)};
  const auto at_slice = [&bench](std::uint64_t mib) {
    bench.f.shared = SharedBudget{};
    bench.f.shared->device_members = 2;
    bench.f.shared->background_max_bytes_per_second = mib << 20;
    bench.step();
    return bench.f.knobs[0].value >> 20;
  };
  CHECK(at_slice(88) == 100);
  CHECK(at_slice(60) == 60);
  CHECK(at_slice(70) == 60);
  CHECK(at_slice(75) == 75);
  bench.f.shared.reset();  // the last step to where it stood
  bench.step();
  CHECK(bench.f.knobs[0].value >> 20 == 100);
}

TEST_CASE("jobs that an earlier run lowered for others go back", "[sharing]") {
  GiveBackBench bench;
  bench.f.shared.reset();  // the others are gone
  bench.f.knobs.edit()[0] = jobs_knob(3, 8);
  SECTION("they are ours") {
    bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
    const auto back = bench.step();
    REQUIRE(back.size() == 1);
    CHECK(back[0].rule == "share.returned");
    CHECK(back[0].to == 8);
  }
  SECTION("up to the budget, and no line is made of the rest") {
    bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
    bench.budget.jobs_max = 3;
    CHECK(bench.step().empty());
  }
  SECTION("those that the policy had lowered before jobs were shared, too") {
    bench.f.knobs.edit()[0].value = 8;
    bench.step();
    bench.f.knobs.edit()[0].value = 3;
    bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
    CHECK(bench.step().empty());
    bench.f.shared = SharedBudget();
    bench.f.shared->jobs_max = 6;
    const auto back = bench.step();
    REQUIRE(back.size() == 1);
    CHECK(back[0].rule == "share.returned");
    CHECK(back[0].to == 6);
  }
  SECTION("an operator's stay") {
    bench.f.knobs.edit()[0].owner = KnobOwner::kManual;
    CHECK(bench.step().empty());
  }
  SECTION("what a policy lowers later is its own") {
    bench.f.knobs.edit()[0].value = 8;
    bench.step();
    bench.f.knobs.edit()[0].value = 3;
    bench.f.knobs.edit()[0].owner = KnobOwner::kRocktune;
    CHECK(bench.step().empty());
  }
}

TEST_CASE("who shares with nobody is told what the budget has", "[sharing]") {
  GiveBackBench bench;
  const std::int64_t mib = 1 << 20;
  bench.f.shared->host_members = 1;
  SECTION("jobs") {
    const auto down = bench.step();
    REQUIRE(down.size() == 1);
    CHECK(down[0].reason == "the shared budget has 4 background jobs for it");
  }
  SECTION("write buffers of many column families alone are more than that") {
    bench.f.knobs = {cache_knob(256 * mib, 256 * mib)};
    for (const char* family : {"one", "two"}) {
      for (const auto& [name, value] :
           {std::pair(knob::kWriteBufferSize, 64 * mib), {knob::kWriteBuffers, 4}}) {
        bench.f.knobs.edit().push_back(knob_reading(name, value, value, 1, std::int64_t{1} << 40));
        bench.f.knobs.edit().back().column_family = family;
      }
    }
    bench.f.shared->jobs_max.reset();
    bench.f.shared->memory_max_bytes = 384 * mib;
    const auto down = bench.step();
    REQUIRE(down.size() == 1);
    CHECK(down[0].to == 64 * mib);
    CHECK(down[0].reason ==
          "the shared budget has 384 MiB for it, of which write buffers may take 512 MiB: 64 MiB "
          "of cache now");
    bench.f.shared->host_members = 2;
    bench.f.knobs.edit()[0].value = 256 * mib;
    CHECK(bench.step()[0].reason ==
          "2 databases share the host: this one's part is 64 MiB of cache now, since others need "
          "theirs");
  }
}

TEST_CASE("a cache keeps room for what is pinned in it, whatever others are due", "[sharing]") {
  GiveBackBench bench;
  bench.f.knobs = {cache_knob(800, 800)};
  bench.f.shared->jobs_max.reset();
  bench.f.shared->memory_max_bytes = 100;
  bench.f.cache_pinned_bytes = 400;
  const auto down = bench.step();
  REQUIRE(down.size() == 1);
  CHECK(down[0].to == 500);
}

TEST_CASE("a cache does not go back while memory is low", "[sharing]") {
  GiveBackBench bench;
  bench.f.knobs = {cache_knob(800, 800)};
  bench.f.shared->jobs_max.reset();
  bench.f.shared->memory_max_bytes = 400;
  bench.f.memory_total_bytes = 1000;
  bench.f.memory_available_bytes = 500;
  REQUIRE(bench.step().size() == 1);
  bench.f.shared->memory_max_bytes = 1000;
  bench.f.memory_available_bytes = 90;
  CHECK(bench.step().empty());
  bench.f.memory_available_bytes = 500;
  const auto back = bench.step();
  REQUIRE(back.size() == 1);
  CHECK(back[0].rule == "share.returned");
}

TEST_CASE("what the policy lowers further stays so", "[sharing]") {
  GiveBackBench bench;
  bench.step();
  bench.policy_wants = 3;
  bench.slice(16);
  SECTION("what it has lowered") {
    bench.step();
    bench.policy_wants.reset();
    for (int i = 0; i < 20; ++i) CHECK(bench.step().empty());
  }
  SECTION("what it has lowered after a part was returned") {
    bench.policy_wants.reset();
    bench.slice(6);
    REQUIRE(bench.step().size() == 1);
    bench.policy_wants = 5;
    bench.step();
    bench.policy_wants.reset();
    for (int i = 0; i < 20; ++i) CHECK(bench.step().empty());
  }
  SECTION("what it has lowered above what was asked for once") {
    bench.policy_wants.reset();
    bench.slice(2);  // others begin with little
    bench.guard_allows = false;
    bench.step();
    bench.guard_allows = true;
    bench.slice(4);
    for (int i = 0; i < 12; ++i) bench.step();
    bench.policy_wants = 3;
    bench.step();
    bench.policy_wants.reset();
    bench.slice(16);
    for (int i = 0; i < 20; ++i) CHECK(bench.step().empty());
  }
  SECTION("not what it only wished to") {
    bench.guard_allows = false;
    const auto wish = bench.step();
    REQUIRE(wish.size() == 1);
    CHECK(wish[0].rule == "jobs.idle");
    bench.guard_allows = true;
    bench.policy_wants.reset();
    const auto back = bench.step();
    REQUIRE(back.size() == 1);
    CHECK(back[0].rule == "share.returned");
    CHECK(back[0].to == 8);
  }
}

TEST_CASE("what an operator has set since stays, after a release, too", "[sharing]") {
  GiveBackBench bench;
  bench.step();
  bench.f.knobs.edit()[0] = jobs_knob(3, 3);
  bench.f.knobs.edit()[0].owner = KnobOwner::kManual;
  bench.step();
  bench.f.knobs.edit()[0].owner = KnobOwner::kFound;  // rocktune release
  bench.slice(16);
  for (int i = 0; i < 20; ++i) CHECK(bench.step().empty());
}

TEST_CASE("what little is left goes back in the end", "[sharing]") {
  GiveBackBench bench;
  bench.f.knobs = {jobs_knob(32, 32)};
  bench.slice(30);
  REQUIRE(bench.step().size() == 1);
  bench.slice(GENERATE(31, 40));
  // A budget of its own that has become smaller is as far as it goes.
  if (GENERATE(false, true)) bench.budget.jobs_max = 31;
  const auto most = std::min<std::int64_t>(32, bench.budget.jobs_max.value_or(32));
  const bool whole_way = static_cast<std::int64_t>(*bench.f.shared->jobs_max) >= most;
  std::vector<Proposal> back;
  int steps = 0;
  for (; steps < 2 * 1200 && back.empty(); ++steps) back = bench.step();
  CHECK(back.empty() != whole_way);
  if (back.empty()) return;
  CHECK(steps >= 2 * 600);
  CHECK(back[0].rule == "share.returned");
  CHECK(back[0].to == most);
}
