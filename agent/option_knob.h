// A knob that is one of RocksDB's mutable options, read from the shared copy of its set.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <unordered_map>
#include <utility>

#include "agent/knob.h"
#include "agent/options_cache.h"

namespace rocktune::agent {

// What an option says: absent when it does not fit an int64_t exactly (2^64 - 1, or 9.5 where only
// whole numbers can be told).
struct OptionValue {
  std::int64_t value = 0;  // as near as it gets
  bool exact = true;

  template <class T>
  static OptionValue of(T option) {
    if constexpr (std::is_unsigned_v<T>) {
      constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
      if (option > kMax) return {std::numeric_limits<std::int64_t>::max(), false};
      return {static_cast<std::int64_t>(option), true};
    } else if constexpr (std::is_floating_point_v<T>) {
      constexpr T kMax = 1e15;
      if (!(option >= -kMax && option <= kMax)) return {0, false};
      const auto whole = static_cast<std::int64_t>(option);
      return {whole, static_cast<T>(whole) == option};
    } else {
      return {option, true};
    }
  }
};

// Reads a plain member of a set of options.
template <auto Member, class Options>
OptionValue plain(const Options& options) {
  return OptionValue::of(options.*Member);
}

template <class Options>
class OptionKnob final : public Knob {
 public:
  struct Spec {
    std::string_view name;
    OptionValue (*read)(const Options&);
    // Empty, or why a set of options with these values can not have it changed.
    std::string (*why_not)(const Options&);
    // The option to set, or a field of it: "compaction_options_universal" and "size_ratio".
    std::string_view option;
    std::string_view field = {};
    std::string_view before = {};  // what stands around the number
    std::string_view after = {};
    std::string_view zero = {};  // what stands in place of all that for the value 0
  };

  // `fixed` is why nothing of this set can be changed; empty if it can.
  OptionKnob(const Spec& spec, std::shared_ptr<KnobState> state, OptionsCache<Options>& options,
             std::string fixed)
      : Knob(catalogue_entry(spec.name), std::move(state)),
        spec_(spec),
        options_(options),
        fixed_(std::move(fixed)) {}

  [[nodiscard]] const Spec& spec() const { return spec_; }
  [[nodiscard]] std::string why_not_changeable() const override {
    if (!fixed_.empty()) return fixed_;
    const auto copy = options_.get(Freshness::kCached);
    if (!copy) return "its column family's handle is gone";
    if (auto why = spec_.why_not ? spec_.why_not(*copy) : std::string(); !why.empty()) return why;
    if (!spec_.read(*copy).exact) return "its value is not a whole number that fits 63 bits";
    return {};
  }
  [[nodiscard]] Reading read() override {
    const auto generation = state().generation();
    const auto copy = options_.get(Freshness::kCached);
    if (!copy) return {last_.load(std::memory_order_relaxed), KnobState::kNoGeneration};
    const auto value = spec_.read(*copy).value;
    last_.store(value, std::memory_order_relaxed);
    return {value, generation};
  }

 private:
  const Spec& spec_;
  OptionsCache<Options>& options_;
  const std::string fixed_;
  std::atomic<std::int64_t> last_{0};
};

// The changes as SetOptions and SetDBOptions want them. All knobs are OptionKnob<Options>.
template <class Options>
std::unordered_map<std::string, std::string> to_options(const KnobGroup::Assignments& changes) {
  std::unordered_map<std::string, std::string> options;
  for (const auto& [knob, value] : changes) {
    const auto& spec = static_cast<const OptionKnob<Options>&>(*knob).spec();
    auto& text = options[std::string(spec.option)];
    if (!spec.field.empty()) text.append(text.empty() ? "{" : "").append(spec.field).append("=");
    if (value == 0 && !spec.zero.empty()) {
      text.append(spec.zero);
    } else {
      text.append(spec.before).append(std::to_string(value)).append(spec.after);
    }
    if (!spec.field.empty()) text += ';';
  }
  for (auto& [option, text] : options) {
    if (text.starts_with('{')) text += '}';
  }
  return options;
}

}  // namespace rocktune::agent
