#include "tools/sweep_result.h"

#include <algorithm>
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
  const std::size_t policy = policy_of(line), database = database_of(line);
  const std::string error = text_at(line, "error");
  if (!error.empty()) {
    failures_.push_back({databases_[database], policies_[policy].label(), error});
  }
  if (!is_closed_loop()) {
    for (const auto& [column, value] : line.items()) {
      if (value.is_number()) sums_[policy][column] += value.get<double>();
    }
    return {};
  }
  const auto seed = number_at(line, "seed");
  if (!seed || *seed < 0) return tl::unexpected(no_line("a simulation without a seed"));
  Simulated unit{merits_of(line), {}, !error.empty()};
  for (const LoopColumn& column : loop_columns()) {
    unit.figures.push_back(number_at(line, column.key).value_or(0));
  }
  if (const std::string first = text_at(line, "first"); !first.empty()) first_[database] = first;
  cells_[{database, policy}][static_cast<std::uint64_t>(*seed)] = std::move(unit);
  return {};
}

std::size_t SweepResult::policy_of(const Json& line) {
  SweptPolicy policy{text_at(line, "policy"), params_of(line)};
  const std::size_t place = place_in(policy_places_, policy.label(), policies_.size());
  if (place == policies_.size()) {
    policies_.push_back(std::move(policy));
    sums_.emplace_back();
  }
  return place;
}

std::size_t SweepResult::database_of(const Json& line) {
  const std::string name = text_at(line, "trace") + ": " + text_at(line, "target");
  const std::size_t place = place_in(database_places_, name, databases_.size());
  if (place == databases_.size()) {
    databases_.push_back(name);
    first_.emplace_back();
  }
  return place;
}

std::size_t SweepResult::seeds() const {
  std::size_t most = 0;
  for (const auto& [place, cell] : cells_) most = std::max(most, cell.size());
  return most;
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

std::vector<SweepResult::Meeting> SweepResult::meetings() const {
  std::vector<Meeting> out;
  for (std::size_t database = 0; database < databases_.size(); ++database) {
    if (!is_whole(database)) continue;
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

double SweepResult::sum(std::size_t policy, const std::string& column) const {
  const auto found = sums_.at(policy).find(column);
  return found == sums_.at(policy).end() ? 0 : found->second;
}

}  // namespace rocktune::tools
