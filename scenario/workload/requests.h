// The operations of one thread in one phase, in order: what each is, on which record, how much it
// writes. Drawn from a seed alone, so that every run under that seed asks for the same, whatever
// the speed of what answers. (Unpaced, a shift of what is hot comes when its time has come, after
// however many operations were done by then.) Pure.
#pragma once

#include <cstdint>

#include "scenario/workload/keys.h"
#include "scenario/workload/workload.h"

namespace rocktune::scenario {

struct Request {
  Operation operation = Operation::kRead;
  std::uint64_t record = 0;
  std::int64_t value_bytes = 0;  // of what it writes
  std::uint64_t value_seed = 0;  // which bytes
  std::int64_t scan_length = 0;  // records
};

class RequestSource {
 public:
  // All referred to must outlive it. `inserted` is what this thread had inserted before.
  RequestSource(const Phase& phase, const KeyChooser& keys, const Inserted& inserted,
                std::uint64_t seed)
      : phase_(phase), keys_(keys), inserted_(inserted), random_(seed) {}

  // The next one, due `seconds` after the phase began.
  Request next(double seconds);

  [[nodiscard]] const Inserted& inserted() const { return inserted_; }

 private:
  const Phase& phase_;
  const KeyChooser& keys_;
  Inserted inserted_;
  Random random_;
};

// How long the value of a loaded record is: fixed by record and seed.
std::int64_t loaded_value_bytes(const Workload& workload, std::uint64_t record);

}  // namespace rocktune::scenario
