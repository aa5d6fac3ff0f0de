// The directory of a comparison: which runs it has, and what they were made with, so that a later
// call goes on where this one stopped - and refuses to mix runs that cannot be compared.
//
//   DIR/comparison.json     what all runs share: scenario, programs, machine, seed
//   DIR/runs/               one file per run (finished_run.h); partial ones say so in their name
//   DIR/trials/             logs, alert logs and traces, by run
//   DIR/search.json         how best-static was found
//   DIR/loaded-*/           the database that every run copies
//
// One process at a time works in it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/compare/finished_run.h"
#include "bench/trial/directory_lock.h"
#include "model/result.h"

namespace rocktune::bench {

class CompareDirectory {
 public:
  // Creates it when missing. An Error when another process works in it, it holds something else, or
  // its runs were made with something other than `shared` says (each difference is named).
  static Result<CompareDirectory> open(const std::string& path, const nlohmann::json& shared);
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] bool has(const std::string& policy, std::int64_t repeat) const;
  // Every run, partial ones too, in the order in which they were made.
  [[nodiscard]] Result<std::vector<FinishedRun>> runs() const;
  // Gives the run its number in the order.
  Result<void> add(FinishedRun run);
  // A fresh place for a trial's files; what an earlier one of that name left is removed.
  Result<std::string> trial_directory(const std::string& name) const;
  // Replaces the file whole or not at all.
  Result<void> write(const std::string& name, const std::string& text) const;

 private:
  CompareDirectory(std::string path, DirectoryLock lock)
      : path_(std::move(path)), lock_(std::move(lock)) {}
  std::string path_;
  DirectoryLock lock_;
};

// Every run that such a directory has, as CompareDirectory::runs(), without taking it.
Result<std::vector<FinishedRun>> finished_runs(const std::string& directory);

// What differs between the two, for people: "the scenario's text", "the programs". Pure.
std::vector<std::string> differences(const nlohmann::json& before, const nlohmann::json& now);

}  // namespace rocktune::bench
