#include <charconv>
#include <cmath>

#include "wire/json_writer.h"
#include "wire/statistics.h"

namespace rocktune::wire {
namespace {

void write(JsonWriter& out, std::uint64_t number) {
  out.value(number);
}

// RocksDB writes the numbers of its map properties as text: "3", "0.250000".
void write(JsonWriter& out, const std::string& text) {
  const char* const end = text.data() + text.size();
  std::uint64_t whole = 0;
  if (const auto [at, problem] = std::from_chars(text.data(), end, whole);
      problem == std::errc() && at == end) {
    return out.value(whole);
  }
  double number = 0;
  if (const auto [at, problem] = std::from_chars(text.data(), end, number);
      problem == std::errc() && at == end && std::isfinite(number)) {
    return out.value(number);
  }
  out.value(text);
}

void write(JsonWriter& out, const HistogramSummary& histogram) {
  out.begin_object();
  out.field("count", histogram.count);
  if (histogram.count > 0) {
    out.field("sum", histogram.sum);
    out.field("min", histogram.min);
    out.field("max", histogram.max);
    out.field("average", histogram.average);
    out.field("p50", histogram.p50);
    out.field("p95", histogram.p95);
    out.field("p99", histogram.p99);
  }
  out.end_object();
}

template <class Entries>
void write_all(JsonWriter& out, const Entries& entries);

void write(JsonWriter& out, const MapProperty& map) {
  write_all(out, map);
}

template <class Entries>
void write_all(JsonWriter& out, const Entries& entries) {
  out.begin_object();
  for (const auto& [name, entry] : entries) {
    out.key(name);
    write(out, entry);
  }
  out.end_object();
}

template <class Entries>
void write_field(JsonWriter& out, const char* name, const Entries& entries) {
  out.key(name);
  write_all(out, entries);
}

void write(JsonWriter& out, const ColumnFamilyStatistics& family) {
  out.begin_object();
  out.field("name", family.name);
  write_field(out, "properties", family.properties);
  write_field(out, "levels", family.levels);
  write_field(out, "maps", family.maps);
  out.end_object();
}

void write(JsonWriter& out, const Derived& derived) {
  out.begin_object();
  out.field("name", derived.name);
  if (derived.value) {
    out.field("value", *derived.value);
  } else {
    out.field("reason", derived.reason);
  }
  out.field("formula", derived.formula);
  write_field(out, "inputs", derived.inputs);
  out.end_object();
}

template <class Items>
void write_list(JsonWriter& out, const char* name, const Items& items) {
  out.key(name);
  out.begin_array();
  for (const auto& item : items) write(out, item);
  out.end_array();
}

}  // namespace

std::string encode(const Statistics& statistics) {
  // About 230 tickers of 40 bytes, 60 histograms of 120, and 4 KiB for each column family.
  JsonWriter out(24576 + 4096 * statistics.column_families.size());
  out.begin_object();
  out.field("tick_ns", statistics.tick_ns);
  out.field("wall_ns", statistics.wall_ns);
  write_list(out, "derived", statistics.derived);
  write_field(out, "memory", statistics.memory);
  write_field(out, "properties", statistics.properties);
  write_field(out, "maps", statistics.maps);
  write_list(out, "column_families", statistics.column_families);
  write_field(out, "tickers", statistics.tickers);
  write_field(out, "histograms", statistics.histograms);
  out.key("left_out");
  out.begin_array();
  for (const auto& sentence : statistics.left_out) out.value(sentence);
  out.end_array();
  out.end_object();
  return out.take();
}

}  // namespace rocktune::wire
