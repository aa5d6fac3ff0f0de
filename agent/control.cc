#include "agent/control.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace rocktune::agent {
namespace {

constexpr int kGiveBackAttempts = 10;

tl::unexpected<wire::Error> error(std::string code, std::string message) {
  return tl::unexpected<wire::Error>(wire::Error{std::move(code), std::move(message)});
}

std::string out_of_range(const Knob& knob, std::int64_t value) {
  const auto range = knob.range();
  if (value >= range.min && value <= range.max) return {};
  return knob.name() + " must be between " + std::to_string(range.min) + " and " +
         std::to_string(range.max) + ", not " + std::to_string(value);
}

struct Written {
  std::string failure;
  std::int64_t after = 0;
};

// Writes and reads back. What RocksDB or the host's own objects throw (no thread to be had for more
// jobs, no memory) is a failure like another: the write that was begun is ended in any case.
Written write_to(Knob& knob, std::int64_t value, std::int64_t before, KnobState::Holder holder) {
  Written written{{}, before};
  knob.state().begin_write();
  try {
    written.failure = knob.write(value);
  } catch (const std::exception& problem) {
    written.failure = std::string("RocksDB threw: ") + problem.what();
  } catch (...) {
    written.failure = "RocksDB threw what is no std::exception";
  }
  try {
    written.after = knob.read(Knob::Freshness::kFresh).value;
  } catch (...) {
    if (written.failure.empty()) written.failure = "it could not be read back";
  }
  knob.state().end_write(written.after, holder);
  return written;
}

// Names come from the other side, and answers are remembered: keep them short.
std::string shown(const std::string& text) {
  constexpr std::size_t kShown = 80;
  return "'" + text.substr(0, kShown) + (text.size() > kShown ? "...'" : "'");
}

}  // namespace

Control::Control(std::vector<std::unique_ptr<Knob>> knobs, KnobState::Holder holder, Clock clock,
                 Log log)
    : knobs_(std::move(knobs)), self_(holder), clock_(std::move(clock)), log_(std::move(log)) {
  for (const auto& knob : knobs_) {  // what is there now was found
    const auto reading = knob->read(Knob::Freshness::kFresh);
    knob->state().observe(reading.value, reading.generation);
  }
}

Knob* Control::find(const std::string& name, const std::string& column_family) const {
  if (!column_family.empty()) return nullptr;  // every knob so far is of the whole database
  for (const auto& knob : knobs_) {
    if (knob->name() == name) return knob.get();
  }
  return nullptr;
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
  const auto length = std::chrono::duration_cast<std::chrono::steady_clock::duration>(
      std::chrono::duration<double>(request.seconds));
  lease_ = Held{request.holder, length, request.on_expiry, now + length};
  keep_ = request.on_expiry == "keep";
  returning_ = false;  // the new holder adopts what is still set
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

std::vector<wire::Knob> Control::describe() const {
  std::vector<wire::Knob> all;
  all.reserve(knobs_.size());
  for (const auto& knob : knobs_) {
    const auto reading = knob->read(Knob::Freshness::kCached);
    const auto view = knob->state().observe(reading.value, reading.generation);
    const auto range = knob->range();
    wire::Knob described;
    described.name = knob->name();
    described.value = reading.value;
    described.found = view.found;
    described.owner = to_string(view.owner);
    described.reason = knob->why_not_changeable();
    described.changeable = described.reason.empty();
    described.min = range.min;
    described.max = range.max;
    all.push_back(std::move(described));
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

Control::Answer<wire::ChangeResults> Control::apply(const wire::ChangesRequest& request) {
  if (auto refusal = refuse_holder(request.holder)) return tl::unexpected(*std::move(refusal));
  wire::ChangeResults answer;
  for (const auto& change : request.changes) {
    if (closing_.load(std::memory_order_relaxed)) return error("not_found", "the database closes");
    answer.results.push_back(apply_once(change));
  }
  return answer;
}

wire::ChangeResult Control::apply_once(const wire::Change& change) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto it = results_.find(change.id); it != results_.end()) return it->second;
  }
  wire::ChangeResult result;
  if (Knob* const knob = find(change.knob, change.column_family)) {
    result = attempt(*knob, change);
  } else {
    result.status = "refused";
    result.reason =
        "there is no knob " + shown(change.knob) +
        (change.column_family.empty() ? std::string() : " of a column family; leave that empty");
  }
  result.id = change.id;
  remember(result);
  return result;
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

wire::ChangeResult Control::attempt(Knob& knob, const wire::Change& change) {
  wire::ChangeResult result;
  const auto ends = [&](const char* status, std::string reason) {
    result.status = status;
    result.reason = std::move(reason);
    return result;
  };
  const auto writes = knob.state().lock_writes();
  const auto reading = knob.read(Knob::Freshness::kFresh);
  result.before = result.after = reading.value;
  if (auto why = knob.why_not_changeable(); !why.empty()) return ends("refused", std::move(why));
  if (knob.state().observe(reading.value, reading.generation).owner == Owner::kManual) {
    return ends("conflict", "somebody else set " + knob.name() + "; release it to let rocktune");
  }
  if (change.expect && *change.expect != reading.value) {
    return ends("conflict", knob.name() + " is " + std::to_string(reading.value) + ", not " +
                                std::to_string(*change.expect));
  }
  if (auto why = out_of_range(knob, change.value); !why.empty()) {
    return ends("refused", std::move(why));
  }
  if (change.value == reading.value) {
    knob.state().hold(self_);  // if rocktune set it for another database that shares the object
    return ends("unchanged", {});
  }
  if (auto why = knob.why_refused(change.value); !why.empty()) {
    return ends("refused", std::move(why));
  }
  auto written = write_to(knob, change.value, reading.value, self_);
  result.after = written.after;
  if (!written.failure.empty()) return ends("failed", std::move(written.failure));
  if (result.after != change.value) {
    return ends("mismatch", "RocksDB took the change but reads back another value");
  }
  return ends("applied", {});
}

wire::ChangeResult Control::give_back(Knob& knob) {
  wire::ChangeResult result;
  result.id = knob.name();
  const auto writes = knob.state().lock_writes();
  const auto reading = knob.read(Knob::Freshness::kFresh);
  const auto view = knob.state().observe(reading.value, reading.generation);
  result.before = result.after = reading.value;
  result.status = "unchanged";
  if (view.owner != Owner::kRocktune) {
    if (view.owner == Owner::kManual) {
      result.status = "conflict";
      result.reason = "somebody else set it: it is left as it is";
    }
    return result;
  }
  auto written = write_to(knob, view.found, reading.value, self_);
  result.after = written.after;
  if (result.after == view.found) {
    result.status = "applied";
    return result;
  }
  const bool refused = !written.failure.empty();
  result.status = refused ? "failed" : "mismatch";
  result.reason = refused ? std::move(written.failure) : "RocksDB reads back another value";
  return result;
}

wire::ChangeResults Control::restore(bool hold) {
  {
    const std::lock_guard lock(mutex_);
    lease_.reset();
    returning_ = false;
  }
  failures_.clear();
  wire::ChangeResults answer;
  std::set<const Knob*> done;
  const auto give = [&](Knob& knob) {
    done.insert(&knob);
    answer.results.push_back(give_back(knob));
  };
  while (Knob* const knob = next_to_give_back()) {
    give(*knob);
    knob->state().let_go(self_);
  }
  for (const auto& knob : knobs_) {
    if (!knob->why_not_changeable().empty()) continue;
    if (!done.contains(knob.get())) give(*knob);
    if (hold) knob->state().make_manual();
  }
  return answer;
}

Control::Answer<wire::ChangeResults> Control::release(const wire::ReleaseRequest& request) {
  if (!request.knob.empty() && find(request.knob, request.column_family) == nullptr) {
    return error("not_found", "there is no knob " + shown(request.knob));
  }
  wire::ChangeResults answer;
  for (const auto& knob : knobs_) {
    if (!request.knob.empty() && knob->name() != request.knob) continue;
    const auto writes = knob->state().lock_writes();
    const auto value = knob->read(Knob::Freshness::kFresh).value;
    knob->state().release(value);
    answer.results.push_back({knob->name(), "applied", "", value, value});
  }
  return answer;
}

// What this database set and nobody has undone: first what a return lowers, then in table order.
Knob* Control::next_to_give_back() const {
  Knob* next = nullptr;
  for (const auto& knob : knobs_) {
    if (!knob->state().held_by(self_)) continue;
    const auto reading = knob->read(Knob::Freshness::kCached);
    const auto view = knob->state().observe(reading.value, reading.generation);
    if (view.found < reading.value) return knob.get();
    if (next == nullptr) next = knob.get();
  }
  return next;
}

void Control::tick() {
  {
    const std::lock_guard lock(mutex_);
    if (lease_ && clock_() >= lease_->until) {
      returning_ = !keep_;
      lease_.reset();
      failures_.clear();
    }
    if (!returning_) return;
  }
  Knob* const knob = next_to_give_back();
  if (knob == nullptr) {
    const std::lock_guard lock(mutex_);
    returning_ = false;
    return;
  }
  // Another database may still be tuning the shared object: then only our claim on it ends.
  if (!knob->state().let_go(self_)) return;
  const auto result = give_back(*knob);
  if (result.status == "applied") {
    log_("the lease expired: " + knob->name() + " returned from " + std::to_string(result.before) +
         " to " + std::to_string(result.after));
  } else if (result.status == "conflict") {
    log_("the lease expired: " + knob->name() + " was set by somebody else and stays " +
         std::to_string(result.after));
  } else if (result.status != "unchanged") {
    if (++failures_[knob] < kGiveBackAttempts) return knob->state().hold(self_);  // try again
    log_("the lease expired, but " + knob->name() + " could not be returned: " + result.reason);
  }
}

void Control::abandon() {
  const bool keep = [&] {
    const std::lock_guard lock(mutex_);
    return keep_;
  }();
  for (const auto& knob : knobs_) {
    if (knob->state().held_by(self_) && knob->state().let_go(self_) && !keep) give_back(*knob);
  }
}

}  // namespace rocktune::agent
