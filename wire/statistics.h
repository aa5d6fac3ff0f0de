// GET /v1/dbs/{id}/statistics: everything that RocksDB tells of a database, for people and slow
// readers. The daemon does not read it: it is written here, and nowhere decoded.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rocktune::wire {

// One of RocksDB's histograms since the database was opened, in the unit of its name.
struct HistogramSummary {
  std::uint64_t count = 0;  // with 0 nothing else is written
  std::uint64_t sum = 0;
  double min = 0;
  double max = 0;
  double average = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
};

// A map property: its entries, as numbers where they are numbers.
using MapProperty = std::map<std::string, std::string>;

struct ColumnFamilyStatistics {
  std::string name;
  std::map<std::string, std::uint64_t> properties;
  // rocksdb.cfstats by level ("L0", ..., "Sum"), without "compaction.L0.".
  std::vector<std::pair<std::string, MapProperty>> levels;
  std::map<std::string, MapProperty> maps;  // the others, and the rest of cfstats
};

// A figure that follows from others. Without a value there is a reason.
struct Derived {
  std::string name;
  std::optional<double> value;
  std::string reason;
  std::string formula;
  std::map<std::string, std::uint64_t> inputs;  // those of the formula that are known
};

struct Statistics {
  std::int64_t tick_ns = 0;
  std::int64_t wall_ns = 0;
  std::map<std::string, std::uint64_t> tickers;  // without "rocksdb.", as everywhere
  std::map<std::string, HistogramSummary> histograms;
  std::map<std::string, std::uint64_t> properties;  // of the database as a whole
  std::map<std::string, MapProperty> maps;
  std::vector<ColumnFamilyStatistics> column_families;
  std::map<std::string, std::uint64_t> memory;
  std::vector<Derived> derived;
  std::vector<std::string> left_out;  // what was not read, and why: one sentence each
};

std::string encode(const Statistics&);

}  // namespace rocktune::wire
