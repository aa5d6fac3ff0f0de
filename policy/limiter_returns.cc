// The limiter's loop, its ways back where nobody waits: of what was raised for a backlog, and of
// what was lowered for the reads of others.
#include <algorithm>
#include <cmath>

#include "model/text.h"
#include "policy/headroom.h"
#include "policy/limiter_terms.h"

namespace rocktune {
namespace {

// What was raised above the limit that was found goes back after so long without any backlog, as
// jobs and buffers do; no lower than what compactions that come in bursts need.
constexpr double kReturnSeconds = 300;
constexpr double kReturnEvaluationSeconds = 60;

}  // namespace

// What was for others' sake, and of which a division of the device has let only a part go back.
std::optional<Proposal> LimiterLoop::go_back(const Situation& situation,
                                             const KnobReading& reading) const {
  if (!returns_ || !paced_from_ || asked_to_smooth(situation)) return std::nullopt;
  const auto& shared = situation.features.shared;
  const double most = shared && shared->background_max_bytes_per_second
                          ? static_cast<double>(*shared->background_max_bytes_per_second)
                          : static_cast<double>(kUnlimitedBytesPerSecond);
  if (most * (1 - kLimiterDeadBand) <= static_cast<double>(reading.value)) return std::nullopt;
  Proposal out = propose(reading, std::max(*paced_from_, reading.found), "limiter.worked_off");
  out.reason = "what reads on this device waited for is gone, and the rate limit of " +
               shown_rate(reading.value) + " was for them";
  out.expected = no_more_stalls(situation, kLimiterEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

// A limit that was found protects something that is not seen here: a raise is for a backlog.
std::optional<Proposal> LimiterLoop::give_back(const Situation& situation,
                                               const KnobReading& reading) const {
  const bool calm = situation.comfortable_seconds >= kReturnSeconds && !situation.binding;
  if (!is_raised(reading) || !calm || rests(situation.now, Side::kReads)) return std::nullopt;
  const double margin = std::max(kPaceMargin, params_.limiter_need_margin);
  const double need = need_peak_.largest(situation);
  const double to = std::max(static_cast<double>(reading.found), std::ceil(need * margin));
  // In halves, so that a need that moves a little moves nothing; the last step to what was found.
  const auto found = static_cast<double>(reading.found), rate = static_cast<double>(reading.value);
  const double least = to > found ? kLeastSpread * to : to / (1 - kLimiterDeadBand);
  if (rate < least) return std::nullopt;
  Proposal out = propose(reading, static_cast<std::int64_t>(to), "limiter.returned");
  out.reason = "no backlog for " + text::duration(situation.comfortable_seconds) +
               ", and the limit of " + shown_rate(reading.found) + " was raised for one";
  if (need > 0) out.reason += ": " + text::rate(need) + " is needed at most";
  out.expected = no_more_stalls(situation, kReturnEvaluationSeconds);
  out.evidence = backlog_evidence(situation);
  return out;
}

}  // namespace rocktune
