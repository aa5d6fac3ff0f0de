#include "model/knobs.h"

#include <chrono>

#include "model/units.h"

namespace rocktune {
namespace {

using std::chrono::seconds;

// Restoring goes from the first to the last: background I/O is freed before its parallelism is
// taken away, and memory comes last because a smaller cache costs reads at once.
constexpr std::array<KnobSpec, 3> kCatalogue{{
    {
        knob::kRateLimit,
        "bytes/s",
        (1_MiB).value,  // below this even one small flush takes a minute
        kUnlimitedBytesPerSecond,
        4.0,  // a stall must end within seconds; two such steps are a factor of 16
        (1_MiB).value,
        seconds(2),   // four polls: the effect on the limiter's use is visible by then
        seconds(15),  // L0 compactions of a few seconds each have to finish
        true,
    },
    {
        knob::kBackgroundJobs,
        "jobs",
        1,
        64,
        1.5,
        2,  // from 2 to 4: with one job more RocksDB often schedules nothing more
        seconds(5),
        seconds(30),
        true,
    },
    {
        knob::kCacheCapacity,
        "bytes",
        (1_MiB).value,
        std::int64_t{1} << 42,  // 4 TiB
        1.5,
        (8_MiB).value,
        seconds(30),  // a grown cache has to fill before its hit ratio means anything
        seconds(60),
        true,
    },
}};

}  // namespace

const std::array<KnobSpec, 3>& knob_catalogue() {
  return kCatalogue;
}

const KnobSpec* find_knob(std::string_view name) {
  for (const KnobSpec& spec : kCatalogue) {
    if (spec.name == name) return &spec;
  }
  return nullptr;
}

}  // namespace rocktune
