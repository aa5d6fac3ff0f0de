#include "policy/headroom.h"

#include <array>
#include <utility>

#include "policy/buffers_loop.h"
#include "policy/filter_loop.h"
#include "policy/flow_loop.h"
#include "policy/l0_room_loop.h"
#include "policy/l0_trigger_loop.h"
#include "policy/level_base_loop.h"
#include "policy/peace.h"
#include "policy/shape_loop.h"
#include "policy/smoothing_aids.h"
#include "policy/soft_limits_loop.h"
#include "policy/write_size_loop.h"

namespace rocktune {
namespace {

// How long after the last raise of limiter or jobs that may still show what it does, and how long
// the others wait for such raises at most: a guard may hold them for ever.
constexpr double kReliefShowsSeconds = 5, kReliefWaitsSeconds = 20;
// How long the end of a deferral may be wished for before it is no reason to wait either.
constexpr double kDeferralEndsSeconds = 10;

class Headroom : public Policy {
 public:
  explicit Headroom(const HeadroomParams& params)
      : params_(params), limiter_(params), jobs_(params), cache_(params) {}

  [[nodiscard]] std::vector<Proposal> decide(const PolicyInput& input) override {
    if (input.features.reset) *this = Headroom(params_);
    // Without a reading there is nothing to change from, and no knob to see; nor does it say that
    // what has held for long holds no more.
    if (!input.features.fresh) return {};
    Situation situation = observer_.observe(input);
    std::vector<Proposal> out;
    auto add = [&out](std::optional<Proposal> proposal) {
      if (proposal) out.push_back(*std::move(proposal));
    };
    merges_.observe(input.features);
    peace_.observe(situation);
    situation.settling = peace_.settles(shape_.measures());
    situation.changed = peace_.changed();
    std::optional<Proposal> limiter = limiter_.decide(situation);
    const bool raises = limiter_.pauses() || (limiter && limiter->to > limiter->from);
    const double ending = ends_deferral_.update(raises && limiter_.defers(), situation.now);
    situation.deferred = limiter_.defers() && ending < kDeferralEndsSeconds;
    situation.smoothed = limiter_.smooths();
    situation.workers_help = situation.workers_help && !situation.deferred;
    add(std::move(limiter));
    for (Proposal& aid : aid_smoothing(situation)) add(std::move(aid));
    std::optional<Proposal> jobs = jobs_.decide(situation, raises);
    wait_for_relief(situation, raises || (jobs && jobs->to > jobs->from));
    add(std::move(jobs));
    add(subcompactions_.decide(situation));
    add(flow_.decide(situation));
    for (auto& limit : decide_level0_limits(situation)) add(std::move(limit));
    add(write_size_.decide(situation));
    add(l0_trigger_.decide(situation, merges_));
    std::optional<Proposal> buffers = buffers_.decide(situation, merges_);
    std::optional<Proposal> cache = cache_.decide(situation, buffers_.claims_memory());
    // One proposal for each knob: short memory goes before a trade, a trade before growth.
    if (buffers && cache && buffers->knob == cache->knob) {
      const bool short_of_memory = cache->to < cache->from;
      (short_of_memory ? buffers : cache).reset();
    }
    add(std::move(buffers));
    add(std::move(cache));
    add(filter_.decide(situation, merges_));
    std::optional<Proposal> base = level_base_.decide(situation, merges_);
    std::optional<Proposal> shape = shape_.decide(situation);
    // One proposal for each knob: the tree follows level 0 before anything is tried with it, but
    // not before what was tried in vain is taken back. A debt goes before both.
    if (base && shape && same_knob(*base, *shape)) {
      const bool undo = shape->rule == "shape.undo" && base->rule != "level_base.debt";
      (undo ? base : shape).reset();
      if (!undo) shape_.give_way();
    }
    add(std::move(base));
    add(std::move(shape));
    peace_.leave_one_try(out);
    return out;
  }

 private:
  // One proposal for each knob: a delay that begins too late gets no room.
  std::array<std::optional<Proposal>, 2> decide_level0_limits(const Situation& situation) {
    std::optional<Proposal> soft_limit = soft_limits_.decide(situation);
    std::optional<Proposal> room = l0_room_.decide(situation, merges_);
    if (soft_limit && room && same_knob(*soft_limit, *room)) room.reset();
    return {std::move(soft_limit), std::move(room)};
  }

  void wait_for_relief(Situation& situation, bool raises) {
    // A limiter that goes back up because it gained reads nothing relieves nobody.
    if (raises && (situation.trouble || situation.piling)) relief_at_ = situation.now;
    const bool comes = within(relief_at_, situation.now, kReliefShowsSeconds);
    // Until the trouble is over: wishes that come and go do not begin the wait anew.
    const bool relieving = comes || (waits_ && situation.trouble);
    waits_ = relieving;
    const double waited = relieving_.update(relieving, situation.now);
    situation.relief_comes = comes && waited < kReliefWaitsSeconds;
  }

  HeadroomParams params_;
  Observer observer_;
  Peace peace_;
  std::optional<Nanoseconds> relief_at_;  // the last wish for more
  Held relieving_, ends_deferral_;
  bool waits_ = false;
  LimiterLoop limiter_;
  JobsLoop jobs_;
  SubcompactionsLoop subcompactions_;
  FlowLoop flow_;
  SoftLimitsLoop soft_limits_;
  L0RoomLoop l0_room_;
  WriteSizeLoop write_size_;
  Level0Merges merges_;
  L0TriggerLoop l0_trigger_;
  LevelBaseLoop level_base_;
  BuffersLoop buffers_;
  CacheLoop cache_;
  FilterLoop filter_;
  ShapeLoop shape_;
};

}  // namespace

std::unique_ptr<Policy> make_headroom(const HeadroomParams& params) {
  return std::make_unique<Headroom>(params);
}

}  // namespace rocktune
