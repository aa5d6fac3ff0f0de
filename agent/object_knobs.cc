#include "agent/object_knobs.h"

#include <algorithm>
#include <atomic>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

#include "agent/hosts_rate.h"
#include "agent/limiter/fair_rate_limiter.h"
#include "agent/option_knob.h"
#include "agent/shared_objects.h"

namespace rocktune::agent {
namespace {

// A setting of an object, by a function that reads it and one that writes it.
class SettingKnob final : public Knob {
 public:
  using Get = std::function<std::optional<std::int64_t>()>;  // nullopt: the object has gone
  using Set = std::function<void(std::int64_t)>;
  using WhyNot = std::function<std::string()>;

  SettingKnob(std::string_view name, std::shared_ptr<KnobState> state, Get get, Set set,
              WhyNot why_not = nullptr)
      : Knob(catalogue_entry(name), std::move(state)),
        get_(std::move(get)),
        set_(std::move(set)),
        why_not_(std::move(why_not)) {}

  [[nodiscard]] std::string why_not_changeable() const override {
    return why_not_ ? why_not_() : std::string();
  }
  [[nodiscard]] Reading read() override {
    const auto generation = state().generation();
    const auto value = get_();
    if (!value) return {last_.load(std::memory_order_relaxed), KnobState::kNoGeneration};
    last_.store(*value, std::memory_order_relaxed);
    return {*value, generation};
  }
  void write(std::int64_t value) { set_(value); }

 private:
  const Get get_;
  const Set set_;
  const WhyNot why_not_;
  std::atomic<std::int64_t> last_{0};
};

constexpr char kNotForWriting[] = "the database is not open for writing";

std::unique_ptr<Knob> rate_knob(const std::shared_ptr<rocksdb::RateLimiter>& limiter,
                                bool writable) {
  constexpr std::string_view kName = "rate_limiter_bytes_per_second";
  if (!limiter) {
    return std::make_unique<SettingKnob>(
        kName, state_of(limiter), [] { return 0; }, [](std::int64_t) {},
        [] {
          return "the database was opened without a rate limiter, and cannot "
                 "be given one while it "
                 "is open";
        });
  }
  const auto state = state_of(limiter);
  const auto hosts = is_ours(limiter) ? nullptr : hosts_rate_of(limiter);
  return std::make_unique<SettingKnob>(
      kName, state,
      [limiter, hosts] {
        const auto rate = limiter->GetBytesPerSecond();
        return hosts ? hosts->told(rate) : rate;
      },
      [limiter, hosts, state](std::int64_t rate) {
        if (rate <= 0) return;  // RocksDB asserts
        const auto now = limiter->GetBytesPerSecond();
        limiter->SetBytesPerSecond(hosts ? hosts->to_set(rate, now, state->found()) : rate);
      },
      [limiter, writable] {
        if (!writable) return kNotForWriting;
        return limiter->GetBytesPerSecond() > 0 ? ""
                                                : "the host's rate limiter does not tell its rate";
      });
}

const char* why_not_resizable(const rocksdb::Cache& cache) {
  const std::string_view name = cache.Name();
  if (name == "LRUCache" || name == "AutoHyperClockCache") return "";
  if (name == "HyperClockCache" || name == "FixedHyperClockCache") {
    return "a cache of this class has a table of fixed size: growing it would "
           "gain nothing";
  }
  return "a cache of this class is not known to be resizable";
}

// False: the host has set another capacity meanwhile, which stays.
bool shrink_slowly(rocksdb::Cache& cache, std::size_t target) {
  constexpr std::size_t kLeastSlice = std::size_t{64} << 20;
  std::size_t now = cache.GetCapacity();
  const std::size_t fall = now > target ? now - target : 0;
  const std::size_t slice = std::max(kLeastSlice, fall / 256);
  while (now > target && now - target > slice) {
    now -= slice;
    cache.SetCapacity(now);
    if (cache.GetCapacity() != now) return false;
  }
  return true;
}

}  // namespace

LimiterGroup::LimiterGroup(const std::shared_ptr<rocksdb::RateLimiter>& limiter, bool writable)
    : KnobGroup(Scope::kLimiter, {}) {
  add(rate_knob(limiter, writable));
  const auto own = own_limiter(limiter);
  if (!own) return;
  // A host that opens several databases with the same prepared options shares it between them.
  const auto setting = [&](std::string_view name, SettingKnob::Get get, SettingKnob::Set set) {
    add(std::make_unique<SettingKnob>(name, state_of(limiter, name), std::move(get), std::move(set),
                                      [writable] { return writable ? "" : kNotForWriting; }));
  };
  setting(
      "rate_limiter_limit_flushes", [own] { return own->limit_flushes() ? 1 : 0; },
      [own](std::int64_t on) { own->set_limit_flushes(on != 0); });
  setting(
      "rate_limiter_l0_weight", [own] { return own->l0_weight(); },
      [own](std::int64_t weight) { own->set_l0_weight(static_cast<int>(weight)); });
  setting(
      "rate_limiter_limit_reads", [own] { return own->limit_reads() ? 1 : 0; },
      [own](std::int64_t on) { own->set_limit_reads(on != 0); });
}

std::string LimiterGroup::write(const Assignments& changes) {
  for (const auto& [knob, value] : changes) static_cast<SettingKnob&>(*knob).write(value);
  return {};
}

CacheGroup::CacheGroup(const std::shared_ptr<rocksdb::Cache>& cache, std::string column_family,
                       bool writable)
    : KnobGroup(Scope::kCache, std::move(column_family)), address_(cache.get()), cache_(cache) {
  add(std::make_unique<SettingKnob>(
      "block_cache_capacity_bytes", state_of(cache),
      [this]() -> std::optional<std::int64_t> {
        if (address_ == nullptr) return 0;
        const auto used = cache_.use();
        if (!used) return std::nullopt;
        return OptionValue::of(used->GetCapacity()).value;
      },
      [this](std::int64_t capacity) {
        const auto used = cache_.use();
        if (!used) return;  // what was set is read back: it tells
        const auto target = static_cast<std::size_t>(std::max<std::int64_t>(0, capacity));
        if (shrink_slowly(*used, target)) used->SetCapacity(target);
      },
      [this, writable] { return why_not_changeable(writable); }));
}

void CacheGroup::let_go() {
  leave_states(*this);
  cache_.end();
}

std::string CacheGroup::why_not_changeable(bool writable) const {
  if (!writable) return kNotForWriting;
  if (address_ == nullptr) return "the column family has no block cache";
  const auto used = cache_.use();
  return used ? why_not_resizable(*used) : "its column family's handle is gone";
}

std::string CacheGroup::excess(const Assignments& changes) const {
  const auto used = cache_.use();
  // First: what is pinned is a visit to every block of a HyperClock cache.
  if (!used || !used->HasStrictCapacityLimit()) return {};
  const auto pinned = OptionValue::of(used->GetPinnedUsage()).value;
  for (const auto& [knob, value] : changes) {
    if (value < pinned) {
      return "the cache has a strict limit and " + std::to_string(pinned) +
             " bytes of it are pinned: a smaller capacity would fail reads";
    }
  }
  return {};
}

// Pins come and go: what is too small for them now is returned once it is not.
std::string CacheGroup::why_not_now(const Assignments& changes) const {
  return excess(changes);
}

std::string CacheGroup::write(const Assignments& changes) {
  for (const auto& [knob, value] : changes) static_cast<SettingKnob&>(*knob).write(value);
  return {};
}

}  // namespace rocktune::agent
