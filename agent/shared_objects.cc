#include "agent/shared_objects.h"

#include <algorithm>
#include <map>
#include <mutex>
#include <ranges>
#include <string>

#include "agent/hosts_rate.h"
#include "agent/limiter/fair_rate_limiter.h"

namespace rocktune::agent {
namespace {

struct Entry {
  std::weak_ptr<void> object;  // tells a dead object from a new one at the same address
  std::shared_ptr<KnobState> state;
  std::map<std::string, std::shared_ptr<KnobState>> settings;  // beside that one
  bool ours = false;
  std::shared_ptr<HostsRate> hosts_rate;

  [[nodiscard]] bool has(const KnobState& one) const {
    return state.get() == &one ||
           std::ranges::any_of(settings | std::views::values,
                               [&](const auto& s) { return s.get() == &one; });
  }
  [[nodiscard]] bool worth_keeping() const {
    const auto done_with = [](const auto& one) { return one->users() == 0 && one->as_found(); };
    return ours || !done_with(state) ||
           !std::ranges::all_of(settings | std::views::values, done_with);
  }
};

struct Objects {
  std::mutex mutex;
  std::map<const void*, Entry> entries;

  // With the mutex held. Forgets the dead on the way, so that memory is bounded by the living.
  Entry& of(const std::shared_ptr<void>& object) {
    std::erase_if(entries, [](const auto& item) { return item.second.object.expired(); });
    auto& entry = entries[object.get()];
    if (!entry.state) entry = Entry{object, std::make_shared<KnobState>(), {}, false, {}};
    return entry;
  }

  // With the mutex held.
  void leave(KnobState& state) {
    const auto it =
        std::ranges::find_if(entries, [&](const auto& item) { return item.second.has(state); });
    if (it == entries.end()) return;
    state.leave();
    if (!it->second.worth_keeping()) entries.erase(it);
  }
};

// Never destroyed: databases may be closed after static destructors have run.
Objects& objects() {
  static auto* const all = new Objects;
  return *all;
}

std::shared_ptr<KnobState> state_of_object(const std::shared_ptr<void>& object) {
  if (!object) return std::make_shared<KnobState>();
  const std::lock_guard lock(objects().mutex);
  const auto& state = objects().of(object).state;
  state->join();
  return state;
}

}  // namespace

std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::RateLimiter>& limiter) {
  return state_of_object(limiter);
}

std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::RateLimiter>& limiter,
                                    std::string_view setting) {
  const std::lock_guard lock(objects().mutex);
  auto& entry = objects().of(limiter);
  auto& state = entry.settings[std::string(setting)];
  if (!state) state = std::make_shared<KnobState>();
  state->join();
  return state;
}

std::shared_ptr<HostsRate> hosts_rate_of(const std::shared_ptr<rocksdb::RateLimiter>& limiter) {
  const std::lock_guard lock(objects().mutex);
  auto& rate = objects().of(limiter).hosts_rate;
  if (!rate) rate = std::make_shared<HostsRate>();
  return rate;
}

std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::Cache>& cache) {
  return state_of_object(cache);
}

std::shared_ptr<KnobState> state_of(const std::shared_ptr<rocksdb::TableFactory>& factory) {
  return state_of_object(factory);
}

void leave_states(const KnobGroup& group) noexcept {
  const std::lock_guard lock(objects().mutex);
  for (const auto& knob : group.knobs()) objects().leave(knob->state());
}

void remember_as_ours(const std::shared_ptr<FairRateLimiter>& limiter) {
  const std::lock_guard lock(objects().mutex);
  objects().of(limiter).ours = true;
}

bool is_ours(const std::shared_ptr<rocksdb::RateLimiter>& limiter) {
  if (!limiter) return false;
  const std::lock_guard lock(objects().mutex);
  const auto it = objects().entries.find(limiter.get());
  return it != objects().entries.end() && it->second.ours && !it->second.object.expired();
}

std::shared_ptr<FairRateLimiter> own_limiter(const std::shared_ptr<rocksdb::RateLimiter>& limiter) {
  if (!is_ours(limiter)) return nullptr;
  return std::static_pointer_cast<FairRateLimiter>(limiter);
}

}  // namespace rocktune::agent
