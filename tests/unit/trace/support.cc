#include "support.h"

#include <algorithm>

#include "tests/support/catch.h"
#include "trace/sqlite.h"

namespace rocktune::trace::test {

std::uint64_t RandomSamples::any() {
  switch (below(4)) {
    case 0:
      return below(3);
    case 1:
      return below(1'000'000);
    case 2:
      return std::uint64_t{1} << below(64);
    default:
      return std::uniform_int_distribution<std::uint64_t>()(random_);
  }
}

Counter RandomSamples::counter() {
  return chance(0.2) ? Counter() : Counter(any());
}

std::string RandomSamples::text() {
  std::string text(below(6), '\0');
  for (char& c : text) c = static_cast<char>(below(256));
  return text;
}

LatencyHistogram RandomSamples::histogram(const std::optional<LatencyHistogram>& before) {
  LatencyHistogram histogram;
  if (before && chance(0.8)) {  // it goes on
    histogram = *before;
    histogram.sum_us += below(1000);
    for (auto& bucket : histogram.buckets) bucket.count += chance(0.3) ? below(300) : 0;
    if (chance(0.1) && !histogram.buckets.empty()) histogram.buckets.pop_back();
  } else {
    histogram.sum_us = any();
  }
  for (std::uint64_t more = below(5); more > 0; --more) {
    const std::uint64_t lower = chance(0.1) ? any() : below(5000);
    histogram.buckets.push_back({lower, chance(0.1) ? any() : lower + 1 + below(50), below(9)});
  }
  if (chance(0.9)) {
    std::sort(histogram.buckets.begin(), histogram.buckets.end(), [](const auto& a, const auto& b) {
      return std::pair(a.lower_us, a.upper_us) < std::pair(b.lower_us, b.upper_us);
    });
  }
  return histogram;
}

ColumnFamilyReading RandomSamples::column_family(std::size_t position) {
  ColumnFamilyReading reading;
  const auto& before = last_database_.column_families;
  if (position < before.size() && chance(0.8)) {
    reading = before[position];
    reading.active_memtable_bytes = counter();
    if (chance(0.1)) reading.level0_stop_trigger = counter();
  } else {
    reading.name = text();
    ColumnFamilyReading::visit_fields(reading, [&](const char*, Counter& c) { c = counter(); });
  }
  if (chance(0.2)) {
    reading.levels.resize(below(10));
    for (auto& level : reading.levels) level = {any(), any()};
  }
  return reading;
}

DatabaseReading RandomSamples::database() {
  DatabaseReading reading;
  reading.agent_tick = Nanoseconds(static_cast<std::int64_t>(any() >> 2));
  reading.agent_sequence = any();
  DatabaseReading::visit_fields(reading, [&](const char*, Counter& c) { c = counter(); });
  std::vector<std::optional<LatencyHistogram>> before;
  DatabaseReading::visit_histograms(last_database_,
                                    [&](const char*, const auto& h) { before.push_back(h); });
  std::size_t i = 0;
  DatabaseReading::visit_histograms(reading, [&](const char*, auto& h) {
    if (chance(0.9)) h = histogram(before[i]);
    ++i;
  });
  const std::size_t count =
      chance(0.9) ? last_database_.column_families.size() : static_cast<std::size_t>(below(5));
  for (std::size_t position = 0; position < count; ++position) {
    reading.column_families.push_back(column_family(position));
  }
  return reading;
}

KnobReading RandomSamples::knob() {
  KnobReading knob;
  knob.name = text();
  knob.column_family = text();
  knob.value = static_cast<std::int64_t>(any());
  knob.found = static_cast<std::int64_t>(any());
  knob.owner = static_cast<KnobOwner>(below(3));
  knob.changeable = chance(0.5);
  knob.reason = text();
  knob.min = static_cast<std::int64_t>(any());
  knob.max = static_cast<std::int64_t>(any());
  return knob;
}

Sample RandomSamples::next() {
  Sample sample;
  sample.sequence = last_.sequence + 1 + (chance(0.1) ? below(5) : 0);
  sample.at.wall = Nanoseconds(static_cast<std::int64_t>(any()));
  sample.at.tick = last_.at.tick + Nanoseconds(500'000'000);
  sample.incarnation = chance(0.95) ? last_.incarnation : text();
  sample.health = last_.health;
  if (chance(0.1)) sample.health.assign(below(3), SourceHealth{text(), text()});
  sample.knobs = last_.knobs;
  if (chance(0.1)) {
    sample.knobs = {};
    for (auto i = below(4); i > 0; --i) sample.knobs.edit().push_back(knob());
  }
  if (chance(0.8)) {
    sample.database = database();
    last_database_ = *sample.database;
  }
  if (chance(0.8)) {
    sample.device.emplace();
    sample.device->name = chance(0.9) ? "nvme0n1" : text();
    DeviceReading::visit_fields(*sample.device, [&](const char*, Counter& c) { c = counter(); });
  }
  if (chance(0.8)) {
    sample.nvme.emplace();
    NvmeReading::visit_fields(*sample.nvme, [&](const char*, Counter& c) { c = counter(); });
  }
  if (chance(0.5)) {
    sample.shared.emplace();
    SharedBudget::visit_fields(*sample.shared, [&](const char*, Counter& c) { c = counter(); });
  }
  if (chance(0.8)) {
    sample.host.emplace();
    HostReading::visit_fields(*sample.host, [&](const char*, Counter& c) { c = counter(); });
  }
  last_ = sample;
  return sample;
}

void run_sql(const std::string& path, const char* sql) {
  const auto connection =
      checked(Connection::open(path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE));
  CHECK(sqlite3_exec(connection.handle(), sql, nullptr, nullptr, nullptr) == SQLITE_OK);
}

}  // namespace rocktune::trace::test
