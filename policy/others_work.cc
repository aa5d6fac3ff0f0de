#include "policy/others_work.h"

#include <algorithm>

namespace rocktune {
namespace {

constexpr std::size_t kLeastReadings = 3;

}  // namespace

bool shares_device(const Features& f) {
  return f.shared && f.shared->device_members > 1;
}

Value background_writes(const Features& f) {
  if (!f.flush_bytes_per_second || !f.compaction_write_bytes_per_second) return std::nullopt;
  return *f.flush_bytes_per_second + *f.compaction_write_bytes_per_second;
}

void OthersWork::observe(const Features& f) {
  others_.reset();
  own_.reset();
  const Value background = background_writes(f);
  const bool known = background && f.wal_bytes_per_second && f.device_write_bytes_per_second;
  if (!shares_device(f) || !known) {
    for (Trend* trend : {&device_, &background_, &log_}) trend->clear();
    return;
  }
  device_.add(f.at.tick, *f.device_write_bytes_per_second);
  background_.add(f.at.tick, *background);
  log_.add(f.at.tick, *f.wal_bytes_per_second);
  if (device_.size() < kLeastReadings) return;
  own_ = background_.mean(kOthersSeconds);
  const double rest = *device_.mean(kOthersSeconds) - *own_ - *log_.mean(kOthersSeconds);
  others_ = std::max(0.0, rest);
}

bool OthersWork::prevails() const {
  return others_ && *others_ > std::max(*own_, kLittleWork);
}

}  // namespace rocktune
