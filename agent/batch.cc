#include "agent/batch.h"

#include <algorithm>
#include <exception>
#include <utility>

namespace rocktune::agent {
namespace {

// The write locks of all states of a group's changes. Shared ones are locked by
// other groups too: always in the same order.
class WriteLocks {
 public:
  explicit WriteLocks(const Batch& batch) {
    std::vector<KnobState*> states;
    for (const auto& change : batch) states.push_back(&change.knob->state());
    std::ranges::sort(states, std::less<>());
    const auto repeated = std::ranges::unique(states);
    states.erase(repeated.begin(), repeated.end());
    for (auto* const state : states) locks_.push_back(state->lock_writes());
  }

 private:
  std::vector<std::unique_lock<std::mutex>> locks_;
};

void end(Change& change, const char* status, std::string reason) {
  change.result.status = status;
  change.result.reason = std::move(reason);
}

// Empty, or why it is out of range. What was found is right by definition.
std::string out_of_range(const Knob& knob, std::int64_t value, std::int64_t found) {
  const auto range = knob.range();
  const auto& special = knob.info().special;
  if ((value >= range.min && value <= range.max) || value == special || value == found) return {};
  return knob.name() + " must be between " + std::to_string(range.min) + " and " +
         std::to_string(range.max) + (special ? " or " + std::to_string(*special) : "") + ", not " +
         std::to_string(value);
}

// Somebody else's, or made manual by an operator, whose wish this is not.
bool is_off_limits(const Knob& knob, const KnobState::View& view, Wish wish) {
  if (view.owner != Owner::kManual) return false;
  return wish != Wish::kOperator || !knob.state().held_for_operator();
}

// Reads and checks one change by itself; false ends it.
bool check(Change& change, Wish wish) {
  auto& knob = *change.knob;
  const auto reading = knob.read();
  change.result.before = change.result.after = reading.value;
  const auto view = knob.state().observe(reading.value, reading.generation);
  if (auto why = knob.why_not_changeable(); !why.empty()) {
    end(change, "refused", std::move(why));
  } else if (is_off_limits(knob, view, wish)) {
    end(change, "conflict", "somebody else set " + knob.name() + "; release it to let rocktune");
  } else if (change.expect && *change.expect != reading.value) {
    end(change, "conflict",
        knob.name() + " is " + std::to_string(reading.value) + ", not " +
            std::to_string(*change.expect));
  } else if (auto range = out_of_range(knob, change.value, view.found); !range.empty()) {
    end(change, "refused", std::move(range));
  }
  return change.result.status.empty();
}

// One that was refused takes the others with it.
void refuse_rest(Batch& batch) {
  const auto first = std::ranges::find_if(
      batch, [](const Change& change) { return !change.result.status.empty(); });
  for (auto& change : batch) {
    if (change.result.status.empty()) {
      end(change, "refused",
          "not tried: it is of one batch with " + first->knob->name() + ", where " +
              first->result.reason);
    }
  }
}

void defer(Batch& batch, const std::string& why) {
  for (auto& change : batch) {
    end(change, "refused", why);
    change.deferred = true;
  }
}

KnobGroup::Assignments assignments(const Batch& batch) {
  KnobGroup::Assignments all;
  for (const auto& change : batch) all.push_back({change.knob, change.value});
  return all;
}

// What RocksDB or the host's own objects throw (no thread to be had for more
// jobs, no memory) is a failure like another.
std::string try_to_write(KnobGroup& group, const KnobGroup::Assignments& changes) {
  try {
    return group.write(changes);
  } catch (const std::exception& problem) {
    return std::string("RocksDB threw: ") + problem.what();
  } catch (...) {
    return "RocksDB threw what is no std::exception";
  }
}

struct Bystander {
  Knob* knob;
  std::int64_t before;
};

// The others of the group that nobody has touched so far.
std::vector<Bystander> bystanders_of(const KnobGroup& group, const Batch& batch) {
  std::vector<Bystander> untouched;
  for (const auto& knob : group.knobs()) {
    if (std::ranges::find(batch, knob.get(), &Change::knob) != batch.end()) continue;
    const auto reading = knob->read();
    const auto view = knob->state().observe(reading.value, reading.generation);
    if (view.owner == Owner::kFound) untouched.push_back({knob.get(), reading.value});
  }
  return untouched;
}

// The writes that were begun: each is ended in any case, also for want of memory.
class Writes {
 public:
  Writes(KnobGroup& group, std::size_t most, KnobState::Holder holder)
      : group_(group), holder_(holder) {
    begun_.reserve(most);
  }
  ~Writes() { end(false); }
  Writes(const Writes&) = delete;
  Writes& operator=(const Writes&) = delete;

  void begin(Change& change) {
    change.knob->state().begin_write(holder_);
    begun_.push_back(&change);
  }
  // Reads back. False: one of them could not be read; where RocksDB has `taken` the values, that
  // one is what was written.
  bool end(bool taken) noexcept {
    if (begun_.empty()) return true;
    bool all = true;
    group_.refresh();
    for (auto* const change : begun_) {
      change->written = true;
      try {
        change->result.after = change->knob->read().value;
      } catch (...) {
        all = false;
        if (taken) change->result.after = change->value;
      }
      // Between an option's write and its reading back there are milliseconds, or a write stop, in
      // which the host may have set it; an object of the host's own class may round what it is
      // given.
      const auto wanted = group_.writes_options() ? change->value : change->result.after;
      change->knob->state().end_write(change->result.after, wanted);
    }
    begun_.clear();
    return all;
  }

 private:
  KnobGroup& group_;
  const KnobState::Holder holder_;
  std::vector<Change*> begun_;
};

std::string why_another(const KnobGroup& group, const Change& change) {
  if (change.result.after == change.result.before) return "the one from before";
  return group.writes_options() ? "somebody else has set it since" : "what its object made of it";
}

// Writes in one call and reads back.
void write(KnobGroup& group, Batch& batch, KnobState::Holder holder) {
  const auto untouched = bystanders_of(group, batch);
  KnobGroup::Assignments changes;
  for (const auto& change : batch) {
    if (change.value != change.result.before) changes.push_back({change.knob, change.value});
  }
  Writes writes(group, batch.size(), holder);
  for (auto& change : batch) {
    if (change.value != change.result.before) writes.begin(change);
  }
  std::string failure = try_to_write(group, changes);
  if (!writes.end(failure.empty()) && failure.empty()) failure = "a value could not be read back";
  for (auto& change : batch) {
    if (!change.written) continue;
    if (!failure.empty()) {
      end(change, "failed", failure);
    } else if (change.result.after != change.value) {
      end(change, "mismatch",
          "RocksDB took the change, but reads back another value: " + why_another(group, change));
    } else {
      end(change, "applied", {});
    }
  }
  for (const auto& [knob, before] : untouched) {
    const auto after = knob->read().value;
    if (group.moved_along(*knob, before, after)) knob->state().accept(after);
  }
}

// Of a group that has ended: what was changed there was returned before.
Batch untouched(Batch batch) {
  for (auto& change : batch) {
    change.result.before = change.result.after = change.value = change.knob->read().value;
    end(change, "unchanged", {});
  }
  return batch;
}

}  // namespace

void apply(KnobGroup& group, Batch& batch, KnobState::Holder holder, Wish wish) {
  const auto lock = group.lock();
  const WriteLocks writes(batch);
  group.refresh();
  if (group.retired()) {
    for (auto& change : batch) end(change, "refused", "its column family's handle is being closed");
    return;
  }
  const auto refused =
      std::ranges::count_if(batch, [&](Change& change) { return !check(change, wish); });
  if (refused > 0) return refuse_rest(batch);
  const auto changes = assignments(batch);
  auto why = group.contradiction(changes);
  if (why.empty()) why = group.excess(changes);
  if (!why.empty()) {
    for (auto& change : batch) end(change, "refused", why);
    return;
  }
  const bool something = std::ranges::any_of(
      batch, [](const Change& change) { return change.value != change.result.before; });
  if (something) why = group.why_not_now(changes);
  if (!why.empty()) return defer(batch, why);
  for (auto& change : batch) {
    if (change.value != change.result.before) continue;
    change.knob->state().hold(holder);  // if rocktune set it for another database that shares it
    end(change, "unchanged", {});
  }
  if (something) write(group, batch, holder);
  for (const auto& change : batch) {
    const bool done = change.result.status == "applied" || change.result.status == "unchanged";
    if (done && wish == Wish::kOperator) change.knob->state().hold_for_operator();
  }
}

wire::ChangeResult named(const KnobGroup& group, const Change& change) {
  auto result = change.result;
  result.id = change.knob->name();
  result.column_family = group.column_family();
  return result;
}

Batch give_back(KnobGroup& group, const std::vector<Knob*>& knobs, KnobState::Holder holder,
                bool shared_too, Wish wish) {
  Batch batch;
  for (auto* const knob : knobs) batch.push_back({knob, 0, {}, {}, false});
  const auto lock = group.lock();
  const WriteLocks writes(batch);
  if (!shared_too) {
    std::erase_if(
        batch, [&](const Change& change) { return change.knob->state().leave_to_others(holder); });
  }
  if (group.ended()) return untouched(std::move(batch));
  group.refresh();
  for (auto& change : batch) {
    auto& state = change.knob->state();
    const auto reading = change.knob->read();
    const auto view = state.observe(reading.value, reading.generation);
    change.result.before = change.result.after = change.value = reading.value;
    end(change, "unchanged", {});
    if (is_off_limits(*change.knob, view, wish)) {
      end(change, "manual", "somebody else set it: it is left as it is");
    } else if (view.owner != Owner::kFound) {
      change.value = view.found;
    }
  }
  const bool others = std::ranges::any_of(group.knobs(), [](const auto& knob) {
    const auto reading = knob->read();
    const auto view = knob->state().observe(reading.value, reading.generation);
    return view.owner == Owner::kManual || knob->state().found_anew();
  });
  Batch ours;
  for (const auto& change : batch) {
    if (change.value != change.result.before) ours.push_back(change);
  }
  if (ours.empty()) return batch;
  // Among themselves the found values are right. Next to what the host set
  // since, released or not, they may not be.
  const auto why = others ? group.contradiction(assignments(ours)) : std::string();
  if (!why.empty()) {
    for (auto& change : ours) end(change, "conflict", "left as it is beside a new value: " + why);
  } else if (const auto later = group.why_not_now(assignments(ours)); !later.empty()) {
    defer(ours, later);
  } else {
    write(group, ours, holder);
  }
  for (auto& change : batch) {
    const auto done = std::ranges::find(ours, change.knob, &Change::knob);
    if (done != ours.end()) change = *done;
  }
  return batch;
}

}  // namespace rocktune::agent
