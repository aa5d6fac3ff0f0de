// Whatever the samples are - resets, gaps, absences, jumps, huge values - everything that comes out
// is finite, nothing crashes, no value outside the ranges passes the guard, and the same samples
// give the same steps.
#include <algorithm>
#include <array>
#include <cmath>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "policy/guard.h"
#include "policy/guard_limits.h"
#include "policy/sharing.h"
#include "tests/support/catch.h"
#include "tests/unit/policy/loop.h"

using namespace rocktune;
using namespace rocktune::test;

namespace {

// std::uniform_int_distribution differs between libraries: plain arithmetic does not.
class Dice {
 public:
  explicit Dice(std::uint32_t seed) : engine_(seed) {}
  std::uint64_t below(std::uint64_t n) { return engine_() % n; }
  bool one_in(std::uint64_t n) { return below(n) == 0; }
  // Any size, from zero to the largest.
  std::uint64_t any() {
    if (one_in(20)) return ~std::uint64_t{0};
    return engine_() >> below(64);
  }

 private:
  std::mt19937_64 engine_;
};

void stir_counter(Dice& dice, Counter& counter) {
  if (dice.one_in(40)) {
    counter.reset();
  } else if (!counter || dice.one_in(60)) {
    counter = dice.any();
  } else if (!dice.one_in(4)) {
    counter = *counter + dice.below(std::uint64_t{1} << dice.below(28));
  }
}

template <class Reading>
void stir(Dice& dice, Reading& reading) {
  Reading::visit_fields(reading,
                        [&](const char*, Counter& counter) { stir_counter(dice, counter); });
}

void stir_histogram(Dice& dice, std::optional<LatencyHistogram>& histogram) {
  if (dice.one_in(50)) histogram.reset();
  if (!histogram) histogram.emplace();
  if (dice.one_in(50)) histogram->buckets.clear();
  for (auto& bucket : histogram->buckets) bucket.count += dice.below(1000);
  if (histogram->buckets.size() < 8) {
    std::uint64_t lower =
        histogram->buckets.empty() ? dice.below(100) : histogram->buckets.back().upper_us;
    lower = std::min<std::uint64_t>(lower, std::uint64_t{1} << 60);
    histogram->buckets.push_back({lower, lower + 1 + dice.any() / 4, dice.below(100)});
  }
  histogram->sum_us += dice.below(1000000);
}

bool is_of_family(std::string_view name) {
  constexpr std::array kOfDatabase{
      knob::kRateLimit,        knob::kBackgroundJobs, knob::kCacheCapacity, knob::kSubcompactions,
      knob::kDelayedWriteRate, knob::kWriteSize,      knob::kL0Weight,      knob::kLimitFlushes};
  return std::find(kOfDatabase.begin(), kOfDatabase.end(), name) == kOfDatabase.end();
}

// As such databases have it, or anything.
std::int64_t stirred_value(Dice& dice, const KnobSpec& spec) {
  if (dice.one_in(4)) return static_cast<std::int64_t>(dice.any() >> 2);
  if (spec.name == knob::kRateLimit && dice.one_in(3)) return kUnlimitedBytesPerSecond;
  const bool small = spec.max < (std::int64_t{1} << 20);
  const std::uint64_t most = small ? 32 : std::uint64_t{1} << (16 + dice.below(20));
  return spec.min + static_cast<std::int64_t>(dice.below(most));
}

// All that there are, those of column families twice.
void stir_knobs(Dice& dice, Sample& sample) {
  sample.knobs = {};
  if (dice.one_in(30)) return;
  for (const KnobSpec& spec : knob_catalogue()) {
    const auto families = is_of_family(spec.name) ? std::vector<std::string>{"default", "other"}
                                                  : std::vector<std::string>{""};
    for (const std::string& family : families) {
      const std::int64_t found = stirred_value(dice, spec);
      const std::int64_t value = dice.one_in(3) ? stirred_value(dice, spec) : found;
      KnobReading knob = knob_reading(spec.name, value, found, spec.min, spec.max);
      knob.column_family = family;
      if (value != found && dice.one_in(2)) knob.owner = KnobOwner::kRocktune;
      if (dice.one_in(20)) knob.owner = KnobOwner::kManual;
      if (dice.one_in(20)) knob.changeable = false;
      if (dice.one_in(20)) knob.max = static_cast<std::int64_t>(dice.below(1000));
      sample.knobs.edit().push_back(knob);
    }
  }
}

// Slices that come, go, and are absurd.
void stir_shared(Dice& dice, Sample& sample) {
  if (dice.one_in(10)) sample.shared.reset();
  if (dice.one_in(10)) sample.shared.emplace();
  if (!sample.shared) return;
  SharedBudget::visit_fields(*sample.shared, [&](const char*, Counter& counter) {
    if (dice.one_in(20)) counter = dice.one_in(3) ? Counter() : Counter(dice.any());
  });
  if (dice.one_in(20)) sample.shared->jobs_max = 2 + dice.below(8);
  if (dice.one_in(20)) sample.shared->background_max_bytes_per_second = dice.any() >> 24;
  if (dice.one_in(20)) sample.shared->write_size_max_bytes = dice.any() >> 24;
}

void stir_sample(Dice& dice, Sample& sample, bool knobs_stand) {
  double seconds = dice.one_in(50) ? 300 : dice.one_in(50) ? 0 : 0.5;
  sample = next_sample(sample, seconds);
  if (dice.one_in(30)) sample.sequence += dice.below(50);
  if (dice.one_in(150)) sample.incarnation = "agent/db-" + std::to_string(dice.below(1000));
  if (!sample.database) sample.database = *quiet_sample().database;
  sample.database->agent_tick = sample.at.tick;
  stir(dice, *sample.database);
  sample.database->write_buffer_stall = dice.one_in(20) ? 1 : 0;
  DatabaseReading::visit_histograms(
      *sample.database, [&](const char*, auto& histogram) { stir_histogram(dice, histogram); });
  if (sample.database->column_families.empty()) {
    sample.database->column_families = quiet_sample().database->column_families;
    sample.database->column_families.push_back(sample.database->column_families[0]);
    sample.database->column_families[1].name = "other";
  }
  for (ColumnFamilyReading& family : sample.database->column_families) {
    stir(dice, family);
    if (!family.levels.empty()) family.levels[0].files = dice.below(40);
    family.level0_slowdown_trigger = dice.one_in(20) ? dice.any() : 20;
    family.immutable_memtables = dice.below(3);
  }
  if (dice.one_in(40)) sample.database->column_families.clear();
  if (!sample.device) sample.device = quiet_sample().device;
  stir(dice, *sample.device);
  if (!sample.host) sample.host = quiet_sample().host;
  stir(dice, *sample.host);
  if (!knobs_stand) stir_knobs(dice, sample);
  stir_shared(dice, sample);
  if (dice.one_in(15)) sample.database.reset();
  if (dice.one_in(15)) sample.device.reset();
  if (dice.one_in(15)) sample.host.reset();
}

bool good(const std::optional<double>& value) {
  return !value || std::isfinite(*value);
}

void check_features(const Features& features) {
  CHECK((std::isfinite(features.interval_seconds) && features.interval_seconds >= 0));
  Features::visit_values(features, [](const char* name, const Value& value) {
    INFO(name);
    CHECK(good(value));
    if (value) CHECK(*value >= 0);
  });
}

void check_indicators(const Step& step) {
  REQUIRE(step.indicators.size() == 3);
  for (const Indicator& indicator : step.indicators) {
    CHECK((indicator.probability >= 0 && indicator.probability <= 1));
    CHECK(good(indicator.eta_seconds));
    CHECK(indicator.eta_seconds.value_or(0) >= 0);
    CHECK(indicator.valid == indicator.why_invalid.empty());
  }
  for (const AlertChange& alert : step.alerts) {
    CHECK_FALSE(alert.id.empty());
    CHECK_FALSE(alert.message.empty());
    CHECK(alert.indicator.drivers.size() <= 5);
    for (const Driver& driver : alert.indicator.drivers) {
      CHECK((std::isfinite(driver.value) && good(driver.limit)));
    }
    CHECK(alert.from != alert.indicator.state);
    CHECK(alert.event_came.has_value() == (alert.indicator.state == AlertState::kOk));
    CHECK((good(alert.lead_seconds) && alert.lead_seconds.value_or(0) >= 0));
  }
}

// `paced`: not a peer's, which keeps to no slice of a device's writing.
void check_decision(const Decision& decision, const Features& features, const Budget& budget,
                    bool paced) {
  const Proposal& proposal = decision.proposal;
  CHECK(good(proposal.expected.baseline));
  CHECK_FALSE(proposal.reason.empty());
  bool allowed = decision.verdict.kind == VerdictKind::kAllowed ||
                 decision.verdict.kind == VerdictKind::kClamped;
  if (!allowed) {
    CHECK(decision.verdict.value == proposal.from);
    return;
  }
  const KnobSpec* spec = find_knob(proposal.knob);
  REQUIRE(spec != nullptr);
  bool found = false;
  for (const KnobReading& reading : features.knobs) {
    if (reading.name != proposal.knob || reading.column_family != proposal.column_family) continue;
    found = true;
    CHECK(reading.changeable);
    CHECK(reading.owner != KnobOwner::kManual);
    const Budget within = within_share(budget, features.shared);
    LimitInput input{proposal, *spec, reading, features, within, std::nullopt, 0, paced};
    Range range = allowed_range(input);
    CAPTURE(proposal.knob, proposal.rule, proposal.from, proposal.to, decision.verdict.reason);
    CHECK(decision.verdict.value >= range.low);
    CHECK(decision.verdict.value <= range.high);
    CHECK(decision.verdict.value != reading.value);
  }
  CHECK(found);
}

bool same(const Step& a, const Step& b) {
  return a.indicators == b.indicators && a.alerts == b.alerts && a.decisions == b.decisions &&
         a.outcomes == b.outcomes;
}

// A twin is given the same. The loops of the policy that asked for anything.
std::set<std::string> run_stirred(std::uint32_t seed) {
  const std::vector<std::string> policies = policy_names();
  Dice dice(seed);
  EngineConfig config;
  if (seed > 10) config.policy = policies[seed % policies.size()];
  CAPTURE(seed, config.policy);
  // Ours turn little; the peers as much as they were published to.
  const bool ours = (*make_policy(config.policy, {}))->guard_scope() == GuardScope::kAll;
  if (seed % 2 == 0) config.budget.memory_max = Bytes{std::int64_t{1} << 40};
  if (seed % 3 == 0) config.budget.jobs_max = 8;
  Engine engine = *Engine::create(config);
  Engine twin = *Engine::create(config);
  Sample sample = quiet_sample(0);
  stir_knobs(dice, sample);
  std::size_t allowed = 0;
  std::set<std::string> loops;
  for (int i = 0; i < 400; ++i) {
    stir_sample(dice, sample, !dice.one_in(10));
    Step step = engine.step(sample);
    check_features(step.features);
    check_indicators(step);
    CHECK(same(step, twin.step(sample)));
    for (const Decision& decision : step.decisions) {
      check_decision(decision, step.features, config.budget, ours);
      const std::string& rule = decision.proposal.rule;
      loops.insert(rule.substr(0, rule.find('.')));
      bool may = decision.verdict.kind == VerdictKind::kAllowed ||
                 decision.verdict.kind == VerdictKind::kClamped;
      allowed += may ? 1 : 0;
      if (!may || dice.one_in(8)) continue;  // some reports never come
      Actuation report{decision.id, dice.one_in(4) ? "failed" : "applied", "",
                       decision.proposal.from, decision.verdict.value};
      engine.report(report);
      twin.report(report);
    }
  }
  if (ours) CHECK(allowed < 400);
  return loops;
}

}  // namespace

TEST_CASE("random samples: finite, in range, deterministic", "[property]") {
  std::set<std::string> loops;
  for (std::uint32_t seed = 1; seed < 25; ++seed) loops.merge(run_stirred(seed));
  // The others (buffers, level_base, l0_room, filter) look for more order than chance has.
  for (const char* loop : {"limiter", "jobs", "subcompactions", "flow", "soft_limit", "write_size",
                           "l0_trigger", "cache", "shape"}) {
    INFO(loop);
    CHECK(loops.contains(loop));
  }
}

TEST_CASE("guard: no proposal whatever passes outside the range", "[property]") {
  Dice dice(7);
  Budget budget;
  budget.memory_max = Bytes{std::int64_t{1} << 32};
  int allowed = 0;
  for (int i = 0; i < 20000; ++i) {
    Guard guard(budget);
    Sample sample = quiet_sample(0);
    stir_knobs(dice, sample);
    stir_shared(dice, sample);
    Features features = derive(nullptr, sample);
    features.limiter_bytes_per_second = static_cast<double>(dice.any());
    if (dice.one_in(4)) features.memory_available_bytes = static_cast<double>(dice.any());
    guard.observe(features);
    for (const KnobReading& reading : sample.knobs) {
      Proposal proposal;
      proposal.knob = reading.name;
      proposal.column_family = reading.column_family;
      proposal.from = reading.value;
      proposal.to = static_cast<std::int64_t>(dice.any());  // negative ones, too
      proposal.reason = "a test";
      Decision decision{"1-1", proposal, guard.judge(proposal, features)};
      check_decision(decision, features, budget, true);
      bool up = decision.verdict.value > proposal.from;
      if (decision.verdict.value == proposal.from) continue;
      ++allowed;
      CHECK(up == (proposal.to > proposal.from));
    }
  }
  CHECK(allowed > 1000);
}

namespace {

// Follows on its own which changes of which loop are under way or not judged yet.
class CanaryWitness {
 public:
  // A change was made at `now`: nobody else's of its loop may be open.
  void made(const Proposal& proposal, bool urgent, Nanoseconds now) {
    const std::string loop = proposal.rule.substr(0, proposal.rule.find('.'));
    for (const auto& [knob, open] : open_) {
      if (urgent || open.loop != loop || knob == proposal.knob) continue;
      CHECK(seconds_between(open.since, now) >= open.window_seconds);
    }
    open_[proposal.knob] = {loop, now, proposal.expected.window_seconds};
  }
  void judged(const std::string& knob) { open_.erase(knob); }

 private:
  struct Open {
    std::string loop;
    Nanoseconds since{0};
    double window_seconds = 0;
  };
  std::map<std::string, Open> open_;
};

Proposal any_proposal(Dice& dice, const KnobReading& reading) {
  static const char* const kRules[] = {"memory.a", "memory.b", "shape.a"};
  static const char* const kFeatures[] = {"cache_hit_ratio", "l0_ratio", "memory_pressure_ratio"};
  Proposal proposal;
  proposal.knob = reading.name;
  proposal.from = reading.value;
  double factor = 0.3 + 0.1 * static_cast<double>(dice.below(30));
  proposal.to = static_cast<std::int64_t>(static_cast<double>(reading.value) * factor);
  proposal.rule = kRules[dice.below(3)];
  proposal.reason = "a test";
  proposal.expected = {kFeatures[dice.below(3)], true, 0, 10.0 + 10 * dice.below(4)};
  return proposal;
}

// In the words of docs/control.md, not in those of policy/urgent.cc.
bool may_not_wait(const Proposal& proposal, bool stalled_lately) {
  bool up = proposal.to > proposal.from;
  if (proposal.knob == knob::kRateLimit && up) return true;
  if (proposal.expected.feature == "l0_ratio" && stalled_lately) {
    return proposal.knob != knob::kRateLimit;
  }
  return proposal.expected.feature == "memory_pressure_ratio" && !up;
}

}  // namespace

TEST_CASE("guard: never two open changes in a loop, never beyond drift", "[property]") {
  std::uint32_t seed = GENERATE(range(1, 13));
  Dice dice(seed);
  Budget budget;
  budget.jobs_max = 64;
  budget.memory_max = Bytes{std::int64_t{1} << 42};
  budget.changes_per_hour = 3600;
  budget.drift_max = 1.5 + 0.5 * static_cast<double>(dice.below(6));
  if (seed % 3 == 0) budget.drift_max_of[std::string(knob::kRateLimit)] = 2;
  Guard guard(budget);
  CanaryWitness witness;
  Features f;
  f.fresh = true;
  f.cpus = 64;
  f.memory_available_bytes = 1e12;
  f.limiter_bytes_per_second = 50e6;
  f.knobs = {limiter_knob(200 * kMiB, 200 * kMiB), jobs_knob(12, 12), cache_knob(1000, 1000)};
  f.knobs.edit()[2].found = f.knobs.edit()[2].value = 256 * static_cast<std::int64_t>(kMiB);
  std::optional<Nanoseconds> stalled;
  int made = 0, held = 0;
  for (int i = 0; i < 4000; ++i) {
    f.at.tick += at_seconds(0.5 * static_cast<double>(1 + dice.below(10)));
    ++f.sequence;
    f.stalled_ratio = dice.one_in(12) ? 0.5 : 0.0;
    if (*f.stalled_ratio > 0) stalled = f.at.tick;
    guard.observe(f);
    KnobReading& reading = f.knobs.edit()[dice.below(3)];
    Decision decision{std::to_string(i), any_proposal(dice, reading), {}};
    const Proposal& proposal = decision.proposal;
    decision.verdict = guard.judge(proposal, f);
    if (decision.verdict.rule == "canary") ++held;
    if (decision.verdict.value == proposal.from) continue;
    ++made;
    bool lately = stalled && seconds_between(*stalled, f.at.tick) <= 10;
    witness.made(proposal, may_not_wait(proposal, lately), f.at.tick);
    guard.decided(decision, f.at.tick);
    if (dice.one_in(10)) {
      guard.failed(decision);
      witness.judged(reading.name);
      continue;
    }
    reading.value = decision.verdict.value;
    guard.applied(decision, f.at.tick);
    if (dice.one_in(5)) {
      guard.judged(decision.id);
      witness.judged(reading.name);
    }
    bool bounded = reading.name != knob::kRateLimit || seed % 3 == 0;
    double most = reading.name == knob::kRateLimit ? 2 : *budget.drift_max;
    double drift = static_cast<double>(reading.value) / static_cast<double>(reading.found);
    if (!bounded) continue;
    CHECK(drift <= most);
    CHECK(drift >= 1 / most);
  }
  CHECK(made > 100);
  CHECK(held > 100);
}
