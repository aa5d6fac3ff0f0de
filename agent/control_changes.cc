// What changes values: requests under the lease, their undoing, and the return
// of an expired one. Orders of single knobs: control_orders.cc.
#include <algorithm>
#include <chrono>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "agent/control.h"
#include "agent/exiting.h"
#include "agent/return_order.h"

namespace rocktune::agent {
namespace {

constexpr int kReturnAttempts = 10;
// In a tick no other batch is begun after this: of 200 ms (agent/service.cc) a quarter, for the
// sake of those who write meanwhile, and of the other databases' turns. 64 column families take two
// batches each, of up to 17 ms (docs/wire.md): they are back 9 s after the lease's end, not 26.
constexpr std::chrono::milliseconds kReturnsInTick{50};

// One batch of a request, and which of the request's changes it is made of.
struct Planned {
  Control::Group group;
  Batch batch;
  std::vector<std::size_t> places;
};

// Adds to the latest batch of the group, or to a new one if that changes the
// knob already.
void plan_change(std::vector<Planned>& plan, const Control::Group& group, Knob* knob,
                 const wire::Change& change, std::size_t place) {
  const auto latest = std::find_if(plan.rbegin(), plan.rend(),
                                   [&](const Planned& planned) { return planned.group == group; });
  const bool fits = latest != plan.rend() &&
                    std::ranges::find(latest->batch, knob, &Change::knob) == latest->batch.end();
  auto& planned = fits ? *latest : plan.emplace_back(Planned{group, {}, {}});
  planned.batch.push_back({knob, change.value, change.expect, {}, false});
  planned.places.push_back(place);
}

// Ends them in any case: values may stay for want of memory, but the host's objects must go.
struct Ending {
  const std::vector<Control::Group>& groups;
  const KnobState::Holder holder;
  const std::set<const KnobState*>& kept;  // which other groups of the database have as well
  ~Ending() {
    for (const auto& group : groups) {
      group->end();
      for (const auto& knob : group->knobs()) {
        if (!kept.contains(&knob->state())) knob->state().let_go(holder);
      }
    }
  }
};

// All of a group that `holder` has set, but for those that have one of the states in `but`.
std::vector<Knob*> held_knobs(const KnobGroup& group, KnobState::Holder holder,
                              const std::set<const KnobState*>& but) {
  std::vector<Knob*> held;
  for (const auto& knob : group.knobs()) {
    if (!knob->state().held_by(holder) || but.contains(&knob->state())) continue;
    held.push_back(knob.get());
  }
  return held;
}

bool any_deferred(const Batch& batch) {
  return std::ranges::any_of(batch, &Change::deferred);
}

// What is to be held is not waited for where it is a cache that cannot bear it: what is pinned may
// stay for ever, and until then everything else would be returned and held, too.
bool is_put_off(const KnobGroup& group, const Change& change, Wish wish) {
  return change.deferred && (wish == Wish::kTuner || group.writes_options());
}

bool not_returned(const Change& change) {
  return change.result.status == "failed" || change.result.status == "mismatch";
}

}  // namespace

Control::Answer<wire::ChangeResults> Control::apply(const wire::ChangesRequest& request) {
  if (auto refusal = refuse_holder(request.holder)) return tl::unexpected(*std::move(refusal));
  std::vector<wire::ChangeResult> results(request.changes.size());
  std::vector<Planned> plan;
  std::set<std::string_view> planned_ids;
  for (std::size_t i = 0; i < request.changes.size(); ++i) {
    const auto& change = request.changes[i];
    if (remembered(change.id) || !planned_ids.insert(change.id).second) continue;
    if (const auto [group, knob] = find(change.knob, change.column_family); knob != nullptr) {
      plan_change(plan, group, knob, change, i);
      continue;
    }
    wire::ChangeResult refused;
    refused.id = change.id;
    refused.status = "refused";
    refused.reason = why_unknown(change.knob, change.column_family);
    remember(refused);
    results[i] = std::move(refused);
  }
  // What cannot wait for RocksDB does not wait behind what can: it may be what RocksDB waits for.
  std::ranges::stable_partition(
      plan, [](const Planned& planned) { return !planned.group->writes_options(); });
  for (auto& [group, batch, places] : plan) {
    if (closing_.load(std::memory_order_relaxed)) {
      return tl::unexpected(wire::Error{"not_found", "the database closes"});
    }
    agent::apply(*group, batch, self_, request.hold ? Wish::kOperator : Wish::kTuner);
    tell(*group, batch, "request");
    for (std::size_t i = 0; i < batch.size(); ++i) {
      auto& result = batch[i].result;
      result.id = request.changes[places[i]].id;
      if (!batch[i].deferred) remember(result);
      results[places[i]] = std::move(result);
    }
  }
  for (std::size_t i = 0; i < results.size(); ++i) {  // those that were seen before
    if (!results[i].id.empty()) continue;
    const auto& id = request.changes[i].id;
    if (auto first = remembered(id)) {
      results[i] = *std::move(first);
    } else if (const auto same = std::ranges::find(results, id, &wire::ChangeResult::id);
               same != results.end()) {
      results[i] = *same;
    }
  }
  return wire::ChangeResults{std::move(results)};
}

void Control::tell(const KnobGroup& group, const Batch& batch, const char* why) {
  for (const auto& change : batch) {
    if (change.written) tell(group, change, why);
  }
}

void Control::tell(const KnobGroup& group, const Change& change, const char* why) {
  wire::Event event;
  event.kind = "change";
  event.column_family = group.column_family();
  event.numbers = {{"before", change.result.before}, {"after", change.result.after}};
  event.words = {{"knob", change.knob->name()}, {"why", why}, {"status", change.result.status}};
  if (!change.result.reason.empty()) event.words["reason"] = change.result.reason;
  events_->add(std::move(event));
}

// In the database's LOG, and as an event.
void Control::tell_return(const KnobGroup& group, const Change& change, const char* why) {
  const auto& result = change.result;
  if (result.status == "unchanged") return;
  tell(group, change, why);
  if (exiting()) return;  // what the LOG is written with may be gone
  const std::string cause = std::string_view(why) == "lease_expired" ? "the lease expired"
                            : std::string_view(why) == "restore"     ? "restore"
                                                                     : "closing";
  const std::string name = group.column_family().empty()
                               ? change.knob->name()
                               : change.knob->name() + " of " + group.column_family();
  if (result.after != result.before) {
    log_(cause + ": " + name + " returned from " + std::to_string(result.before) + " to " +
         std::to_string(result.after) + (result.reason.empty() ? "" : ", but " + result.reason));
  } else {
    log_(cause + ", but " + name + " stays " + std::to_string(result.after) + ": " + result.reason);
  }
}

// Each step of it at once. What another database still holds is given back only
// with `shared_too`.
Control::Returned Control::return_all(std::vector<Group> groups, const char* why, bool shared_too,
                                      const States& but, Wish wish) {
  Returned returned;
  while (true) {
    auto [group, knobs, relief] = next_return(groups, self_, but);
    if (!group) return returned;
    auto changes = give_back(*group, knobs, self_, shared_too, wish);
    if (any_deferred(changes)) {  // then so is the rest of its group
      changes = give_back(*group, held_knobs(*group, self_, but), self_, shared_too, wish);
      std::erase(groups, group);
    }
    for (const auto& change : changes) {
      if (!change.deferred) change.knob->state().let_go(self_);
      returned.deferred |= is_put_off(*group, change, wish);
      tell_return(*group, change, why);
      returned.results.push_back(named(*group, change));
    }
  }
}

wire::ChangeResults Control::restore(bool hold) {
  {
    const std::lock_guard lock(mutex_);
    lease_.reset();
    returning_ = "restore";  // what an exception leaves undone is for tick()
    hold_ = hold;
    // First: what comes from now on is held by add(), or among the groups below.
    hold_later_ = hold_later_ || hold;
    if (hold) released_.clear();
  }
  begin_return();
  const auto all = groups();
  const Wish wish = hold ? Wish::kOperator : Wish::kTuner;
  auto returned = return_all(all, "restore", true, {}, wish);
  wire::ChangeResults answer{std::move(returned.results)};
  for (const auto& group : all) {
    std::vector<Knob*> others;  // also what another database set in a shared object
    for (const auto& knob : group->knobs()) {
      if (!knob->why_not_changeable().empty()) continue;
      const bool done = std::ranges::any_of(answer.results, [&](const auto& result) {
        return result.id == knob->name() && result.column_family == group->column_family();
      });
      if (!done && worth_telling(*group, *knob)) others.push_back(knob.get());
    }
    for (const auto& change : give_back(*group, others, self_, true, wish)) {
      if (change.deferred) change.knob->state().hold(self_);  // so that tick() finds it
      returned.deferred |= is_put_off(*group, change, wish);
      tell_return(*group, change, "restore");
      answer.results.push_back(named(*group, change));
    }
    for (const auto& knob : group->knobs()) {
      const bool waits = returned.deferred && knob->state().held_by(self_);
      if (hold && !waits && knob->why_not_changeable().empty()) knob->state().hold_for_operator();
    }
  }
  if (!returned.deferred) {
    const std::lock_guard lock(mutex_);
    returning_ = nullptr;
    hold_ = false;
    under_way_ = false;
  }
  return answer;
}

void Control::begin_return() {
  failures_.clear();
  asked_.clear();
}

void Control::tick() {
  const char* why = nullptr;
  bool hold = false;
  {
    const std::lock_guard lock(mutex_);
    if (lease_ && clock_() >= lease_->until) {
      if (!hold_) returning_ = keep_ ? nullptr : "lease_expired";
      lease_.reset();
      begin_return();
    }
    why = returning_;
    hold = hold_;
    under_way_ = why != nullptr;
  }
  if (why == nullptr) return;
  const auto left = take_step(why, hold);
  const std::lock_guard lock(mutex_);
  under_way_ = left == Left::kMore;
  if (left != Left::kNothing) return;
  returning_ = nullptr;
  hold_ = false;
}

// What a cache has pinned is a visit to every block of a HyperClock cache.
bool Control::asked_lately(const KnobGroup& group) const {
  const auto asked = asked_.find(&group);
  return asked != asked_.end() && !asked->second.due(clock_());
}

// False: it is put off.
bool Control::return_now(KnobGroup& group, const std::vector<Knob*>& knobs, const char* why,
                         bool hold) {
  // Another database may still be tuning a shared object: then only our claim
  // on it ends.
  const Wish wish = hold ? Wish::kOperator : Wish::kTuner;
  const auto now = clock_();
  const auto begin = cpu_();
  const auto changes = give_back(group, knobs, self_, false, wish);
  bool put_off = false;
  for (const auto& change : changes) {
    if (is_put_off(group, change, wish)) {
      put_off = true;
      continue;
    }
    auto& state = change.knob->state();
    const auto name = group.column_family() + '\0' + change.knob->name();
    // Again, unless it is back all the same: RocksDB fails as well when it has taken the value
    // but could not write its OPTIONS file.
    const bool again = not_returned(change) && ++failures_[name] < kReturnAttempts;
    if (again && state.held_by(self_)) continue;
    state.let_go(self_);
    if (hold) state.hold_for_operator();
    tell_return(group, change, why);
  }
  if (put_off && !group.writes_options()) asked_[&group].spent(now, now + (cpu_() - begin));
  return !put_off;
}

// What RocksDB would keep waiting is for another tick, and what comes after it is not. So is what
// failed, and what brings another relief than the first.
Control::Left Control::take_step(const char* why, bool hold) {
  const auto until = clock_() + kReturnsInTick;
  auto left = groups();
  std::vector<Group> done;
  std::optional<Relief> relief;
  bool waits = false;
  while (true) {
    const auto step = next_return(left, self_);
    if (!step.group) break;
    const bool later = relief && (step.relief != *relief || clock_() >= until ||
                                  closing_.load(std::memory_order_relaxed));
    if (later) return Left::kMore;
    if (!asked_lately(*step.group) && return_now(*step.group, step.knobs, why, hold)) {
      relief = step.relief;
      done.push_back(step.group);
    } else {
      waits = true;
    }
    std::erase(left, step.group);
  }
  if (next_return(done, self_).group) return Left::kMore;
  return waits ? Left::kWaiting : Left::kNothing;
}

void Control::remove(const Group& group) {
  group->retire();  // first: it cannot be added any more
  States kept;      // a table factory or a cache that other column families still have
  {
    const std::lock_guard lock(mutex_);
    std::erase(groups_, group);
    for (const auto& other : groups_) {
      for (const auto& knob : other->knobs()) kept.insert(&knob->state());
    }
  }
  give_up({group}, kept);
}

bool Control::keeps() const {
  const std::lock_guard lock(mutex_);
  return keep_;
}

void Control::abandon() {
  give_up(groups(), {});
}

void Control::give_up(const std::vector<Group>& groups, const States& kept) {
  const Ending ending{groups, self_, kept};
  if (exiting()) {
    give_up_at_exit(groups, kept);
  } else if (!keeps()) {
    return_all(groups, "closing", false, kept);
  }
}

void Control::return_limits() {
  auto limits = groups();
  std::erase_if(limits, [](const Group& group) { return group->writes_options(); });
  if (!keeps()) return_all(std::move(limits), "closing", false, {});
}

void Control::return_rate() {
  auto limiters = groups();
  std::erase_if(limiters, [](const Group& group) { return group->scope() != Scope::kLimiter; });
  return_all(std::move(limiters), "closing", false, {});
}

// Options stay: RocksDB parses them with static objects of its own, which may be gone.
void Control::give_up_at_exit(std::vector<Group> groups, const States& kept) {
  std::erase_if(groups, [](const Group& group) { return group->writes_options(); });
  if (!keeps()) return_all(std::move(groups), "closing", false, kept);
}

}  // namespace rocktune::agent
