#include "tools/sweep_run.h"

#include <cstdint>
#include <exception>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>

#include "tools/sweep_unit.h"

namespace rocktune::tools {
namespace {

// Units that are one simulation, or one replay.
using Batch = std::vector<SweepUnit>;

// In the order of the runs that they need.
std::vector<Batch> batches_of(const SweepPlan& plan, const std::vector<SweepUnit>& units) {
  using Place = std::tuple<std::size_t, std::size_t, std::uint64_t>;
  std::map<Place, Batch> by_place;
  for (const SweepUnit& unit : units) {
    const Place place(plan.runs_with(unit.index).front(), plan.policy_of(unit.index),
                      plan.seed_of(unit.index));
    by_place[place].push_back(unit);
  }
  std::vector<Batch> batches;
  batches.reserve(by_place.size());
  for (auto& [place, batch] : by_place) batches.push_back(std::move(batch));
  return batches;
}

// Runs in memory: read by the first of their batches that comes to them, the others wait for that.
struct SharedRuns {
  std::mutex reading;
  std::optional<PreparedRuns> prepared;
};

class SweepWorkers {
 public:
  SweepWorkers(const SweepPlan& plan, const std::vector<Batch>& batches, const SweepHooks& hooks)
      : plan_(plan), batches_(batches), hooks_(hooks) {}

  void work() {
    while (const auto claim = claim_next()) {
      store(*claim->batch, figures_of(*claim->batch, *claim->runs));
    }
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  struct Claim {
    const Batch* batch;
    std::shared_ptr<SharedRuns> runs;
  };

  std::optional<Claim> claim_next() {
    const std::scoped_lock lock(mutex_);
    if (error_ || next_ == batches_.size() || hooks_.stopped()) return std::nullopt;
    const Batch& batch = batches_[next_++];
    const std::size_t first = plan_.runs_with(batch.front().index).front();
    if (!current_ || first != current_first_) {
      current_ = std::make_shared<SharedRuns>();  // those before go with their last worker
      current_first_ = first;
    }
    return Claim{&batch, current_};
  }

  std::vector<Result<trace::Json>> figures_of(const Batch& batch, SharedRuns& runs) const {
    try {
      {
        const std::scoped_lock lock(runs.reading);
        if (!runs.prepared) {
          runs.prepared = prepare_runs(plan_, plan_.runs_with(batch.front().index));
        }
      }
      return unit_figures(plan_, batch, *runs.prepared);
    } catch (const std::exception& thrown) {
      const Result<trace::Json> failed =
          fail(ErrorCode::kIo, std::string("unexpected: ") + thrown.what());
      return std::vector<Result<trace::Json>>(batch.size(), failed);
    }
  }

  void store(const Batch& batch, const std::vector<Result<trace::Json>>& figures) {
    for (std::size_t i = 0; i < batch.size(); ++i) {
      const std::string line = sweep_line(plan_, batch[i], figures[i]);
      const std::scoped_lock lock(mutex_);
      if (error_) return;
      auto stored = hooks_.store(batch[i], line, !figures[i]);
      if (!stored) error_ = stored.error();
    }
  }

  const SweepPlan& plan_;
  const std::vector<Batch>& batches_;
  const SweepHooks& hooks_;
  std::mutex mutex_;  // of all below
  std::size_t next_ = 0;
  std::shared_ptr<SharedRuns> current_;  // of the latest claim
  std::size_t current_first_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<void> run_units(const SweepPlan& plan, const std::vector<SweepUnit>& units, std::size_t jobs,
                       const SweepHooks& hooks) {
  const std::vector<Batch> batches = batches_of(plan, units);
  SweepWorkers workers(plan, batches, hooks);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < jobs && i < batches.size(); ++i) {
      threads.emplace_back([&workers] { workers.work(); });
    }
    workers.work();
  }
  if (workers.error()) return tl::unexpected(*workers.error());
  return {};
}

}  // namespace rocktune::tools
