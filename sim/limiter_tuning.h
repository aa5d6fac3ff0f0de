// RocksDB's own tuning of its rate limiter (NewGenericRateLimiter with auto_tuned; Tune() in its
// util/rate_limiter.cc): by how often background writes had to wait for it. Pure.
#pragma once

namespace rocktune::sim {

class LimiterTuning {
 public:
  // The largest rate, bytes/s; it begins at half of that.
  explicit LimiterTuning(double most) : most_(most), rate_(most / 2) {}

  [[nodiscard]] double rate() const { return rate_; }
  // Until it is tuned next (SetBytesPerSecond); the largest rate stays.
  void set_rate(double rate) { rate_ = rate; }
  // Seconds until the rate is looked at again, if something is written then; 0: it is due.
  [[nodiscard]] double due() const;
  // So much time passed, in which background writes used so many bytes/s.
  void pass(double seconds, double written_per_second);

 private:
  void tune();

  double most_, rate_;
  double elapsed_ = 0, drained_ = 0;  // seconds since it was last looked at
  double at_limit_ = 0;               // seconds that all of the rate was used without a break
};

}  // namespace rocktune::sim
