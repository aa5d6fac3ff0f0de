#include "trace/sample_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "trace/columns.h"
#include "trace/histogram_blob.h"
#include "trace/sample_rows.h"

namespace rocktune::trace {
namespace {

Error damaged(const std::string& what) {
  return {ErrorCode::kCorrupt, "the trace is damaged: " + what};
}

// SQLite is asked for everything after a target's first keyframe: rows before it are the rest of
// what a retention cut left.
constexpr const char* kFromFirstKeyframe =
    " FROM samples WHERE target = ?1 AND sequence >= (SELECT min(sequence) FROM samples "
    "WHERE target = ?1 AND keyframe = 1) ORDER BY sequence";

Columns from(const Columns& columns, std::size_t first) {
  return {columns.begin() + static_cast<std::ptrdiff_t>(first), columns.end()};
}

// Levels beyond those that have columns of their own: [[files, bytes], ...].
Result<std::vector<LevelReading>> parse_levels(const std::string& text) {
  const auto list = nlohmann::json::parse(text, nullptr, false);
  if (!list.is_array()) return tl::unexpected(damaged("deeper_levels is no array"));
  std::vector<LevelReading> levels;
  for (const auto& pair : list) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_unsigned() ||
        !pair[1].is_number_unsigned()) {
      return tl::unexpected(damaged("deeper_levels is no list of pairs"));
    }
    levels.push_back({pair[0].get<std::uint64_t>(), pair[1].get<std::uint64_t>()});
  }
  return levels;
}

}  // namespace

Result<SampleReader> SampleReader::create(const Connection& connection, std::int64_t target) {
  SampleReader reader;
  const auto samples = readable_columns(connection, "samples", sample_columns());
  if (!samples) return tl::unexpected(samples.error());
  const auto families =
      readable_columns(connection, "column_families", from(column_family_columns(), 1));
  if (!families) return tl::unexpected(families.error());
  const auto options = readable_columns(connection, "column_family_options",
                                        from(column_family_option_columns(), 2));
  if (!options) return tl::unexpected(options.error());
  const std::string by_position = " WHERE sample = ? AND position = ?";
  const std::pair<std::optional<Statement>*, std::string> statements[] = {
      {&reader.samples_, "SELECT " + *samples + kFromFirstKeyframe},
      {&reader.health_, "SELECT source, error FROM health WHERE sample = ? ORDER BY position"},
      {&reader.knobs_,
       "SELECT name, column_family, value, found, owner, changeable, reason, min, max FROM knobs "
       "WHERE sample = ? ORDER BY position"},
      {&reader.column_families_,
       "SELECT " + *families + " FROM column_families WHERE sample = ? ORDER BY position"},
      {&reader.options_, "SELECT " + *options + " FROM column_family_options" + by_position},
      {&reader.levels_, "SELECT " + column_names(from(column_family_level_columns(), 2)) +
                            " FROM column_family_levels" + by_position},
      {&reader.incarnation_, "SELECT incarnation FROM incarnations WHERE id = ?"},
      {&reader.device_, "SELECT name FROM devices WHERE id = ?"},
  };
  for (const auto& [statement, sql] : statements) {
    auto prepared = Statement::prepare(connection, sql);
    if (!prepared) return tl::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  reader.samples_->put(target);
  return reader;
}

Result<std::optional<Sample>> SampleReader::next() {
  const auto row = samples_->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::nullopt;
  auto sample = take_sample();
  if (!sample) return tl::unexpected(sample.error());
  return std::move(*sample);
}

Result<Sample> SampleReader::take_sample() {
  Sample sample;
  Statement& row = *samples_;
  const std::int64_t id = row.take_int();
  row.take_int();  // target
  sample.sequence = row.take_unsigned();
  sample.at.wall = Nanoseconds(row.take_int());
  sample.at.tick = Nanoseconds(row.take_int());
  const bool keyframe = row.take_bool();
  const auto incarnation = row.take_optional_int();
  const std::int64_t health_at = row.take_int();
  const std::int64_t knobs_at = row.take_int();
  const bool has_database = row.take_bool();
  DatabaseReading database;
  database.agent_tick = Nanoseconds(row.take_int());
  database.agent_sequence = row.take_unsigned();
  take_fields(row, database);
  if (auto done = take_histograms(database, keyframe); !done) return tl::unexpected(done.error());
  const auto device = row.take_optional_int();
  DeviceReading device_reading;
  take_fields(row, device_reading);
  const bool has_host = row.take_bool();
  HostReading host;
  take_fields(row, host);
  if (has_host) sample.host = host;
  const bool has_nvme = row.take_bool();
  NvmeReading nvme;
  take_fields(row, nvme);
  if (has_nvme) sample.nvme = nvme;
  const bool has_shared = row.take_bool();
  SharedBudget shared;
  take_fields(row, shared);
  if (has_shared) sample.shared = shared;

  if (incarnation) {
    auto text = name_of(*incarnation_, incarnations_, *incarnation);
    if (!text) return tl::unexpected(text.error());
    sample.incarnation = std::move(*text);
  }
  if (device) {
    auto name = name_of(*device_, devices_, *device);
    if (!name) return tl::unexpected(name.error());
    device_reading.name = std::move(*name);
    sample.device = std::move(device_reading);
  }
  if (auto done = read_health(health_at); !done) return tl::unexpected(done.error());
  sample.health = last_health_;
  if (auto done = read_knobs(knobs_at); !done) return tl::unexpected(done.error());
  sample.knobs = last_knobs_;
  if (has_database) {
    auto column_families = read_column_families(id);
    if (!column_families) return tl::unexpected(column_families.error());
    database.column_families = std::move(*column_families);
    sample.database = std::move(database);
  }
  return sample;
}

Result<void> SampleReader::take_histograms(DatabaseReading& database, bool keyframe) {
  if (keyframe) histograms_.clear();
  Result<void> result;
  std::size_t i = 0;
  DatabaseReading::visit_histograms(
      database, [&](const char* name, std::optional<LatencyHistogram>& histogram) {
        if (histograms_.size() <= i) histograms_.emplace_back();
        auto& last = histograms_[i++];
        const auto blob = samples_->take_blob();
        if (!blob) return;
        auto decoded = decode_histogram(*blob, last ? &*last : nullptr);
        if (!decoded) {
          result = tl::unexpected(decoded.error().within(name));
          return;
        }
        last = *decoded;
        histogram = std::move(*decoded);
      });
  return result;
}

Result<void> SampleReader::read_health(std::int64_t at) {
  if (health_at_ == at) return {};
  last_health_.clear();
  health_->restart().put(at);
  while (true) {
    const auto row = health_->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    SourceHealth& health = last_health_.emplace_back();
    health.source = health_->take_text();
    health.error = health_->take_text();
  }
  health_at_ = at;
  return {};
}

Result<void> SampleReader::read_knobs(std::int64_t at) {
  if (knobs_at_ == at) return {};
  last_knobs_.clear();
  knobs_->restart().put(at);
  while (true) {
    const auto row = knobs_->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    auto knob = take_knob(*knobs_);
    if (!knob) return tl::unexpected(knob.error());
    last_knobs_.push_back(std::move(*knob));
  }
  knobs_at_ = at;
  return {};
}

Result<std::vector<ColumnFamilyReading>> SampleReader::read_column_families(std::int64_t sample) {
  std::vector<ColumnFamilyReading> readings;
  Statement& row = column_families_->restart().put(sample);
  while (true) {
    const auto stepped = row.step();
    if (!stepped) return tl::unexpected(stepped.error());
    if (!*stepped) break;
    const auto position = static_cast<std::size_t>(row.take_int());
    if (position != readings.size()) return tl::unexpected(damaged("a column family is missing"));
    Key key;
    key.options_at = row.take_int();
    key.levels_at = row.take_int();
    ColumnFamilyReading& reading = readings.emplace_back();
    const bool known = position < last_keys_.size();
    if (known) reading = last_column_families_[position];
    if (!known || last_keys_[position].options_at != key.options_at) {
      if (auto done = read_options(key.options_at, position, reading); !done) {
        return tl::unexpected(done.error());
      }
    }
    if (!known || last_keys_[position].levels_at != key.levels_at) {
      if (auto done = read_levels(key.levels_at, position, reading); !done) {
        return tl::unexpected(done.error());
      }
    }
    take_column_family(row, reading, false);
    last_keys_.resize(std::max(last_keys_.size(), position + 1));
    last_keys_[position] = key;
  }
  last_keys_.resize(readings.size());
  last_column_families_ = readings;
  return readings;
}

Result<void> SampleReader::read_options(std::int64_t at, std::size_t position,
                                        ColumnFamilyReading& reading) {
  Statement& row = options_->restart().put(at).put(position);
  const auto stepped = row.step();
  if (!stepped) return tl::unexpected(stepped.error());
  if (!*stepped) return tl::unexpected(damaged("options of a column family are missing"));
  reading.name = row.take_text();
  take_column_family(row, reading, true);
  return {};
}

Result<void> SampleReader::read_levels(std::int64_t at, std::size_t position,
                                       ColumnFamilyReading& reading) {
  Statement& row = levels_->restart().put(at).put(position);
  const auto stepped = row.step();
  if (!stepped) return tl::unexpected(stepped.error());
  if (!*stepped) return tl::unexpected(damaged("levels of a column family are missing"));
  const std::uint64_t count = row.take_unsigned();
  std::vector<LevelReading> levels(std::min<std::uint64_t>(count, kLevelColumns));
  for (const bool files : {true, false}) {
    for (std::size_t i = 0; i < kLevelColumns; ++i) {
      const std::uint64_t value = row.take_unsigned();
      if (i < levels.size()) (files ? levels[i].files : levels[i].bytes) = value;
    }
  }
  if (count > kLevelColumns) {
    const auto deeper = parse_levels(row.take_text());
    if (!deeper) return tl::unexpected(deeper.error());
    levels.insert(levels.end(), deeper->begin(), deeper->end());
  }
  if (levels.size() != count) return tl::unexpected(damaged("levels do not match their number"));
  reading.levels = std::move(levels);
  return {};
}

Result<std::string> SampleReader::name_of(Statement& find,
                                          std::map<std::int64_t, std::string>& known,
                                          std::int64_t id) {
  if (const auto found = known.find(id); found != known.end()) return found->second;
  const auto row = find.restart().put(id).step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return tl::unexpected(damaged("a name that samples refer to is missing"));
  return known[id] = find.take_text();
}

}  // namespace rocktune::trace
