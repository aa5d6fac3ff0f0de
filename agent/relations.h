// Relations between the values of one group, checked on what they would be after a change.
//
// Thread-safety: each thread has its own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "agent/knob.h"

namespace rocktune::agent {

// The values of a group as they would be. Only relations that a changed value takes part in are
// checked: what the host set is right by definition.
class Proposal {
 public:
  Proposal(const KnobGroup& group, const KnobGroup::Assignments& changes)
      : group_(group), changes_(changes) {}

  [[nodiscard]] bool changes(std::string_view name) const { return changed(name) != nullptr; }
  [[nodiscard]] std::int64_t value(std::string_view name) const {
    if (const auto* const change = changed(name)) return change->value;
    auto* const knob = group_.find(name);
    return knob == nullptr ? 0 : knob->read().value;
  }

  // Requires lower <= upper, where one of them is changed. Empty, or the sentence.
  [[nodiscard]] std::string require_order(std::string_view lower, std::string_view upper) const {
    if (!changes(lower) && !changes(upper)) return {};
    const auto low = value(lower);
    const auto high = value(upper);
    if (low <= high) return {};
    return std::string(lower) + " would be " + std::to_string(low) + ", above " +
           std::string(upper) + ", which would be " + std::to_string(high);
  }

 private:
  [[nodiscard]] const KnobGroup::Assignment* changed(std::string_view name) const {
    for (const auto& change : changes_) {
      if (change.knob->name() == name) return &change;
    }
    return nullptr;
  }

  const KnobGroup& group_;
  const KnobGroup::Assignments& changes_;
};

}  // namespace rocktune::agent
