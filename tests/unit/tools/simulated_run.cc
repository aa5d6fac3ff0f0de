#include "simulated_run.h"

#include <algorithm>

#include "policy/engine.h"
#include "tests/support/catch.h"
#include "trace/journal_json.h"
#include "trace/recorder.h"

namespace rocktune::tools::test {
namespace {

constexpr double kInterval = 0.5;
constexpr double kDemand = 30e6;  // bytes/s that the user writes

// Writes fill L0 and pending bytes faster than background work at the limiter's rate clears them.
class Plant {
 public:
  Sample poll(bool answers) {
    ++sequence_;
    advance();
    Sample sample;
    sample.sequence = sequence_;
    sample.at.tick = kPeriod * static_cast<std::int64_t>(sequence_);
    sample.at.wall = kBegin + sample.at.tick;
    sample.incarnation = "4711-1";
    sample.health = {{"agent", answers ? "" : "no answer within 400 ms"}, {"host", ""}};
    sample.host.emplace();
    sample.host->cpus = 8;
    sample.host->memory_total_bytes = std::uint64_t{16} << 30;
    sample.host->memory_available_bytes = std::uint64_t{8} << 30;
    if (!answers) return sample;
    sample.database = reading(sample.at.tick);
    sample.knobs = knobs_;
    return sample;
  }

  Actuation apply(const Decision& decision) {
    for (KnobReading& knob : knobs_) {
      if (knob.name != decision.proposal.knob) continue;
      const std::int64_t before = knob.value;
      knob.value = decision.verdict.value;
      knob.owner = KnobOwner::kRocktune;
      return {decision.id, "applied", "", before, knob.value};
    }
    return {decision.id, "refused", "no such knob", 0, 0};
  }

 private:
  void advance() {
    const double rate = std::min<double>(static_cast<double>(knobs_[0].value), 400e6);
    user_bytes_ += kDemand * kInterval;
    const double work = std::min(rate * kInterval, pending_ + kDemand * kInterval * 5);
    through_ += work;
    pending_ = std::clamp(pending_ + kDemand * kInterval * 4 - work, 0.0, 60e9);
  }

  DatabaseReading reading(Nanoseconds tick) {
    DatabaseReading reading;
    reading.agent_tick = tick;
    reading.agent_sequence = sequence_;
    const auto counter = [](double value) { return static_cast<std::uint64_t>(value); };
    reading.user_bytes_written = counter(user_bytes_);
    reading.wal_bytes = counter(user_bytes_);
    reading.flush_bytes_written = counter(user_bytes_);
    reading.compaction_bytes_written = counter(through_);
    reading.compaction_bytes_read = counter(through_);
    reading.keys_written = counter(user_bytes_ / 400);
    reading.keys_read = counter(user_bytes_ / 4000);
    reading.stall_us = counter(pending_ > 30e9 ? user_bytes_ / 100 : 0);
    reading.limiter_bytes_through = counter(through_);
    reading.limiter_requests = counter(through_ / 1e6);
    reading.running_compactions = 1;
    reading.running_flushes = 1;
    reading.delayed_write_rate = 0;
    reading.write_stopped = 0;
    reading.block_cache_hits = counter(user_bytes_ / 5000);
    reading.block_cache_misses = counter(user_bytes_ / 5000);
    reading.cache_capacity_bytes = static_cast<std::uint64_t>(knobs_[2].value);
    reading.cache_usage_bytes = static_cast<std::uint64_t>(knobs_[2].value);
    reading.write_latency =
        LatencyHistogram{{{50, 52, counter(user_bytes_ / 500)}}, counter(user_bytes_ / 10)};
    ColumnFamilyReading family;
    family.name = "default";
    const auto files = static_cast<std::uint64_t>(std::clamp(pending_ / 1e9, 1.0, 36.0));
    family.levels = {{files, files << 24}, {10, 10 << 24}};
    family.pending_compaction_bytes = counter(pending_);
    family.immutable_memtables = 0;
    family.max_write_buffer_number = 2;
    family.level0_compaction_trigger = 4;
    family.level0_slowdown_trigger = 20;
    family.level0_stop_trigger = 36;
    family.soft_pending_limit_bytes = std::uint64_t{64} << 30;
    family.hard_pending_limit_bytes = std::uint64_t{256} << 30;
    reading.column_families = {family};
    return reading;
  }

  static KnobReading knob(const std::string& name, std::int64_t value, std::int64_t max) {
    return {name, "", value, value, KnobOwner::kFound, true, "", 1, max};
  }

  std::uint64_t sequence_ = 0;
  double user_bytes_ = 1e9, through_ = 1e9, pending_ = 2e9;
  std::vector<KnobReading> knobs_ = {
      knob("rate_limiter_bytes_per_second", 20'000'000, std::int64_t{1} << 40),
      knob("max_background_jobs", 2, 64),
      knob("block_cache_capacity_bytes", std::int64_t{64} << 20, std::int64_t{1} << 40)};
};

void must(const Result<void>& done) {
  if (!done) FAIL(done.error().message);
}

}  // namespace

std::vector<std::string> record_run(const std::string& path, const SimulatedRun& run) {
  auto recorder = trace::Recorder::create(path, {"0.1.0", "host", Nanoseconds(1), kInterval}, {});
  REQUIRE(recorder);
  trace::TargetInfo info{0, "orders", "/data/orders", run.mode, {}};
  info.id = *recorder->add_target(info);
  must(
      recorder->add_incarnation(info.id, {"4711-1", 4711, "db", "7.8.3", "0.1.0", "host", "host"}));
  auto engine = Engine::create(info.engine);
  REQUIRE(engine);
  Plant plant;
  std::vector<Actuation> reports;
  std::vector<std::string> lines;
  for (int poll = 1; poll <= run.polls; ++poll) {
    const Sample sample = plant.poll(poll < run.fails_from || poll >= run.fails_to);
    if (poll >= run.lost_from && poll < run.lost_to) continue;
    must(recorder->begin_tick());
    must(recorder->add_sample(info.id, sample));
    for (const Actuation& report : std::exchange(reports, {})) {
      engine->report(report);
      must(recorder->add_actuation(info.id, sample.sequence, report));
    }
    const Step step = engine->step(sample);
    must(recorder->add_indicators(info.id, sample.sequence, step.indicators));
    for (const AlertChange& alert : step.alerts) {
      lines.push_back(trace::alert_line(sample.at.wall, info.name, alert));
      must(recorder->add_alert(info.id, sample.sequence, alert));
    }
    for (const Outcome& outcome : step.outcomes) {
      lines.push_back(trace::outcome_line(sample.at.wall, info.name, outcome));
      must(recorder->add_outcome(info.id, sample.sequence, outcome));
    }
    for (Decision decision : step.decisions) {
      lines.push_back(trace::decision_line(sample.at.wall, info.name, decision, run.mode));
      const bool allowed = decision.verdict.kind == VerdictKind::kAllowed ||
                           decision.verdict.kind == VerdictKind::kClamped;
      if (allowed && run.mode == "act") reports.push_back(plant.apply(decision));
      if (allowed && run.mode != "act") {
        reports.push_back(
            {decision.id, "advised", "", decision.proposal.from, decision.proposal.from});
      }
      if (poll == run.forged_poll) decision.proposal.reason = "forged";
      must(recorder->add_decision(info.id, sample.sequence, decision));
    }
    if (poll == 2) {
      must(recorder->add_database_event(
          info.id, sample.sequence, {"4711-1", 9, sample.at, "missed", "", {{"events", 8}}, {}}));
    }
    must(recorder->commit());
  }
  return lines;
}

}  // namespace rocktune::tools::test
