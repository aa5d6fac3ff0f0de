#include "agent/limiter/limiter_tickers.h"

#include <string>

namespace rocktune::agent {
namespace {

template <class Names>
std::optional<std::uint32_t> find(const Names& names, const std::string& wanted) {
  for (const auto& [type, name] : names) {
    if (name == wanted) return type;
  }
  return std::nullopt;
}

void tick(rocksdb::Statistics& statistics, std::optional<std::uint32_t> ticker,
          std::uint64_t count) {
  if (ticker) statistics.recordTick(*ticker, count);
}

}  // namespace

LimiterTickers::LimiterTickers()
    : drains_(find(rocksdb::TickersNameMap, "rocksdb.number.rate_limiter.drains")),
      operations_{look_up("write"), look_up("read")} {}

LimiterTickers::OfOperation LimiterTickers::look_up(const char* operation) {
  const std::string prefix = "rocksdb.rate.limiter.";
  return {find(rocksdb::TickersNameMap, prefix + "bytes." + operation),
          find(rocksdb::TickersNameMap, prefix + "requests." + operation),
          find(rocksdb::TickersNameMap, prefix + "delayed.requests." + operation),
          find(rocksdb::TickersNameMap, prefix + "total.wait.micros." + operation),
          find(rocksdb::HistogramsNameMap, prefix + "wait.micros." + operation)};
}

void LimiterTickers::record(rocksdb::Statistics* statistics, const Granted& granted) const {
  if (statistics == nullptr) return;
  const auto& types = operations_[granted.is_read ? 1 : 0];
  tick(*statistics, types.requests, 1);
  tick(*statistics, types.bytes, granted.bytes);
  if (granted.drains > 0) tick(*statistics, drains_, granted.drains);
  if (!granted.waited_microseconds) return;
  tick(*statistics, types.delayed_requests, 1);
  tick(*statistics, types.total_wait, *granted.waited_microseconds);
  if (types.wait_histogram) {
    statistics->recordInHistogram(*types.wait_histogram, *granted.waited_microseconds);
  }
}

}  // namespace rocktune::agent
