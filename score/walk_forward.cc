#include "score/walk_forward.h"

#include <algorithm>
#include <numeric>

namespace rocktune::score {
namespace {

bool any_matches(const std::vector<std::string>& patterns, const std::string& name) {
  return std::any_of(patterns.begin(), patterns.end(),
                     [&](const std::string& pattern) { return name_matches(pattern, name); });
}

Result<void> check_patterns(const std::vector<RunSpan>& runs,
                            const std::vector<std::string>& patterns, const char* option) {
  for (const std::string& pattern : patterns) {
    if (std::any_of(runs.begin(), runs.end(),
                    [&](const RunSpan& run) { return name_matches(pattern, run.name); })) {
      continue;
    }
    return fail(ErrorCode::kInvalidArgument,
                std::string(option) + " \"" + pattern + "\" is in no run's name; the first is \"" +
                    (runs.empty() ? std::string() : runs.front().name) + "\"");
  }
  return {};
}

std::vector<std::size_t> by_begin(const std::vector<RunSpan>& runs) {
  std::vector<std::size_t> order(runs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return runs[a].begin_wall < runs[b].begin_wall;
  });
  return order;
}

}  // namespace

bool name_matches(std::string_view pattern, std::string_view name) {
  std::size_t from = 0;
  while (true) {
    const auto star = pattern.find('*');
    const std::string_view part = pattern.substr(0, star);
    const auto found = name.find(part, from);
    if (found == std::string_view::npos) return false;
    if (star == std::string_view::npos) return true;
    from = found + part.size();
    pattern.remove_prefix(star + 1);
  }
}

Result<std::vector<Split>> plan(const std::vector<RunSpan>& runs, const PlanRequest& request) {
  if (auto good = check_patterns(runs, request.train, "--train"); !good) {
    return tl::unexpected(good.error());
  }
  if (auto good = check_patterns(runs, request.hold_out, "--hold-out"); !good) {
    return tl::unexpected(good.error());
  }
  const auto trains = [&](std::size_t i) {
    if (any_matches(request.hold_out, runs[i].name)) return false;
    return request.train.empty() || any_matches(request.train, runs[i].name);
  };
  const auto is_scored = [&](std::size_t i) {
    if (!request.train.empty() && any_matches(request.train, runs[i].name)) return false;
    return request.hold_out.empty() || any_matches(request.hold_out, runs[i].name);
  };
  const std::vector<std::size_t> order = by_begin(runs);
  std::vector<Split> candidates;
  for (const std::size_t i : order) {
    if (!is_scored(i)) continue;
    Split split{i, {}};
    for (const std::size_t other : order) {
      const bool earlier = !request.train.empty() || runs[other].end_wall <= runs[i].begin_wall;
      if (other != i && earlier && trains(other)) split.training.push_back(other);
    }
    candidates.push_back(std::move(split));
  }
  if (candidates.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "no run is left to score: --train and --hold-out take them all");
  }
  std::vector<Split> splits;
  std::copy_if(candidates.begin(), candidates.end(), std::back_inserter(splits),
               [](const Split& split) { return !split.training.empty(); });
  if (!splits.empty()) return splits;
  if (!request.train.empty() || !request.hold_out.empty()) {
    return fail(ErrorCode::kInvalidArgument,
                "no run is left to choose thresholds on: --hold-out leaves none that is earlier "
                "than those to score");
  }
  return candidates;
}

}  // namespace rocktune::score
