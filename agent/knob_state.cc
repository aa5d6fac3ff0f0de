#include "agent/knob_state.h"

namespace rocktune::agent {

const char* to_string(Owner owner) {
  switch (owner) {
    case Owner::kRocktune:
      return "rocktune";
    case Owner::kManual:
      return "manual";
    case Owner::kFound:
      break;
  }
  return "found";
}

std::uint64_t KnobState::generation() const {
  const std::lock_guard lock(mutex_);
  return generation_;
}

KnobState::View KnobState::observe(std::int64_t value, std::uint64_t generation) {
  const std::lock_guard lock(mutex_);
  if (!found_) found_ = value;
  const std::int64_t expected = written_.value_or(*found_);
  if (!writing_ && generation == generation_ && value != expected) taken_over();
  if (manual_) return {*found_, Owner::kManual};
  return {*found_, written_ ? Owner::kRocktune : Owner::kFound};
}

void KnobState::begin_write(Holder holder) {
  const std::lock_guard lock(mutex_);
  writer_ = {holder};
  writing_ = true;
  ++generation_;
}

void KnobState::end_write(std::int64_t left, std::int64_t wanted) noexcept {
  const std::lock_guard lock(mutex_);
  writing_ = false;
  ++generation_;
  if (left == found_) {
    written_.reset();
    holders_.clear();
  } else if (left != written_ && left == wanted) {
    written_ = left;
    holders_.merge(writer_);
  } else if (left != written_) {
    taken_over();
  }
}

void KnobState::hold(Holder holder) {
  const std::lock_guard lock(mutex_);
  if (written_) holders_.insert(holder);
}

void KnobState::let_go(Holder holder) {
  const std::lock_guard lock(mutex_);
  holders_.erase(holder);
}

bool KnobState::leave_to_others(Holder holder) {
  const std::lock_guard lock(mutex_);
  const bool others = holders_.size() > holders_.count(holder);
  if (others) holders_.erase(holder);
  return others;
}

bool KnobState::held_by(Holder holder) const {
  const std::lock_guard lock(mutex_);
  return holders_.contains(holder);
}

bool KnobState::is_held() const {
  const std::lock_guard lock(mutex_);
  return !holders_.empty();
}

bool KnobState::as_found() const {
  const std::lock_guard lock(mutex_);
  return !writing_ && !manual_ && !written_ && holders_.empty();
}

std::optional<std::int64_t> KnobState::found() const {
  const std::lock_guard lock(mutex_);
  return found_;
}

void KnobState::taken_over() {
  manual_ = true;
  ordered_ = false;
}

void KnobState::hold_for_operator() {
  const std::lock_guard lock(mutex_);
  ordered_ = ordered_ || !manual_;
  manual_ = true;
  holders_.clear();
}

bool KnobState::held_for_operator() const {
  const std::lock_guard lock(mutex_);
  return ordered_;
}

void KnobState::release(std::int64_t value, Holder holder) {
  const std::lock_guard lock(mutex_);
  found_anew_ = found_anew_ || (!ordered_ && found_ && value != *found_);
  if (!ordered_ || value == found_) return accept_locked(value);
  manual_ = ordered_ = false;
  written_ = value;
  holders_.insert(holder);
  ++generation_;
}

void KnobState::accept(std::int64_t value) {
  const std::lock_guard lock(mutex_);
  accept_locked(value);
}

bool KnobState::found_anew() const {
  const std::lock_guard lock(mutex_);
  return found_anew_;
}

void KnobState::accept_locked(std::int64_t value) {
  manual_ = ordered_ = false;
  found_ = value;
  written_.reset();
  holders_.clear();
  ++generation_;
}

}  // namespace rocktune::agent
