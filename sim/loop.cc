#include "sim/loop.h"

#include <algorithm>
#include <chrono>
#include <cmath>

#include "sim/knobs.h"

namespace rocktune::sim {
namespace {

constexpr std::uint64_t kPollsPerSecond = 2;
// Of operations in a second, which come in parts here; less is none.
constexpr double kOneOperation = 0.5;

// As a bench counts it, however few there are: the P99 of fewer than a hundred is the slowest one's
// latency, which in the middle is this quantile of what they are drawn from.
bool is_above(const LatencyTotals& now, const LatencyTotals& before, double limit_seconds) {
  const LatencyTotals second = now.since(before);
  if (second.operations() < kOneOperation) return false;
  const double slowest = std::pow(0.5, 1 / second.operations());
  return second.quantile_seconds(std::min(0.99, slowest)) > limit_seconds;
}

double debt_bytes(const Plant& plant) {
  double bytes = 0;
  for (std::size_t i = 0; i < plant.families(); ++i) {
    bytes += static_cast<double>(plant.tree(i).debt_bytes());
  }
  return bytes;
}

// As a sample has it; what a step gave is to be added.
ShareMember member_of(const EngineConfig& config, const Sample& sample) {
  ShareMember member;
  member.name = sample.incarnation;
  member.device = sample.device ? sample.device->name : "";
  member.tunes = tunes(config);
  member.gives_rate = gives_rate(config);
  member.budget = config.budget;
  const auto& write = config.objective.device_capacities.write;
  if (write) member.device_at_most = config.budget.device_share * write->bytes_per_second;
  member.knobs = sample.knobs;
  if (sample.database) {
    member.memory = memory_use(sample.knobs, sample.database->column_families,
                               sample.database->write_buffer_limit_bytes);
  }
  return member;
}

}  // namespace

ClosedLoop::ClosedLoop(Host host, std::vector<Database> databases)
    : host_(std::move(host)), databases_(std::move(databases)) {}

Result<ClosedLoop> ClosedLoop::create(Host host, const std::vector<EngineConfig>& engines) {
  if (engines.size() != host.size()) {
    return fail(ErrorCode::kInvalidArgument, "each database of a host has one engine");
  }
  std::vector<Database> databases;
  for (std::size_t i = 0; i < engines.size(); ++i) {
    auto engine = Engine::create(engines[i]);
    if (!engine) return tl::unexpected(engine.error());
    const Objective& objective = engines[i].objective;
    databases.push_back({*std::move(engine),
                         Sampler(host, i),
                         engines[i],
                         {objective.read_p99_seconds, objective.write_p99_seconds},
                         {},
                         {},
                         0,
                         {},
                         {}});
  }
  return ClosedLoop(std::move(host), std::move(databases));
}

void ClosedLoop::run(double seconds) {
  const auto polls = static_cast<std::uint64_t>(std::ceil(seconds / kPollSeconds));
  for (std::uint64_t i = 0; i < polls; ++i) {
    host_.advance(kPollSeconds);
    ++polls_;
    const Sharing::Slices slices = share();
    for (std::size_t index = 0; index < databases_.size(); ++index) {
      if (host_.is_away(index)) {
        databases_[index].member.reset();
        databases_[index].sampler.close();
        continue;
      }
      if (polls_ % kPollsPerSecond == 0) end_second(index);
      poll(index, slices);
    }
  }
}

// What each may take, by what the polls before said: as the daemon's ShareGroups.
Sharing::Slices ClosedLoop::share() {
  if (databases_.size() < 2) return {};
  std::vector<ShareMember> members;
  for (const Database& database : databases_) {
    if (database.member) members.push_back(*database.member);
  }
  const auto passed =
      std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(host_.seconds()));
  return sharing_.update(Sampler::kBegin + passed, {}, host_.laws().cpus, members);
}

void ClosedLoop::poll(std::size_t index, const Sharing::Slices& slices) {
  Database& database = databases_[index];
  Sample sample = database.sampler.next(host_);
  if (const auto slice = slices.find(sample.incarnation); slice != slices.end()) {
    sample.shared = slice->second;
  }
  if (databases_.size() > 1) database.member = member_of(database.config, sample);
  const Step step = database.engine.step(std::move(sample));
  if (database.member) {
    database.member->cpus = step.features.cpus;
    database.member->demand = database.engine.demand(step);
  }
  const std::vector<Actuation> actuations = act(index, step.decisions);
  if (watch_) watch_(index, step, actuations);
  const Plant& plant = host_.plant(index);
  std::size_t files = 0;
  for (std::size_t i = 0; i < plant.families(); ++i) {
    files = std::max(files, plant.tree(i).l0_files());
  }
  database.figures.pending_bytes_most =
      std::max(database.figures.pending_bytes_most, debt_bytes(plant));
  database.figures.l0_files_most =
      std::max(database.figures.l0_files_most, static_cast<double>(files));
}

std::vector<Actuation> ClosedLoop::act(std::size_t index, const std::vector<Decision>& decisions) {
  std::vector<Actuation> actuations;
  if (decisions.empty()) return actuations;
  Plant& plant = host_.plant(index);
  PlantOptions options = plant.options();
  for (const Decision& decision : decisions) {
    ++databases_[index].figures.verdicts[std::string(to_string(decision.verdict.kind))];
    if (!may_be_applied(decision.verdict)) continue;
    actuations.push_back(apply(index, decision, options));
  }
  if (!actuations.empty()) plant.set_options(options);
  return actuations;
}

Actuation ClosedLoop::apply(std::size_t index, const Decision& decision, PlantOptions& options) {
  Database& database = databases_[index];
  const Proposal& proposal = decision.proposal;
  const std::int64_t to = decision.verdict.value;
  const bool known = set_knob(options, proposal.knob, proposal.column_family, to);
  if (known) ++database.figures.movements[proposal.knob];
  Actuation actuation{decision.id, known ? "applied" : "failed",
                      known ? "" : "the simulator has no such knob", proposal.from,
                      known ? to : proposal.from};
  database.engine.report(actuation);
  return actuation;
}

void ClosedLoop::end_second(std::size_t index) {
  Database& database = databases_[index];
  const Plant& plant = host_.plant(index);
  // Writes that are stopped have no latency until the stop ends.
  const double stopped = plant.totals().stopped_seconds - database.stopped_before;
  database.stopped_before = plant.totals().stopped_seconds;
  const SloLimits& limits = database.limits;
  const bool above =
      stopped > limits.write_p99_seconds ||
      is_above(plant.read_latency().response, database.reads_before, limits.read_p99_seconds) ||
      is_above(plant.write_latency().response, database.writes_before, limits.write_p99_seconds);
  if (above) database.figures.seconds_above_slo += 1;
  database.reads_before = plant.read_latency().response;
  database.writes_before = plant.write_latency().response;
}

LoopFigures ClosedLoop::figures(std::size_t database) const {
  LoopFigures figures = databases_.at(database).figures;
  const Plant& plant = host_.plant(database);
  const Totals& totals = plant.totals();
  figures.seconds = totals.seconds;
  figures.operations = totals.keys_read + totals.keys_written;
  if (host_.laws().device) {
    figures.reads_p99_seconds = plant.read_latency().response.quantile_seconds(0.99);
  }
  figures.writes_p99_seconds = plant.write_latency().response.quantile_seconds(0.99);
  figures.stalled_seconds = totals.delayed_seconds + totals.stopped_seconds;
  figures.writers_seconds = totals.writers_seconds;
  if (totals.user_bytes_written > 0) {
    figures.write_amplification =
        (totals.flush_bytes_written + totals.compaction_bytes_written) / totals.user_bytes_written;
  }
  figures.pending_bytes = debt_bytes(plant);
  return figures;
}

}  // namespace rocktune::sim
