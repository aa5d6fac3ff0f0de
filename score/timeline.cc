#include "score/timeline.h"

#include <algorithm>

namespace rocktune::score {
namespace {

template <class Series, class Known>
void fill(Series& series, Known&& known) {
  std::size_t next = 0;  // the first second that is not looked at yet
  while (next < series.size()) {
    if (known(series[next])) {
      ++next;
      continue;
    }
    std::size_t end = next;
    while (end < series.size() && !known(series[end])) ++end;
    if (next > 0 && end - next <= kLongestHoleSeconds) {
      std::fill(series.begin() + static_cast<std::ptrdiff_t>(next),
                series.begin() + static_cast<std::ptrdiff_t>(end), series[next - 1]);
    }
    next = end;
  }
}

}  // namespace

void fill_holes(Conditions& conditions) {
  fill(conditions, [](Condition condition) { return condition != Condition::kUnknown; });
}

void fill_holes(Scores& scores) {
  fill(scores, has_score);
}

std::size_t known_seconds(const Conditions& conditions) {
  return static_cast<std::size_t>(
      std::count_if(conditions.begin(), conditions.end(),
                    [](Condition condition) { return condition != Condition::kUnknown; }));
}

}  // namespace rocktune::score
