// Changes to the values of one group, made together: checked as a whole,
// written in one call, read back, and applied or refused as a whole.
//
// Thread-safety: all functions; batches of one group wait for each other.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "agent/knob.h"
#include "wire/messages.h"

namespace rocktune::agent {

// What became of one value.
struct Change {
  Knob* knob = nullptr;
  std::int64_t value = 0;
  std::optional<std::int64_t> expect;
  wire::ChangeResult result;  // all but its id
  bool written = false;       // a write was tried
  bool deferred = false;      // "refused", since RocksDB would keep it waiting now: try again
};
using Batch = std::vector<Change>;

// Whose wish it is. An operator's moves also what an earlier one of theirs has made manual.
enum class Wish { kTuner, kOperator };

// No knob may be in it twice. What an operator wished for is manual afterwards.
void apply(KnobGroup& group, Batch& batch, KnobState::Holder holder, Wish wish = Wish::kTuner);

// Writes the found values of those that are rocktune's. What the host set
// meanwhile is left alone, and so are values that would contradict it; what
// RocksDB would keep waiting is deferred. Without
// `shared_too`, what another database still holds is left to it, and is not in
// the answer. Until a value is back `holder` still holds it, so that whoever
// ends the group meanwhile finds it, and waits.
Batch give_back(KnobGroup& group, const std::vector<Knob*>& knobs, KnobState::Holder holder,
                bool shared_too, Wish wish = Wish::kTuner);

// What became of one, with the knob's name as its id and its column family.
wire::ChangeResult named(const KnobGroup& group, const Change& change);

}  // namespace rocktune::agent
