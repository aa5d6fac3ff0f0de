// SweepPlan: the units of a sweep - database x policy with parameters x seed - and what tells each
// from all others. A unit is a pure function of what its key is made of, wherever it runs.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "tools/run_list.h"
#include "tools/sweep_grid.h"
#include "trace/json_text.h"

namespace rocktune::tools {

inline constexpr const char* kSweepSchema = "rocktune-sweep/1";

struct SweepUnit {
  std::size_t index = 0;   // in the plan
  std::size_t number = 0;  // in results, from 1
  std::string trace;       // below the directory that all traces have in common
};

class SweepPlan {
 public:
  // `traces` as list_recorded_runs() has them; `build` tells programs apart. Errors: its own, and
  // no run at all.
  static Result<SweepPlan> make(SweepGrid grid, const std::vector<std::string>& traces,
                                std::string build);

  [[nodiscard]] const SweepGrid& grid() const { return grid_; }
  [[nodiscard]] const std::vector<RecordedRun>& runs() const { return runs_; }
  // By run, then policy, then seed.
  [[nodiscard]] std::size_t size() const {
    return runs_.size() * grid_.policies.size() * grid_.seeds;
  }
  [[nodiscard]] std::size_t run_of(std::size_t index) const;
  [[nodiscard]] std::size_t policy_of(std::size_t index) const;
  [[nodiscard]] std::uint64_t seed_of(std::size_t index) const { return index % grid_.seeds; }
  // The runs that are read and simulated with the unit's: those of its trace, in open loop itself
  // alone. Units of the same ones, policy and seed are one simulation.
  [[nodiscard]] const std::vector<std::size_t>& runs_with(std::size_t index) const {
    return together_[run_of(index)];
  }
  // Of policy, parameters, seed, the bytes of the trace, which of its runs are simulated with it,
  // how they are calibrated, and this build of the program: the same key is the same result.
  [[nodiscard]] std::string key_of(std::size_t index) const;

  [[nodiscard]] std::vector<SweepUnit> all() const;
  // "3-5,9"; rising, each once. Errors: no such text, or a unit that is not there.
  [[nodiscard]] Result<std::vector<SweepUnit>> numbered(const std::string& ranges) const;
  // Those that these lines of --list-units name, by their keys, under the numbers and the names of
  // the traces that stand there. Errors: a line that is none, a key that is not there.
  [[nodiscard]] Result<std::vector<SweepUnit>> listed(const std::string& lines) const;

  // The columns that tell the unit: schema, unit, key, rung, trace, target, policy, p_..., seed.
  // Parameters that its policy does not have are null, and so is the seed in open loop.
  [[nodiscard]] trace::Json columns(const SweepUnit& unit) const;

 private:
  // `names` and `digests`: of the traces, by path.
  SweepPlan(SweepGrid grid, std::vector<RecordedRun> runs,
            const std::map<std::string, std::string>& names,
            const std::map<std::string, std::string>& digests, std::string build);

  SweepGrid grid_;
  std::string build_;
  std::vector<RecordedRun> runs_;
  std::vector<std::vector<std::size_t>> together_;         // by run
  std::vector<std::string> trace_names_, run_identities_;  // by run
};

}  // namespace rocktune::tools
