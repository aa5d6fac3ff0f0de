#include "replay/step_stream.h"

#include <utility>

namespace rocktune::replay {

StepStream::StepStream(std::vector<trace::Reader::Steps> targets)
    : targets_(std::move(targets)), pending_(targets_.size()), thread_([this] { read_all(); }) {}

StepStream::~StepStream() {
  {
    const std::lock_guard lock(mutex_);
    gone_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

Result<TargetStep*> StepStream::next() {
  if (at_ == current_.count) {
    std::unique_lock lock(mutex_);
    if (ready_.empty()) {
      changed_.wait(lock, [this] { return ready_.size() >= kWakesAt || ended_; });
    }
    if (ready_.empty()) {
      if (error_) return tl::unexpected(*error_);
      return nullptr;
    }
    used_.push_back(std::exchange(current_, std::move(ready_.front())));
    ready_.pop_front();
    at_ = 0;
    const bool wakes = ready_.size() == kWakesAt;
    lock.unlock();
    if (wakes) changed_.notify_all();
  }
  return &current_.steps[at_++];
}

std::optional<std::size_t> StepStream::earliest() const {
  std::optional<std::size_t> next;
  const auto tick = [this](std::size_t target) { return pending_[target].step.sample.at.tick; };
  for (std::size_t i = 0; i < pending_.size(); ++i) {
    if (pending_[i].there && (!next || tick(i) < tick(*next))) next = i;
  }
  return next;
}

void StepStream::read_all() {
  for (std::size_t i = 0; i < targets_.size(); ++i) {
    if (!fetch(i)) return;
  }
  while (const auto next = earliest()) {
    TargetStep& place = filling_.steps[filling_.count++];
    place.target = *next;
    std::swap(place.step, pending_[*next].step);
    if (filling_.count == kBatchSteps && !hand_over()) return;
    if (!fetch(*next)) return;
  }
  end(std::nullopt);
}

bool StepStream::fetch(std::size_t target) {
  Pending& pending = pending_[target];
  const auto found = targets_[target].next(pending.step);
  if (!found) {
    end(found.error());
    return false;
  }
  pending.there = *found;
  return true;
}

bool StepStream::hand_over() {
  std::unique_lock lock(mutex_);
  if (ready_.size() == kMostBatches) {
    changed_.wait(lock, [this] { return ready_.size() <= kWakesAt || gone_; });
  }
  if (gone_) return false;
  ready_.push_back(std::move(filling_));
  if (used_.empty()) {
    filling_ = Batch();
  } else {
    filling_ = std::move(used_.front());
    used_.pop_front();
    filling_.count = 0;
  }
  const bool wakes = ready_.size() == kWakesAt;
  lock.unlock();
  if (wakes) changed_.notify_all();
  return true;
}

void StepStream::end(std::optional<Error> error) {
  if (filling_.count > 0 && !hand_over()) return;
  {
    const std::lock_guard lock(mutex_);
    error_ = std::move(error);
    ended_ = true;
  }
  changed_.notify_all();
}

}  // namespace rocktune::replay
