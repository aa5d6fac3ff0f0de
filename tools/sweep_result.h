// SweepResult: what the lines of a sweep's result say, by database, policy and seed: what its text
// and its page are made of. Databases are compared where every policy came through with the same
// seeds. A kilobyte at most is kept of each line. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "model/result.h"
#include "sim/loop.h"
#include "tools/doubts.h"
#include "trace/json_text.h"

namespace rocktune::tools {

struct SweptPolicy {
  std::string name, params;  // "headroom", "limiter_raise_factor=1.5 ..."; empty: none were swept
  [[nodiscard]] std::string label() const { return params.empty() ? name : name + " " + params; }
};

class SweepResult {
 public:
  using Figures = std::vector<double>;  // as loop_columns() has them

  // The policies as they met in one database and seed, in the order of policies().
  struct Meeting {
    std::size_t database = 0;
    std::vector<Figures> figures;
    std::vector<double> merits;  // by what the database's objective puts first: lower is better
  };
  struct Failure {
    std::string database, policy, error;
  };

  // The next line. Errors: kCorrupt for what is no line of a sweep, for one of another rung than
  // those before it, and for a unit that was added before.
  Result<void> add(const trace::Json& line);

  [[nodiscard]] bool is_closed_loop() const { return rung_ == "closed_loop"; }
  // What its rung can and cannot claim.
  [[nodiscard]] const char* claims() const;
  // In the order in which they were met first.
  [[nodiscard]] const std::vector<SweptPolicy>& policies() const { return policies_; }
  [[nodiscard]] const std::vector<std::string>& databases() const { return databases_; }
  [[nodiscard]] const std::vector<Failure>& failures() const { return failures_; }
  // Those that are compared.
  [[nodiscard]] std::vector<std::size_t> compared() const;

  // Closed loop: of each database that is compared.
  [[nodiscard]] std::vector<SimulationBasis> bases() const;
  // Closed loop: database by database, seed by seed.
  [[nodiscard]] std::vector<Meeting> meetings() const;
  // Open loop: of a column, over the databases that are compared and have it.
  struct Sum {
    double value = 0;
    std::size_t databases = 0;
  };
  [[nodiscard]] Sum sum(std::size_t policy, const std::string& column) const;

 private:
  struct Unit {
    bool failed = false;
    sim::LoopFigures merits;                // closed loop: what sim::figure_of_merit() looks at
    Figures figures;                        // closed loop
    std::map<std::string, double> numbers;  // open loop, by column
  };
  using Cell = std::map<std::uint64_t, Unit>;  // by seed; open loop: 0

  void take_figures(const trace::Json& line, Unit& unit) const;
  std::size_t policy_of(const trace::Json& line);
  std::size_t database_of(const trace::Json& line);
  [[nodiscard]] bool is_whole(std::size_t database) const;

  std::string rung_;
  std::vector<SweptPolicy> policies_;
  std::map<std::string, std::size_t> policy_places_, database_places_;
  std::vector<std::string> databases_, first_;                 // by database
  std::vector<SimulationBasis> bases_;                         // ..., without the seeds
  std::map<std::pair<std::size_t, std::size_t>, Cell> cells_;  // by database and policy
  std::vector<Failure> failures_;
};

}  // namespace rocktune::tools
