// An experiment's output directory: which runs are finished, where a run's files go, and what was
// asked for, so that a later call with the same question goes on where this one stopped.
//
//   DIR/experiment.json                  what was asked
//   DIR/runs/<part>/<case>/<round>/      run.json (the result), run.log
//   DIR/report.md, DIR/report.json
//   DIR/work/                            loaded databases; removed at the end
//
// One process at a time works in it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "bench/experiment/experiment.h"
#include "bench/experiment/outcome.h"
#include "bench/trial/directory_lock.h"
#include "model/result.h"

namespace rocktune::bench::experiment {

// What decides whether two runs may stand in one table; `digest` is of the experiment's text.
struct Question {
  std::string experiment;
  std::string size;  // "scaled" or "full"
  std::string digest;
  double seconds = 0;       // above 0: instead of the size's
  nlohmann::json programs;  // programs_json() and machine_json(), bench/compare/shared.h
  nlohmann::json machine;
};

class Store {
 public:
  // Creates the directory; refuses one that holds runs of another question, anything else, or that
  // another process works in.
  static Result<Store> open(const std::string& directory, const Question& question);

  [[nodiscard]] const std::string& directory() const { return directory_; }
  [[nodiscard]] std::string work() const { return directory_ + "/work"; }
  [[nodiscard]] std::string run_directory(const Part& part, const Case& one,
                                          std::int64_t round) const;
  // A complete run's result; nothing when it is missing, partial or damaged.
  [[nodiscard]] std::optional<nlohmann::json> finished(const Part& part, const Case& one,
                                                       std::int64_t round) const;
  // Removes what an unfinished run left, so that it can be made anew.
  Result<void> clear(const Part& part, const Case& one, std::int64_t round) const;
  // How many runs are there but partial.
  [[nodiscard]] std::size_t partial_runs(const Part& part) const;
  // The highest round of which any case is finished.
  [[nodiscard]] std::int64_t rounds(const Part& part) const;
  // The metrics of all finished runs up to `rounds`.
  [[nodiscard]] Figures figures(const Part& part, std::int64_t rounds) const;
  // The loaded databases are of no more use.
  void remove_work() const;

  // Replaces the file whole or not at all.
  Result<void> write(const std::string& name, const std::string& text) const;

 private:
  Store(std::string directory, DirectoryLock lock)
      : directory_(std::move(directory)), lock_(std::move(lock)) {}
  std::string directory_;
  DirectoryLock lock_;
};

// A name as a directory's: letters, digits, '.', '-' and '_' stay, all else becomes '_'.
std::string file_name(const std::string& name);

}  // namespace rocktune::bench::experiment
