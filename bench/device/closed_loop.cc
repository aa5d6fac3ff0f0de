#include "bench/device/closed_loop.h"

#include <cmath>
#include <queue>
#include <random>
#include <vector>

#include "bench/device/model.h"
#include "bench/time/clock.h"
#include "model/device_capacities.h"

namespace rocktune::bench {
namespace {

// One of the requests that a job keeps in flight, at its next turn.
struct Turn {
  Nanoseconds at{0};
  std::uint64_t order = 0;  // equal times in the order they came
  std::size_t job = 0;
  bool submits = false;  // else it has completed and waits for its job's CPU
  bool operator>(const Turn& other) const {
    return at != other.at ? at > other.at : order > other.order;
  }
};

class ClosedLoop {
 public:
  ClosedLoop(const scenario::DeviceProfile& profile, const ClosedLoad& load, Nanoseconds begin,
             Nanoseconds end, std::uint64_t seed)
      : model_(profile),
        load_(load),
        begin_(begin),
        end_(end),
        host_(std::llround(load.host_us_per_request * 1000)),
        job_free_at_(static_cast<std::size_t>(load.jobs)),
        random_(seed) {}

  ClosedThroughput run() {
    for (std::size_t job = 0; job < job_free_at_.size(); ++job) {
      for (std::int64_t i = 0; i < load_.queue_depth; ++i) schedule(Nanoseconds{0}, job, false);
    }
    while (turns_.top().at < end_) {
      const Turn turn = turns_.top();
      turns_.pop();
      if (turn.submits) {
        schedule(submit(turn.at), turn.job, false);
      } else {
        Nanoseconds& free_at = job_free_at_[turn.job];
        free_at = std::max(free_at, turn.at) + host_;
        schedule(free_at, turn.job, true);
      }
    }
    const double seconds = seconds_between(begin_, end_);
    return {static_cast<double>(read_.count) / seconds, static_cast<double>(write_.count) / seconds,
            read_.mean_us(), write_.mean_us()};
  }

 private:
  struct Done {
    std::int64_t count = 0;
    Nanoseconds time{0};
    [[nodiscard]] double mean_us() const {
      return count == 0 ? 0 : static_cast<double>(time.count()) / 1e3 / static_cast<double>(count);
    }
  };

  void schedule(Nanoseconds at, std::size_t job, bool submits) {
    turns_.push({at, order_++, job, submits});
  }

  // std::bernoulli_distribution differs between standard libraries.
  bool is_read() { return static_cast<double>(random_() >> 11) * 0x1p-53 < load_.read_share; }

  Nanoseconds submit(Nanoseconds now) {
    const IoKind kind = is_read() ? IoKind::kRead : IoKind::kWrite;
    const Nanoseconds completion = model_.submit(kind, load_.request_bytes, now);
    if (completion >= begin_ && completion < end_) {
      Done& done = kind == IoKind::kRead ? read_ : write_;
      done.count++;
      done.time += completion - now;
    }
    return completion;
  }

  DeviceModel model_;
  ClosedLoad load_;
  Nanoseconds begin_, end_;
  Nanoseconds host_;
  std::vector<Nanoseconds> job_free_at_;
  std::mt19937_64 random_;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns_;
  std::uint64_t order_ = 0;
  Done read_, write_;
};

// Whether the device and the jobs can do so many a second.
bool sustainable(const scenario::DeviceProfile& profile, const ClosedLoad& load,
                 double per_second) {
  const double reads = load.read_share * per_second;
  const double writes = per_second - reads;
  const double read_s = pure_service_seconds(profile, IoKind::kRead, load.request_bytes);
  const double write_s = pure_service_seconds(profile, IoKind::kWrite, load.request_bytes);
  const double host_s = load.host_us_per_request / 1e6;
  const double u_r = reads * read_s;
  const double u_w = writes * write_s;
  if (mixed_load(u_r, u_w, profile.mixing_loss) > 1) return false;
  if (per_second * host_s > static_cast<double>(load.jobs)) return false;
  // A turn of one request: the job's CPU, its service, its latency. Queueing before the server is
  // left out, as below capacity it is short, and at capacity the line above decides.
  const double read_turn = host_s + read_s * (1 + profile.mixing_loss / 2 * u_w) +
                           idle_latency_us(profile, IoKind::kRead, load.request_bytes) / 1e6 *
                               read_latency_factor(profile.read_latency_growth, u_r, u_w);
  const bool buffered = profile.write_buffer_bytes > 0;  // acknowledged before its service
  const double write_turn = host_s +
                            (buffered ? 0 : write_s * (1 + profile.mixing_loss / 2 * u_r)) +
                            idle_latency_us(profile, IoKind::kWrite, load.request_bytes) / 1e6;
  return reads * read_turn + writes * write_turn <= load.in_flight();
}

}  // namespace

double expected_requests_per_second(const scenario::DeviceProfile& profile,
                                    const ClosedLoad& load) {
  // All three limits tighten with the rate, so that the highest rate is found by halving, here on
  // the logarithm: 60 halvings of nine decades are finer than a double.
  double low = 0.1;
  double high = 1e8;
  for (int i = 0; i < 60; ++i) {
    const double middle = std::sqrt(low * high);
    (sustainable(profile, load, middle) ? low : high) = middle;
  }
  return low;
}

ClosedThroughput run_closed_loop(const scenario::DeviceProfile& profile, const ClosedLoad& load,
                                 double warm_up_seconds, double seconds, std::uint64_t seed) {
  return ClosedLoop(profile, load, from_seconds(warm_up_seconds),
                    from_seconds(warm_up_seconds + seconds), seed)
      .run();
}

}  // namespace rocktune::bench
