#include "policy/unreported.h"

#include <algorithm>
#include <utility>

namespace rocktune {
namespace {

constexpr std::size_t kMostUnreported = 4096;

}  // namespace

void Unreported::begin_step() {
  if (decisions_.size() >= kMostUnreported) decisions_.clear();
}

void Unreported::add(const Decision& decision) {
  decisions_.insert_or_assign(decision.id, decision);
}

std::optional<Decision> Unreported::take(const std::string& decision_id) {
  auto known = decisions_.extract(decision_id);
  if (known.empty()) return std::nullopt;
  return std::move(known.mapped());
}

bool Unreported::make(const KnobReading& reading) const {
  return std::any_of(decisions_.begin(), decisions_.end(), [&](const auto& one) {
    const Decision& decision = one.second;
    return decision.verdict.value == reading.value && same_knob(decision.proposal, reading);
  });
}

}  // namespace rocktune
