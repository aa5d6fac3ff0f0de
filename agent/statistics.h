// A Statistics of ours: keeps latency histograms from which the percentiles of any interval can be
// had (RocksDB's own are cumulative summaries). Two kinds: one around the host's own object
// (forwarding_statistics.h), and one for a host that has none (own_statistics.h).
//
// Both measure all of few operations and some of many (thinning.h): an interval of the thinning is
// the time between two calls of histograms().
//
// Thread-safety: all functions, as RocksDB requires.
#pragma once

#include <rocksdb/statistics.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <string>

#include "agent/distribution.h"

namespace rocktune::agent {

class WindowedStatistics : public rocksdb::Statistics {
 public:
  // Ours behind `statistics`, or nullptr if that is another class (or another copy of this
  // library's: then it is a stranger's as well).
  static WindowedStatistics* from(rocksdb::Statistics* statistics);

  const char* Name() const final;

  // Where a database records read amplification (BlockBasedTableOptions::read_amp_bytes_per_bit),
  // each cached block holds a plain pointer to the Statistics of whoever read it last: also of
  // another database that reads the same files through the same cache, and is closed. From the
  // first such database on no Statistics of ours is freed.
  static void keep_for_blocks() noexcept;
  // The deleter of what may be given to RocksDB.
  static void discard(WindowedStatistics* statistics) noexcept;

  // What the wire tells about it.
  [[nodiscard]] virtual bool brought_by_host() const = 0;
  // Of this database alone, as far as that is known: the host's own object may count for several.
  // Starts at 0 once it is.
  [[nodiscard]] virtual std::uint64_t own_count(std::uint32_t ticker) const {
    return getTickerCount(ticker);
  }
  // Whether other databases count in the same object of the host's, or did.
  [[nodiscard]] virtual bool shared_by_host() const noexcept { return false; }
  // A database that counts in it is attached, and is about to close. After the last close it counts
  // for nobody, whatever of the host's still holds it (an SstFileManager does).
  virtual void attached() {}
  virtual void detached() noexcept {}
  // Copies a level that was changed to where it belongs. For the sampler.
  virtual void keep_level_in_step() noexcept {}

  // "get", "write", "seek", "multiget", "write_stall"; empty while histograms are turned off and
  // nothing was recorded before.
  std::map<std::string, wire::Histogram> histograms();

 protected:
  struct Kept {
    std::uint32_t type;
    const char* name;
  };
  static constexpr std::size_t kKept = 5;
  static constexpr std::array<Kept, kKept> kHistograms = {{{rocksdb::DB_GET, "get"},
                                                           {rocksdb::DB_WRITE, "write"},
                                                           {rocksdb::DB_SEEK, "seek"},
                                                           {rocksdb::DB_MULTIGET, "multiget"},
                                                           {rocksdb::WRITE_STALL, "write_stall"}}};
  // The place of a histogram among the kept ones; kKept: it is none of them.
  static std::size_t kept_place(std::uint32_t type) noexcept {
    return type < kPlaces.size() ? kPlaces[type] : kKept;
  }

  [[nodiscard]] virtual const Distribution* kept(std::size_t place) const noexcept = 0;
  [[nodiscard]] std::uint32_t interval() const noexcept {
    return interval_.load(std::memory_order_relaxed);
  }

 private:
  static constexpr auto kPlaces = [] {
    std::array<std::uint8_t, rocksdb::HISTOGRAM_ENUM_MAX> places{};
    places.fill(kKept);
    for (std::uint8_t place = 0; place < kKept; ++place) places[kHistograms[place].type] = place;
    return places;
  }();

  std::atomic<std::uint32_t> interval_{0};
  WindowedStatistics* next_kept_ = nullptr;
};

}  // namespace rocktune::agent
