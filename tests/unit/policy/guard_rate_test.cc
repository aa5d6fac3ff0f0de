// The budget's share of a device that was probed: how high a limit may be raised.
#include "policy/pins.h"
#include "tests/unit/policy/guard_bench.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

DeviceCapacities writes_at(double bytes_per_second) {
  DeviceCapacities device;
  device.write = DirectionCapacity{bytes_per_second, 100'000};
  return device;
}

// Of a device that writes 400 MiB/s, and a limit that was found at 100.
GuardBench with_share(double share, GuardScope scope = GuardScope::kAll, const Pins& pins = {}) {
  Budget budget;
  budget.device_share = share;
  return GuardBench(budget, pins, scope, writes_at(400.0 * kGuardMiB));
}

std::int64_t raised_to(GuardBench& bench, std::int64_t mib) {
  const Verdict verdict = bench.ask(knob::kRateLimit, mib * kGuardMiB);
  return may_be_applied(verdict) ? verdict.value / kGuardMiB : 0;
}

}  // namespace

TEST_CASE("range: a limit is raised to the share of the device, and no further", "[guard]") {
  const GuardScope scope = GENERATE(GuardScope::kAll, GuardScope::kHardLimits);
  GuardBench bench = with_share(0.5, scope);
  const Verdict clamped = bench.ask(knob::kRateLimit, 300 * kGuardMiB);
  CHECK(is(clamped, VerdictKind::kClamped, "range"));
  CHECK(clamped.value == 200 * kGuardMiB);
  CHECK(clamped.reason == "the most allowed is 200 MiB/s");
  bench.knob(knob::kRateLimit).value = 200 * kGuardMiB;
  bench.pass(61);
  CHECK(is(bench.ask(knob::kRateLimit, 300 * kGuardMiB), VerdictKind::kHeld, "no_change"));
  // Unlimited is above every share.
  CHECK(is(bench.ask(knob::kRateLimit, kUnlimitedBytesPerSecond), VerdictKind::kHeld, "no_change"));
}

TEST_CASE("range: all of a device, or of one that nobody has probed, bounds no limit", "[guard]") {
  GuardBench all = with_share(1);
  CHECK(raised_to(all, 400) == 400);
  Budget half;
  half.device_share = 0.5;
  GuardBench unknown(half);
  CHECK(raised_to(unknown, 400) == 400);
}

TEST_CASE("range: what was found, and the least rate, count more than a share", "[guard]") {
  GuardBench bench = with_share(0.05);  // 20 MiB/s
  bench.knob(knob::kRateLimit).value = 40 * kGuardMiB;
  CHECK(raised_to(bench, 150) == 100);
  bench.pass(61);
  CHECK(raised_to(bench, 100) == 100);  // home
  // Found without any limit it may have none again.
  bench.knob(knob::kRateLimit).found = kUnlimitedBytesPerSecond;
  bench.pass(61);
  CHECK(raised_to(bench, 150) == 150);
  bench.pass(61);
  CHECK(bench.ask(knob::kRateLimit, kUnlimitedBytesPerSecond).value == kUnlimitedBytesPerSecond);

  Budget least;
  least.device_share = 0.05;
  least.rate_limit_min = BytesPerSecond{30.0 * kGuardMiB};
  GuardBench small(least, {}, GuardScope::kAll, writes_at(400.0 * kGuardMiB));
  small.knob(knob::kRateLimit).value = small.knob(knob::kRateLimit).found = 15 * kGuardMiB;
  CHECK(raised_to(small, 60) == 30);
}

TEST_CASE("range: a slice of the device and a share of it bound together", "[guard][sharing]") {
  GuardBench bench = with_share(0.5);
  bench.f.shared.emplace().background_max_bytes_per_second = 150 * kGuardMiB;
  CHECK(raised_to(bench, 300) == 150);
  bench.f.shared->background_max_bytes_per_second = 390 * kGuardMiB;
  bench.pass(61);
  CHECK(raised_to(bench, 300) == 200);
}

TEST_CASE("range: a share bounds no lowering and no pin", "[guard]") {
  GuardBench bench = with_share(0.5);
  bench.knob(knob::kRateLimit).value = 350 * kGuardMiB;
  CHECK(raised_to(bench, 300) == 300);
  GuardBench pinned =
      with_share(0.5, GuardScope::kAll, {{std::string(knob::kRateLimit), 300 * kGuardMiB}});
  Proposal pin;
  pin.knob = knob::kRateLimit;
  pin.rule = kPinRule;
  pin.from = 100 * kGuardMiB;
  pin.to = 300 * kGuardMiB;
  CHECK(pinned.guard.judge(pin, pinned.f).value == 300 * kGuardMiB);
}
