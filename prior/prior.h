// The prior: what the heads of the early warnings begin with, as a YAML file. `rocktune train`
// writes one; one is built in (etc/model.yaml); rocktuned saves what it learnt of each database in
// the same form. Weights stand by the name of their input, so that a person can read which one
// weighs what. docs/train.md describes the format.
//
// What write_prior() writes, read_prior() reads back exactly. Thread-safe: no state.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/replace_file.h"
#include "model/heads/learnt.h"
#include "model/indicators.h"
#include "model/result.h"

namespace rocktune {

// One database of one trace that was learnt from.
struct TrainedOn {
  std::string trace;
  std::uint64_t seconds = 0;              // between its first and its last sample
  std::array<std::uint64_t, 3> onsets{};  // by IndicatorKind
  bool operator==(const TrainedOn&) const = default;
};

// One line of the walk-forward score (docs/score.md) of what was trained.
struct PriorScore {
  IndicatorKind kind = IndicatorKind::kP99;
  std::uint64_t horizon_seconds = 0;
  std::string detector;  // as `rocktune score` calls it
  std::uint64_t events = 0;
  std::optional<double> false_alarms_per_hour, recall_10, recall_20, brier_skill;
  bool operator==(const PriorScore&) const = default;
};

// Where it comes from.
struct PriorNotes {
  std::string made_by;   // the command, for people
  std::string database;  // saved state only: the path of the database that it was learnt from
  std::vector<TrainedOn> trained_on;
  std::vector<PriorScore> scored;
  bool operator==(const PriorNotes&) const = default;
};

struct Prior {
  PriorNotes notes;
  Learnt learnt;
  bool operator==(const Prior&) const = default;
};

// No file is larger: one is about 80 kB, and a line for each trace.
inline constexpr std::size_t kLargestPriorFile = std::size_t{4} << 20;

// What to do about a file that does not fit, whatever is wrong with it; it ends its error.
inline constexpr const char* kTrainAnew = "; make the file anew with `rocktune train`";

// `name` is what errors call the text. Errors are one sentence, "NAME:line:column: what, what to
// do": broken YAML, another version, an input that is unknown, missing or given twice, a number
// that is none or out of range.
Result<Prior> parse_prior(std::string_view text, const std::string& name,
                          const std::string& remedy = kTrainAnew);
std::string prior_text(const Prior& prior);
// Whether it begins as a file of prior_text(), of whatever version, whole or not.
bool is_prior_text(std::string_view text);

Result<Prior> read_prior(const std::string& path, const std::string& remedy = kTrainAnew);
// Whole or not at all, as replace_file().
Result<void> write_prior(const std::string& path, const Prior& prior, Sync sync = Sync::kYes);

// The one that is shipped; etc/model.yaml is its only source. An error where that was not made anew
// after the heads' inputs had changed; a test sees to it.
const Result<Prior>& builtin_prior();

inline constexpr std::string_view kBuiltinPrior = "builtin", kNoPrior = "none";
// As a configuration or a command line names it: "builtin", "none" (null: nothing learnt) or the
// path of a file.
Result<std::shared_ptr<const Learnt>> choose_prior(const std::string& choice);

}  // namespace rocktune
