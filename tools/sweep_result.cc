#include "tools/sweep_result.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "model/objective.h"
#include "sim/ensemble.h"
#include "tools/json_fields.h"
#include "tools/loop_columns.h"
#include "tools/sweep_plan.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

using trace::Json;

constexpr std::string_view kParameter = "p_";

// With all its digits: two of them are two policies.
std::string value_text(const Json& value) {
  std::string text = value.dump();
  if (text.ends_with(".0")) text.resize(text.size() - 2);
  return text;
}

std::string params_of(const Json& line) {
  std::string text;
  for (const auto& [column, value] : line.items()) {
    if (!column.starts_with(kParameter) || !value.is_number()) continue;
    text += (text.empty() ? "" : " ") + printable(column.substr(kParameter.size())) + "=" +
            value_text(value);
  }
  return text;
}

// What sim::figure_of_merit() looks at.
sim::LoopFigures merits_of(const Json& line) {
  const auto number = [&](const char* column) { return number_at(line, column).value_or(0); };
  sim::LoopFigures figures;
  figures.seconds = 1;
  figures.operations = number("operations_per_second");
  figures.reads_p99_seconds = number("read_p99_seconds");
  figures.writes_p99_seconds = number("write_p99_seconds");
  figures.stalled_seconds = number("stalled_seconds");
  figures.write_amplification = number("write_amplification");
  return figures;
}

Priority priority_of(const std::string& text) {
  for (const Priority one : kPriorities) {
    if (to_string(one) == text) return one;
  }
  return Priority::kReadP99;
}

Error no_line(const std::string& what) {
  return {ErrorCode::kCorrupt, "is not what rocktune sweep wrote: " + what};
}

// Why a unit failed; nothing where it did not.
Result<std::optional<std::string>> failure_in(const Json& line, const char* figure) {
  const auto error = line.find("error");
  if (error != line.end() && error->is_string()) return std::optional(text_at(line, "error"));
  if (error == line.end() || !error->is_null() || !number_at(line, figure)) {
    return tl::unexpected(no_line("a unit with neither figures nor an error"));
  }
  return std::optional<std::string>();
}

template <class Places>
std::size_t place_in(Places& places, const std::string& key, std::size_t next) {
  return places.emplace(key, next).first->second;
}

}  // namespace

Result<void> SweepResult::add(const Json& line) {
  if (!line.is_object() || text_at(line, "schema") != kSweepSchema) {
    return tl::unexpected(no_line("a line without the schema " + std::string(kSweepSchema)));
  }
  const std::string rung = text_at(line, "rung");
  if (rung != to_string(SweepRung::kClosedLoop) && rung != to_string(SweepRung::kOpenLoop)) {
    return tl::unexpected(no_line("a line of no rung"));
  }
  if (!rung_.empty() && rung != rung_) return tl::unexpected(no_line("lines of two rungs"));
  rung_ = rung;
  if (text_at(line, "policy").empty()) return tl::unexpected(no_line("a line without a policy"));
  const bool closed = is_closed_loop();
  const auto seed = line.find("seed");
  if (closed && (seed == line.end() || !seed->is_number_unsigned())) {
    return tl::unexpected(no_line("a simulation without a seed"));
  }
  const auto failure = failure_in(line, closed ? "operations_per_second" : "decisions");
  if (!failure) return tl::unexpected(failure.error());
  const std::size_t policy = policy_of(line), database = database_of(line);
  auto [place, added] =
      cells_[{database, policy}].try_emplace(closed ? seed->get<std::uint64_t>() : 0);
  if (!added) return tl::unexpected(no_line("the same unit twice"));
  take_figures(line, place->second);
  if (const std::string first = text_at(line, "first"); !first.empty()) {
    first_[database] = first;
    bases_[database] = {
        0,
        number_at(line, "demand_known_ratio").value_or(1),
        number_at(line, "simulated_seconds").value_or(0),
        text_at(line, "device"),
        false,
        static_cast<std::size_t>(number_at(line, "missing_neighbours").value_or(0))};
  }
  if (*failure) {
    place->second.failed = true;
    failures_.push_back({databases_[database], policies_[policy].label(), **failure});
  }
  return {};
}

void SweepResult::take_figures(const Json& line, Unit& unit) const {
  if (is_closed_loop()) {
    unit.merits = merits_of(line);
    for (const LoopColumn& column : loop_columns()) {
      unit.figures.push_back(number_at(line, column.key).value_or(0));
    }
    return;
  }
  for (const auto& [column, value] : line.items()) {
    if (value.is_number()) unit.numbers[column] = value.get<double>();
  }
}

std::size_t SweepResult::policy_of(const Json& line) {
  SweptPolicy policy{text_at(line, "policy"), params_of(line)};
  const std::size_t place = place_in(policy_places_, policy.label(), policies_.size());
  if (place == policies_.size()) policies_.push_back(std::move(policy));
  return place;
}

std::size_t SweepResult::database_of(const Json& line) {
  const std::string name = text_at(line, "trace") + ": " + text_at(line, "target");
  const std::size_t place = place_in(database_places_, name, databases_.size());
  if (place == databases_.size()) {
    databases_.push_back(name);
    first_.emplace_back();
    bases_.emplace_back();
  }
  return place;
}

bool SweepResult::is_whole(std::size_t database) const {
  const Cell* first = nullptr;
  for (std::size_t policy = 0; policy < policies_.size(); ++policy) {
    const auto found = cells_.find({database, policy});
    if (found == cells_.end()) return false;
    const Cell& cell = found->second;
    if (std::any_of(cell.begin(), cell.end(), [](const auto& one) { return one.second.failed; })) {
      return false;
    }
    if (first == nullptr) first = &cell;
    if (!std::equal(cell.begin(), cell.end(), first->begin(), first->end(),
                    [](const auto& one, const auto& other) { return one.first == other.first; })) {
      return false;
    }
  }
  return true;
}

const char* SweepResult::claims() const {
  return claims_of(is_closed_loop() ? SweepRung::kClosedLoop : SweepRung::kOpenLoop);
}

std::vector<std::size_t> SweepResult::compared() const {
  std::vector<std::size_t> out;
  for (std::size_t database = 0; database < databases_.size(); ++database) {
    if (is_whole(database)) out.push_back(database);
  }
  return out;
}

std::vector<SimulationBasis> SweepResult::bases() const {
  std::vector<SimulationBasis> out;
  for (const std::size_t database : compared()) {
    out.push_back(bases_[database]);
    out.back().seeds = cells_.at({database, 0}).size();
  }
  return out;
}

std::vector<SweepResult::Meeting> SweepResult::meetings() const {
  std::vector<Meeting> out;
  for (const std::size_t database : compared()) {
    std::vector<sim::SimulatedPolicy> policies(policies_.size());
    const std::size_t begin = out.size();
    for (std::size_t policy = 0; policy < policies_.size(); ++policy) {
      std::size_t at = begin;
      for (const auto& [seed, unit] : cells_.at({database, policy})) {
        if (at == out.size()) out.push_back({database, {}, {}});
        out[at++].figures.push_back(unit.figures);
        policies[policy].by_seed.push_back(unit.merits);
      }
    }
    const Priority first = sim::ranked_by(policies, priority_of(first_[database]));
    for (std::size_t at = begin; at < out.size(); ++at) {
      for (const auto& policy : policies) {
        out[at].merits.push_back(sim::figure_of_merit(policy.by_seed[at - begin], first));
      }
    }
  }
  return out;
}

SweepResult::Sum SweepResult::sum(std::size_t policy, const std::string& column) const {
  Sum sum;
  for (const std::size_t database : compared()) {
    const auto& numbers = cells_.at({database, policy}).begin()->second.numbers;
    const auto found = numbers.find(column);
    if (found == numbers.end()) continue;
    sum.value += found->second;
    ++sum.databases;
  }
  return sum;
}

}  // namespace rocktune::tools
