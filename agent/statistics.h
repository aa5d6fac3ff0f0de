// A Statistics that passes everything on to another one and keeps, beside it, latency histograms
// from which the percentiles of any interval can be had (the stock ones are cumulative summaries).
//
// The host keeps seeing its own object: every call is forwarded, and the statistics level is kept
// in step in both directions. At a level that turns histograms or timers off, RocksDB does not
// measure, and the histograms here stay as they are; the host's level is never changed.
//
// Thread-safety: all functions, as RocksDB requires.
#pragma once

#include <rocksdb/statistics.h>

#include <array>
#include <atomic>
#include <map>
#include <memory>
#include <string>

#include "agent/latency_recorder.h"

namespace rocktune::agent {

class WindowedStatistics final : public rocksdb::Statistics {
 public:
  // `inner` is never null. `brought_by_host` is what the wire tells about it.
  WindowedStatistics(std::shared_ptr<rocksdb::Statistics> inner, bool brought_by_host);

  // The wrapper behind `statistics`, or nullptr if that is another class (or another copy of this
  // library's: then it is a stranger's as well).
  static WindowedStatistics* from(rocksdb::Statistics* statistics);

  [[nodiscard]] bool brought_by_host() const { return brought_by_host_; }
  // "get", "write", "seek", "multiget", "write_stall"; empty while histograms are turned off and
  // nothing was recorded before.
  [[nodiscard]] std::map<std::string, wire::Histogram> histograms() const;

  const char* Name() const override;
  const rocksdb::Customizable* Inner() const override { return inner_.get(); }
  std::uint64_t getTickerCount(std::uint32_t ticker) const override;
  void histogramData(std::uint32_t type, rocksdb::HistogramData* data) const override;
  std::string getHistogramString(std::uint32_t type) const override;
  void recordTick(std::uint32_t ticker, std::uint64_t count) override;
  void setTickerCount(std::uint32_t ticker, std::uint64_t count) override;
  std::uint64_t getAndResetTickerCount(std::uint32_t ticker) override;
  void reportTimeToHistogram(std::uint32_t type, std::uint64_t time) override;
  void measureTime(std::uint32_t type, std::uint64_t time) override;
  void recordInHistogram(std::uint32_t type, std::uint64_t time) override;
  rocksdb::Status Reset() override;
  using rocksdb::Statistics::ToString;
  std::string ToString() const override;
  bool getTickerMap(std::map<std::string, std::uint64_t>* map) const override;
  bool HistEnabledForType(std::uint32_t type) const override;

  // Copies a changed level to the other side. Called by every tick, and by the sampler.
  void keep_level_in_step() noexcept;

 private:
  struct Kept {
    std::uint32_t type;
    const char* name;
  };
  static constexpr std::size_t kKept = 5;
  static const std::array<Kept, kKept> kHistograms;

  void keep(std::uint32_t type, std::uint64_t time) noexcept;

  const std::shared_ptr<rocksdb::Statistics> inner_;
  const bool brought_by_host_;
  std::atomic<rocksdb::StatsLevel> agreed_level_;  // what both had when last compared
  std::array<LatencyRecorder, kKept> recorders_;
};

}  // namespace rocktune::agent
