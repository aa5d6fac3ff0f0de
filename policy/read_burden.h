// ReadBurden: reads that suffer from a backlog short of every limit of RocksDB's, which waits
// behind the limiter: they look into each file of level 0, whether or not any writer is slowed.
// Limiting compactions "for reads" is then what slows them. Where that is so is open until somebody
// tries: raises of the limiter are probes, each given its time, and those that gain reads nothing
// go back. docs/control.md, "The limiter". Pure; bounded; internal to policy/.
#pragma once

#include <cstdint>
#include <optional>

#include "policy/growing_rest.h"
#include "policy/limit_probe.h"
#include "policy/situation.h"
#include "policy/wishes.h"

namespace rocktune {

class ReadBurden {
 public:
  // Call with every sample behind a limit. `factor`: of a raise; `raised`: another rule asks for
  // one.
  std::optional<Proposal> decide(const Situation& situation, const KnobReading& reading,
                                 double factor, bool raised);

 private:
  void note_changes(const Situation& situation, const KnobReading& reading);
  [[nodiscard]] std::optional<Proposal> raise(const Situation& situation,
                                              const KnobReading& reading, double factor) const;
  std::optional<Proposal> judge(const Situation& situation, const KnobReading& reading);

  Held burdened_;
  std::optional<std::int64_t> rate_;  // as last seen
  LimitProbe probe_;                  // raises in a row
  std::optional<Nanoseconds> raised_at_;
  OwnWish wish_{OwnWish::Way::kUp};
  GrowingRest rest_;  // since raises gained nothing
};

}  // namespace rocktune
