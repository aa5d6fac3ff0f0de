#include "bench/report/turns.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "bench/report/result_reader.h"
#include "bench/time/rfc3339.h"

namespace rocktune::bench::report {
namespace {

// Around a run: a copy of the database, the start and the end of a daemon.
constexpr double kSecondsAroundARun = 120;

std::string began(const Run& run) {
  return text_at(run.result, "/started");
}

double length_of(const Run& run) {
  double longest = number_at(run.result, "/scenario/seconds").value_or(0);
  for (const DatabaseResult& database : databases_of(run.result)) {
    longest = std::max(longest, number_at(*database.document, "/total/seconds").value_or(0));
  }
  return longest;
}

bool in_order(std::vector<const Run*> runs) {
  std::sort(runs.begin(), runs.end(), [](const Run* a, const Run* b) {
    return std::pair(began(*a), a->repeat) < std::pair(began(*b), b->repeat);
  });
  return std::is_sorted(runs.begin(), runs.end(),
                        [](const Run* a, const Run* b) { return a->repeat < b->repeat; });
}

// Whether no repeat's runs began further apart than this.
bool together(const std::vector<const Run*>& runs, double most_seconds) {
  std::map<std::int64_t, std::pair<double, double>> begins;  // the first and the last
  for (const Run* run : runs) {
    const auto at = seconds_since_1970(began(*run));
    if (!at) continue;
    auto& [first, last] = begins.try_emplace(run->repeat, *at, *at).first->second;
    first = std::min(first, *at);
    last = std::max(last, *at);
  }
  return std::all_of(begins.begin(), begins.end(), [&](const auto& repeat) {
    return repeat.second.second - repeat.second.first <= most_seconds;
  });
}

}  // namespace

bool took_turns(const std::vector<const Run*>& runs, std::size_t policies) {
  double longest = 0;
  for (const Run* run : runs) longest = std::max(longest, length_of(*run));
  const double each = longest + kSecondsAroundARun;
  return in_order(runs) && together(runs, static_cast<double>(policies + 1) * each);
}

}  // namespace rocktune::bench::report
