#include "tools/sweep_plan.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <set>
#include <sstream>

#include "files/file_digest.h"
#include "model/digest.h"

namespace rocktune::tools {
namespace {

namespace fs = std::filesystem;
using trace::Json;

// By path as given: the path below the directory that all of them have in common, so that they are
// called the same wherever they are copied to together.
std::map<std::string, std::string> names_below_common(const std::vector<std::string>& traces) {
  std::map<std::string, fs::path> paths;
  for (const std::string& trace : traces) paths[trace] = fs::absolute(trace).lexically_normal();
  fs::path common = paths.begin()->second.parent_path();
  for (const auto& [trace, path] : paths) {
    const fs::path other = path.parent_path();
    const auto ends = std::mismatch(common.begin(), common.end(), other.begin(), other.end());
    fs::path shared;
    for (auto part = common.begin(); part != ends.first; ++part) shared /= *part;
    common = shared;
  }
  std::map<std::string, std::string> names;
  for (const auto& [trace, path] : paths) names[trace] = path.lexically_relative(common).string();
  return names;
}

// Of what was recorded, byte for byte, the end that is in SQLite's log included.
Result<std::string> digest_of_trace(const std::string& path) {
  auto sum = file_digest(path);
  if (!sum) return sum;
  const std::string log = path + "-wal";
  std::error_code none;  // then there is no log
  const auto size = fs::file_size(log, none);
  if (none || size == 0) return sum;
  const auto end = file_digest(log);
  return end ? Result<std::string>(*sum + *end) : end;
}

void put_source(const SimulationSource& source, std::ostream& text) {
  if (source.whole) {
    text << "whole\n";
  } else {
    text << source.calibrate_seconds << '\n';
  }
  if (!source.device) return;
  const auto put = [&](const std::optional<double>& number) {
    if (number) text << *number;
    text << '\n';
  };
  for (const auto& direction : {source.device->read, source.device->write}) {
    put(direction ? std::optional(direction->bytes_per_second) : std::nullopt);
    put(direction ? std::optional(direction->iops) : std::nullopt);
  }
  put(source.device->mixing_loss);
  put(source.device->read_await_seconds);
}

tl::unexpected<Error> bad_units(const std::string& ranges, const std::string& why) {
  return fail(ErrorCode::kInvalidArgument,
              "--units \"" + ranges + "\": " + why + "; write FROM-TO or NUMBER, with commas");
}

std::optional<std::size_t> unit_number(std::string_view digits) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
  return value;
}

}  // namespace

SweepPlan::SweepPlan(SweepGrid grid, std::vector<RecordedRun> runs,
                     const std::map<std::string, std::string>& names,
                     const std::map<std::string, std::string>& digests, std::string build)
    : grid_(std::move(grid)), build_(std::move(build)), runs_(std::move(runs)) {
  for (std::size_t i = 0; i < runs_.size(); ++i) {
    trace_names_.push_back(names.at(runs_[i].trace));
    run_identities_.push_back(identity_of(runs_[i]) + digests.at(runs_[i].trace));
    auto& together = together_.emplace_back();
    for (std::size_t other = 0; other < runs_.size(); ++other) {
      const bool simulated_with =
          grid_.rung == SweepRung::kClosedLoop && runs_[other].trace == runs_[i].trace;
      if (other == i || simulated_with) together.push_back(other);
    }
  }
}

Result<SweepPlan> SweepPlan::make(SweepGrid grid, const std::vector<std::string>& traces,
                                  std::string build) {
  auto runs = list_recorded_runs(traces);
  if (!runs) return tl::unexpected(runs.error());
  if (runs->empty()) {
    return fail(ErrorCode::kNotFound,
                "no database was read in any of these traces; rocktune trace info FILE shows what "
                "is in one");
  }
  std::map<std::string, std::string> digests;
  for (const std::string& trace : traces) {
    auto sum = digest_of_trace(trace);
    if (!sum) return tl::unexpected(sum.error().within("trace " + trace));
    digests.emplace(trace, *std::move(sum));
  }
  return SweepPlan(std::move(grid), *std::move(runs), names_below_common(traces), digests,
                   std::move(build));
}

std::size_t SweepPlan::run_of(std::size_t index) const {
  return index / grid_.seeds / grid_.policies.size();
}

std::size_t SweepPlan::policy_of(std::size_t index) const {
  return index / grid_.seeds % grid_.policies.size();
}

std::string SweepPlan::key_of(std::size_t index) const {
  std::ostringstream text;
  text.precision(17);  // every bit of a double
  text << kSweepSchema << '\n'
       << build_ << '\n'
       << to_string(grid_.rung) << '\n'
       << run_identities_[run_of(index)] << '\n'
       << grid_.policies[policy_of(index)].label << '\n';
  if (grid_.rung == SweepRung::kClosedLoop) {
    for (const std::size_t run : runs_with(index)) text << run_identities_[run] << '\n';
    put_source(grid_.source, text);
    text << seed_of(index) << '\n';
  }
  return digest(text.str());
}

std::vector<SweepUnit> SweepPlan::all() const {
  std::vector<SweepUnit> units;
  units.reserve(size());
  for (std::size_t i = 0; i < size(); ++i) units.push_back({i, i + 1, trace_names_[run_of(i)]});
  return units;
}

Result<std::vector<SweepUnit>> SweepPlan::numbered(const std::string& ranges) const {
  std::set<std::size_t> numbers;
  std::istringstream parts(ranges + ",");
  for (std::string part; std::getline(parts, part, ',');) {
    const std::size_t dash = part.find('-');
    const auto from = unit_number(std::string_view(part).substr(0, dash));
    const auto to =
        dash == std::string::npos ? from : unit_number(std::string_view(part).substr(dash + 1));
    if (!from || !to) return bad_units(ranges, "\"" + part + "\" is no range of units");
    if (*from < 1 || *from > *to || *to > size()) {
      return bad_units(ranges, "\"" + part + "\" does not lie in 1-" + std::to_string(size()));
    }
    for (std::size_t number = *from; number <= *to; ++number) numbers.insert(number);
  }
  std::vector<SweepUnit> units;
  units.reserve(numbers.size());
  for (const std::size_t number : numbers) {
    units.push_back({number - 1, number, trace_names_[run_of(number - 1)]});
  }
  return units;
}

Result<std::vector<SweepUnit>> SweepPlan::listed(const std::string& lines) const {
  std::map<std::string, std::size_t> by_key;
  for (std::size_t i = 0; i < size(); ++i) by_key.emplace(key_of(i), i);
  std::map<std::size_t, SweepUnit> units;  // by number
  std::istringstream stream(lines);
  for (std::string line; std::getline(stream, line);) {
    const Json json = Json::parse(line, nullptr, false);
    const bool named = json.is_object() && json.value("schema", Json()) == kSweepSchema &&
                       json.value("unit", Json()).is_number_unsigned() &&
                       json.value("key", Json()).is_string() &&
                       json.value("trace", Json()).is_string();
    if (!named) {
      return fail(ErrorCode::kInvalidArgument,
                  "\"" + line.substr(0, 60) + "\" is no line that --list-units printed");
    }
    const auto number = json["unit"].get<std::size_t>();
    const auto found = by_key.find(json["key"].get<std::string>());
    if (found == by_key.end()) {
      return fail(ErrorCode::kInvalidArgument,
                  "unit " + std::to_string(number) +
                      " is of another grid, other traces or another build of rocktune; list the "
                      "units anew");
    }
    units[number] = {found->second, number, json["trace"].get<std::string>()};
  }
  std::vector<SweepUnit> out;
  out.reserve(units.size());
  for (auto& [number, unit] : units) out.push_back(std::move(unit));
  return out;
}

Json SweepPlan::columns(const SweepUnit& unit) const {
  const PolicyChoice& policy = grid_.policies[policy_of(unit.index)];
  Json out{{"schema", kSweepSchema},    {"unit", unit.number},
           {"key", key_of(unit.index)}, {"rung", to_string(grid_.rung)},
           {"trace", unit.trace},       {"target", runs_[run_of(unit.index)].target_name},
           {"policy", policy.name}};
  for (const std::string& name : grid_.params) {
    const auto given = policy.params.find(name);
    out["p_" + name] = given == policy.params.end() ? Json(nullptr) : Json(given->second);
  }
  out["seed"] = grid_.rung == SweepRung::kClosedLoop ? Json(seed_of(unit.index)) : Json(nullptr);
  return out;
}

}  // namespace rocktune::tools
