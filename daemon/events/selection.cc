#include "daemon/events/selection.h"

#include <algorithm>
#include <utility>

namespace rocktune::daemon {
namespace {

enum class Weight { kAlways, kOrdinary, kBounded };

Weight weight_of(const DatabaseEvent& event) {
  const std::string& kind = event.kind;
  if (kind.ends_with("_begin") || kind.ends_with("_end")) return Weight::kOrdinary;  // jobs
  if (kind == event::kChange) {
    const auto why = event.words.find("why");
    return why != event.words.end() && why->second == "request" ? Weight::kOrdinary
                                                                : Weight::kAlways;
  }
  const bool rare =
      kind == event::kBackgroundError || kind == event::kErrorRecovery || kind == event::kMissed;
  return rare ? Weight::kAlways : Weight::kBounded;  // stalls, and kinds that are not known here
}

}  // namespace

bool EventSelection::within_rate(Nanoseconds tick) {
  const double passed = seconds_between(filled_at_.value_or(tick), tick);
  const double one_every = std::chrono::duration<double>(kThenOneEvery).count();
  allowance_ = std::min(kMostInARow, allowance_ + std::max(0.0, passed) / one_every);
  filled_at_ = tick;
  if (allowance_ < 1) return false;
  allowance_ -= 1;
  return true;
}

void EventSelection::add(DatabaseEvent event) {
  const Weight weight = weight_of(event);
  if (!all_ && weight == Weight::kOrdinary) return;
  if (!all_ && weight == Weight::kBounded && !within_rate(event.at.tick)) {
    if (!skipped_ || skipped_->incarnation != event.incarnation) {
      end_skipped();
      skipped_ = DatabaseEvent{event.incarnation, 0, {}, std::string(event::kSkipped), "", {}, {}};
    }
    skipped_->number = event.number;
    skipped_->at = event.at;
    ++skipped_->numbers["events"];
    return;
  }
  end_skipped();
  selected_.push_back(std::move(event));
}

void EventSelection::end_skipped() {
  if (skipped_) selected_.push_back(*std::exchange(skipped_, std::nullopt));
}

std::vector<DatabaseEvent> EventSelection::take(bool last) {
  if (last) end_skipped();
  return std::exchange(selected_, {});
}

}  // namespace rocktune::daemon
