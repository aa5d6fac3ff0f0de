#include "agent/control.h"

#include <algorithm>
#include <ranges>
#include <utility>

namespace rocktune::agent {
namespace {

tl::unexpected<wire::Error> error(std::string code, std::string message) {
  return tl::unexpected<wire::Error>(wire::Error{std::move(code), std::move(message)});
}

// Names come from the other side, and answers are remembered: keep them short.
std::string shown(const std::string& text) {
  constexpr std::size_t kShown = 80;
  return "'" + text.substr(0, kShown) + (text.size() > kShown ? "...'" : "'");
}

wire::Knob describe_knob(const KnobGroup& group, Knob& knob) {
  const auto reading = knob.read();
  const auto view = knob.state().observe(reading.value, reading.generation);
  const auto range = knob.range();
  wire::Knob described;
  described.name = knob.name();
  described.column_family = group.column_family();
  described.value = reading.value;
  described.found = view.found;
  described.owner = to_string(view.owner);
  described.reason = knob.why_not_changeable();
  described.changeable = described.reason.empty();
  described.min = range.min;
  described.max = range.max;
  const bool of_object = group.scope() == Scope::kLimiter || group.scope() == Scope::kCache;
  if (of_object && knob.state().users() > 1) {
    described.object = knob.state().number();
    described.databases = static_cast<std::uint64_t>(knob.state().users());
  }
  return described;
}

}  // namespace

Control::Control(std::vector<Group> groups, KnobState::Holder holder, Clock clock,
                 std::shared_ptr<EventRing> events, Log log, Clock cpu)
    : self_(holder),
      clock_(std::move(clock)),
      cpu_(std::move(cpu)),
      events_(std::move(events)),
      log_(std::move(log)) {
  for (auto& group : groups) add(std::move(group));
}

void Control::add(Group group) {
  const Group kept = group;  // longer than its lock, whoever takes it away meanwhile
  const auto changing = kept->lock();
  if (kept->retired()) return;
  for (const auto& knob : kept->knobs()) {
    const auto reading = knob->read();
    knob->state().observe(reading.value, reading.generation);
  }
  {
    const std::lock_guard lock(mutex_);
    groups_.push_back(std::move(group));
  }
  hold_what_comes(*kept);
}

std::vector<Control::Group> Control::groups() const {
  const std::lock_guard lock(mutex_);
  return groups_;
}

// A limiter is of the whole database, and so is the default column family's
// cache.
Control::Place Control::find(const std::string& name, const std::string& column_family) const {
  const std::lock_guard lock(mutex_);
  // The latest first: of two column families of one name the other one is dropped, and listed until
  // the host lets go of its handle.
  for (const auto& group : groups_ | std::views::reverse) {
    if (group->column_family() != column_family) continue;
    if (auto* const knob = group->find(name)) return {group, knob};
  }
  return {};
}

std::string Control::why_unknown(const std::string& name, const std::string& column_family) const {
  const auto in = [](const std::string& family) {
    return family.empty() ? std::string(" of the whole database")
                          : " in the column family " + shown(family);
  };
  for (const auto& group : groups()) {
    if (group->find(name) == nullptr) continue;
    return "there is no knob " + shown(name) + in(column_family) + ", but there is one" +
           in(group->column_family());
  }
  return "there is no knob " + shown(name);
}

wire::Lease Control::to_wire(const Held& held) const {
  using Seconds = std::chrono::duration<double>;
  const Seconds left = held.until - clock_();
  return {held.holder, Seconds(held.length).count(), held.on_expiry, std::max(0.0, left.count())};
}

Control::Answer<wire::Lease> Control::take_lease(const wire::Lease& request) {
  if (!(request.seconds >= 1 && request.seconds <= kMaxLeaseSeconds)) {
    return error("bad_request", "seconds: must be between 1 and 3600");
  }
  const std::lock_guard lock(mutex_);
  const auto now = clock_();
  if (lease_ && now < lease_->until && lease_->holder != request.holder) {
    return error("lease_held", shown(lease_->holder) + " holds the lease for another " +
                                   std::to_string(to_wire(*lease_).remaining_seconds.value_or(0)) +
                                   " s; stop it or wait");
  }
  // Half of what was set would be neither found nor chosen: a larger cache without the smaller
  // buffers that pay for it.
  if (under_way_ && !hold_) {
    return error("lease_held",
                 "what was set under the last lease is being returned; try again in a second");
  }
  const auto length = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(request.seconds));
  lease_ = Held{request.holder, length, request.on_expiry, now + length};
  keep_ = request.on_expiry == "keep";
  if (!hold_) returning_ = nullptr;  // the new holder adopts what is set, or waits for RocksDB
  return to_wire(*lease_);
}

void Control::renew(const std::string& holder) {
  const std::lock_guard lock(mutex_);
  const auto now = clock_();
  if (lease_ && lease_->holder == holder && now < lease_->until) {
    lease_->until = now + lease_->length;
  }
}

std::optional<wire::Lease> Control::lease() const {
  const std::lock_guard lock(mutex_);
  if (!lease_ || clock_() >= lease_->until) return std::nullopt;
  return to_wire(*lease_);
}

// Of a column family's many values only those that are not as they were found
// are worth a line.
bool Control::worth_telling(const KnobGroup& group, Knob& knob) {
  if (group.scope() != Scope::kColumnFamily) return true;
  const auto reading = knob.read();
  return knob.state().observe(reading.value, reading.generation).owner != Owner::kFound;
}

std::vector<wire::Knob> Control::describe() const {
  std::vector<wire::Knob> all;
  for (const auto& group : groups()) {
    for (const auto& knob : group->knobs()) {
      if (worth_telling(*group, *knob)) all.push_back(describe_knob(*group, *knob));
    }
  }
  return all;
}

wire::Knobs Control::catalogue() const {
  wire::Knobs all;
  for (const auto& group : groups()) {
    for (const auto& knob : group->knobs()) {
      const auto& info = knob->info();
      wire::KnobDetails details;
      details.scope = to_string(info.scope);
      details.type = info.type;
      details.unit = info.unit;
      details.special = info.special;
      details.special_means = info.special_means;
      details.relations = info.relations;
      details.cost = info.cost;
      details.side_effects = info.side_effects;
      all.knobs.push_back({describe_knob(*group, *knob), std::move(details)});
    }
  }
  return all;
}

std::optional<wire::Error> Control::refuse_holder(const std::string& holder) const {
  const std::lock_guard lock(mutex_);
  if (!lease_ || clock_() >= lease_->until) {
    return wire::Error{"no_lease", "changes need a lease: POST .../lease first"};
  }
  if (lease_->holder != holder) {
    return wire::Error{"lease_held",
                       shown(lease_->holder) + " holds the lease, not " + shown(holder)};
  }
  return std::nullopt;
}

std::optional<wire::ChangeResult> Control::remembered(const std::string& id) const {
  const std::lock_guard lock(mutex_);
  const auto it = results_.find(id);
  return it == results_.end() ? std::nullopt : std::optional(it->second);
}

void Control::remember(const wire::ChangeResult& result) {
  const std::lock_guard lock(mutex_);
  if (!results_.emplace(result.id, result).second) return;
  order_.push_back(result.id);
  while (order_.size() > kRememberedChanges) {
    results_.erase(order_.front());
    order_.pop_front();
  }
}

}  // namespace rocktune::agent
