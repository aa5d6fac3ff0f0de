#include "tools/sweep_run.h"

#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "tools/sweep_unit.h"

namespace rocktune::tools {
namespace {

// A run in memory: read by the first of its units that comes to it, the others wait for that.
struct SharedRun {
  std::mutex reading;
  std::optional<Result<PreparedRun>> prepared;
};

class SweepWorkers {
 public:
  SweepWorkers(const SweepPlan& plan, const std::vector<SweepUnit>& units, const SweepHooks& hooks)
      : plan_(plan), units_(units), hooks_(hooks) {}

  void work() {
    while (const auto claim = claim_next()) {
      store(*claim->unit, figures_of(*claim->unit, *claim->run));
    }
  }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  struct Claim {
    const SweepUnit* unit;
    std::shared_ptr<SharedRun> run;
  };

  std::optional<Claim> claim_next() {
    const std::scoped_lock lock(mutex_);
    if (error_ || next_ == units_.size() || hooks_.stopped()) return std::nullopt;
    const SweepUnit& unit = units_[next_++];
    if (!current_ || plan_.run_of(unit.index) != current_index_) {
      current_ = std::make_shared<SharedRun>();  // the one before goes with its last worker
      current_index_ = plan_.run_of(unit.index);
    }
    return Claim{&unit, current_};
  }

  Result<trace::Json> figures_of(const SweepUnit& unit, SharedRun& run) const {
    try {
      {
        const std::scoped_lock lock(run.reading);
        if (!run.prepared) {
          run.prepared = prepare_run(plan_.grid(), plan_.runs()[plan_.run_of(unit.index)]);
        }
      }
      if (!*run.prepared) return tl::unexpected(run.prepared->error());
      return unit_figures(plan_, unit, **run.prepared);
    } catch (const std::exception& problem) {
      return fail(ErrorCode::kIo, std::string("unexpected: ") + problem.what());
    }
  }

  void store(const SweepUnit& unit, const Result<trace::Json>& figures) {
    const std::string line = sweep_line(plan_, unit, figures);
    const std::scoped_lock lock(mutex_);
    if (error_) return;
    if (auto stored = hooks_.store(unit, line, !figures); !stored) error_ = stored.error();
  }

  const SweepPlan& plan_;
  const std::vector<SweepUnit>& units_;
  const SweepHooks& hooks_;
  std::mutex mutex_;  // of all below
  std::size_t next_ = 0;
  std::shared_ptr<SharedRun> current_;  // of the latest claim
  std::size_t current_index_ = 0;
  std::optional<Error> error_;
};

}  // namespace

Result<void> run_units(const SweepPlan& plan, const std::vector<SweepUnit>& units, std::size_t jobs,
                       const SweepHooks& hooks) {
  SweepWorkers workers(plan, units, hooks);
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < jobs && i < units.size(); ++i) {
      threads.emplace_back([&workers] { workers.work(); });
    }
    workers.work();
  }
  if (workers.error()) return tl::unexpected(*workers.error());
  return {};
}

}  // namespace rocktune::tools
