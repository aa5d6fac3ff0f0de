// How one device is shared: by reads of the foreground, which come on their own, and by background
// jobs, each of which reads, merges and writes in turn and so has one request there at a time.
//
// A queue that is served in order of arrival, in the mean (mean-value analysis after Bard and
// Schweitzer): who arrives waits for what is there. So it matters in which pieces a job hands over
// its work: reads wait behind the whole of a piece. Capacities and what mixing loses are those of
// model/device_capacities.h. Pure.
#pragma once

#include <limits>
#include <span>

#include "model/device_capacities.h"

namespace rocktune::sim {

struct DeviceLaws {
  DirectionCapacity read{2e9, 400e3}, write{1e9, 200e3};
  double mixing_loss = kUsualMixingLoss;
  double read_latency_seconds = 80e-6;  // of a 4 KiB read on the idle device, beside its service
};

// Reads and the log of all databases together.
struct ForegroundIo {
  double reads_per_second = 0;
  double read_bytes = 4096;  // of one read
  double log_bytes_per_second = 0;
};

// One thread of a flush or compaction. All of it is for each byte of progress.
struct DeviceJob {
  double work_seconds = 0;  // of its own, off the device
  double read_bytes = 0, write_bytes = 0;
  double read_piece_bytes = 256 << 10, write_piece_bytes = 1 << 20;        // handed over at once
  double most_bytes_per_second = std::numeric_limits<double>::infinity();  // a limiter's
  double limiter_weight = 1;  // of those who wait there
  // What comes out: bytes of progress a second, how long each takes at the device, and for how long
  // of it a piece waits before it is served.
  double bytes_per_second = 0;
  double device_seconds = 0;
  double wait_seconds = 0;
};

struct DeviceUse {
  double read_share = 0, write_share = 0;  // of the capacity of each direction
  double load = 0;                         // of both: 1 is all
  double busy_ratio = 0;                   // how often a read finds the device busy
  double read_wait_seconds = 0;            // mean, before the read itself is served
  double read_wait_variance = 0;           // seconds squared
  double read_seconds = 0;                 // mean, all of it
  double queue = 0;                        // requests there, mean
};

// What a job takes of the idle device for each byte of progress.
double device_seconds_alone(const DeviceLaws& laws, const DeviceJob& job);

// Sets what comes out of the jobs. Where the foreground alone asks for more than the device has,
// its load is 1 and jobs get what a queue of the foreground's `threads` leaves them.
DeviceUse share_device(const DeviceLaws& laws, const ForegroundIo& foreground, double threads,
                       std::span<DeviceJob> jobs);

}  // namespace rocktune::sim
