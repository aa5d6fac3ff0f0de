// OthersWork: what other databases write on the device that this one shares with them, by what the
// device writes beyond this one's own. Flushes are counted as they end, and the kernel may write
// later than it was asked: single samples say nothing. Pure; bounded; internal to policy/.
#pragma once

#include "model/features.h"
#include "model/trend.h"

namespace rocktune {

// Bytes/s in the background that are no work.
inline constexpr double kLittleWork = 1 << 20;

// Whether other databases of the daemon are on this one's device.
bool shares_device(const Features& features);

// What this one's flushes and compactions write, bytes/s; absent where either is not known.
Value background_writes(const Features& features);

class OthersWork {
 public:
  void observe(const Features& features);  // once per sample

  // Bytes/s, mean of 10 s; absent on a device of one's own, and while any part of it is not known.
  [[nodiscard]] const Value& bytes_per_second() const { return others_; }
  // More than this database's flushes and compactions: what its reads wait for is theirs.
  [[nodiscard]] bool prevails() const;

 private:
  static constexpr double kOthersSeconds = 10;
  Trend device_{Trend::Jumps::kKeep, 0, kOthersSeconds};
  Trend background_{Trend::Jumps::kKeep, 0, kOthersSeconds};
  Trend log_{Trend::Jumps::kKeep, 0, kOthersSeconds};
  Value others_, own_;
};

}  // namespace rocktune
