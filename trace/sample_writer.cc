#include "trace/sample_writer.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "trace/columns.h"
#include "trace/histogram_blob.h"
#include "trace/sample_rows.h"

namespace rocktune::trace {
namespace {

constexpr std::size_t kMostFields = 64;  // of a column family

std::string deeper_levels(const std::vector<LevelReading>& levels) {
  nlohmann::json list = nlohmann::json::array();
  for (std::size_t i = kLevelColumns; i < levels.size(); ++i) {
    list.push_back({levels[i].files, levels[i].bytes});
  }
  return list.dump();
}

// The fields that are stored there.
bool same_part(const ColumnFamilyReading& a, const ColumnFamilyReading& b, FamilyPart part) {
  std::array<const Counter*, kMostFields> values{};
  std::size_t i = 0;
  visit_family(a, [&](FamilyPart, const Counter& value) { values.at(i++) = &value; });
  bool same = true;
  i = 0;
  visit_family(b, [&](FamilyPart one, const Counter& value) {
    same = same && (one != part || *values.at(i) == value);
    ++i;
  });
  return same;
}

// Whether all ages go on as they were written; notes those that do not.
bool update_ages(std::array<Age, kFamilyAges>& ages, Nanoseconds tick,
                 const ColumnFamilyReading& reading) {
  bool told = true;
  std::size_t i = 0;
  visit_family(reading, [&](FamilyPart part, const Counter& value) {
    if (part == FamilyPart::kAge && !ages.at(i++).update(tick, value)) told = false;
  });
  return told;
}

void put_levels(Statement& row, const std::vector<LevelReading>& levels) {
  row.put(levels.size());
  for (const bool files : {true, false}) {
    for (std::size_t i = 0; i < kLevelColumns; ++i) {
      if (i < levels.size()) {
        row.put(files ? levels[i].files : levels[i].bytes);
      } else {
        row.put_null();
      }
    }
  }
  if (levels.size() > kLevelColumns) row.put(deeper_levels(levels));
}

// The id of the row with these values; makes the row when there is none.
template <class... Values>
Result<std::int64_t> find_or_insert(Statement& find, Statement& insert, const Values&... values) {
  for (const bool again : {false, true}) {
    find.restart();
    (find.put(values), ...);
    const auto found = find.step();
    if (!found) return tl::unexpected(found.error());
    const std::int64_t id = *found ? find.take_int() : 0;
    find.restart();  // frees its locks
    if (*found) return id;
    if (again) break;
    insert.restart();
    (insert.put(values), ...);
    if (auto done = insert.execute(); !done) return tl::unexpected(done.error());
  }
  return fail(ErrorCode::kCorrupt, "a row that was just written cannot be found");
}

}  // namespace

Result<SampleWriter> SampleWriter::create(const Connection& connection,
                                          std::uint64_t keyframe_every) {
  SampleWriter writer;
  writer.keyframe_every_ = keyframe_every;
  const std::pair<std::optional<Statement>*, std::string> statements[] = {
      {&writer.insert_sample_, insert_into("samples", sample_columns())},
      {&writer.insert_health_, "INSERT INTO health VALUES (?, ?, ?, ?)"},
      {&writer.insert_knob_, "INSERT INTO knobs VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"},
      {&writer.insert_nvme_, insert_into("nvme", nvme_columns())},
      {&writer.insert_shared_, insert_into("shared_budgets", shared_columns())},
      {&writer.insert_column_family_, insert_into("column_families", column_family_columns())},
      {&writer.insert_options_,
       insert_into("column_family_options", column_family_option_columns())},
      {&writer.insert_state_, insert_into("column_family_states", column_family_state_columns())},
      {&writer.find_device_, "SELECT id FROM devices WHERE name = ?"},
      {&writer.insert_device_, "INSERT INTO devices (name) VALUES (?)"},
      {&writer.find_incarnation_,
       "SELECT id FROM incarnations WHERE target = ? AND incarnation = ?"},
      {&writer.insert_incarnation_, "INSERT INTO incarnations (target, incarnation) VALUES (?, ?)"},
  };
  for (const auto& [statement, sql] : statements) {
    auto prepared = Statement::prepare(connection, sql);
    if (!prepared) return tl::unexpected(prepared.error());
    *statement = std::move(*prepared);
  }
  return writer;
}

void SampleWriter::forget() {
  targets_.clear();
  devices_.clear();
  incarnations_.clear();
}

void SampleWriter::forget(std::int64_t target) {
  targets_.erase(target);
  std::erase_if(incarnations_, [target](const auto& one) { return one.first.first == target; });
}

void SampleWriter::begin_keyframes() {
  for (auto& [target, state] : targets_) state.since_keyframe = 0;
}

Result<std::int64_t> SampleWriter::incarnation_id(std::int64_t target,
                                                  const std::string& incarnation) {
  const auto key = std::make_pair(target, incarnation);
  if (const auto known = incarnations_.find(key); known != incarnations_.end()) {
    return known->second;
  }
  auto id = find_or_insert(*find_incarnation_, *insert_incarnation_, target, incarnation);
  if (id) incarnations_[key] = *id;
  return id;
}

Result<std::optional<std::int64_t>> SampleWriter::device_id(const Sample& sample) {
  if (!sample.device) return std::nullopt;
  const std::string& name = sample.device->name;
  if (const auto known = devices_.find(name); known != devices_.end()) return known->second;
  const auto id = find_or_insert(*find_device_, *insert_device_, name);
  if (!id) return tl::unexpected(id.error());
  devices_[name] = *id;
  return *id;
}

Result<void> SampleWriter::write(std::int64_t target, const Sample& sample) {
  TargetState& state = targets_[target];
  const std::int64_t id = next_id_++;
  if (state.incarnation != sample.incarnation) state.since_keyframe = 0;
  const bool keyframe = state.since_keyframe == 0;
  state.since_keyframe = (state.since_keyframe + 1) % keyframe_every_;
  if (keyframe) state.histograms.clear();
  state.incarnation = sample.incarnation;

  if (auto done = write_health(id, sample, state, keyframe); !done) return done;
  if (auto done = write_knobs(id, sample, state, keyframe); !done) return done;
  auto noted = write_noted(id, *insert_nvme_, sample.nvme, state.nvme, keyframe);
  if (!noted) return noted;
  noted = write_noted(id, *insert_shared_, sample.shared, state.shared, keyframe);
  if (!noted) return noted;
  if (auto done = write_column_families(id, sample, state, keyframe); !done) return done;
  std::optional<std::int64_t> incarnation;
  if (!sample.incarnation.empty()) {
    const auto found = incarnation_id(target, sample.incarnation);
    if (!found) return tl::unexpected(found.error());
    incarnation = *found;
  }
  const auto device = device_id(sample);
  if (!device) return tl::unexpected(device.error());

  Statement& row = insert_sample_->restart();
  row.put(id).put(target).put(sample.sequence);
  row.put(std::int64_t{sample.at.wall.count()}).put(std::int64_t{sample.at.tick.count()});
  row.put(keyframe).put(incarnation).put(state.health_at).put(state.knobs_at);
  row.put(state.nvme.at).put(state.shared.at);
  put_database(sample, state);
  row.put(*device);
  put_fields(row, sample.device);
  row.put(sample.host.has_value());
  put_fields(row, sample.host);
  return row.execute();
}

void SampleWriter::put_database(const Sample& sample, TargetState& state) {
  Statement& row = *insert_sample_;
  row.put(sample.database.has_value());
  if (sample.database) {
    row.put(std::int64_t{sample.database->agent_tick.count()}).put(sample.database->agent_sequence);
  } else {
    row.put_null().put_null();
  }
  put_fields(row, sample.database);
  const DatabaseReading none;
  const DatabaseReading& database = sample.database ? *sample.database : none;
  std::size_t i = 0;
  DatabaseReading::visit_histograms(
      database, [&](const char*, const std::optional<LatencyHistogram>& histogram) {
        if (state.histograms.size() <= i) state.histograms.emplace_back();
        auto& last = state.histograms[i++];
        if (!histogram) {
          row.put_null();
          return;
        }
        std::optional<std::string> blob;
        if (last) blob = encode_increment(*last, *histogram);
        row.put_blob(blob ? *blob : encode_histogram(*histogram));
        last = *histogram;
      });
}

Result<void> SampleWriter::write_health(std::int64_t id, const Sample& sample, TargetState& state,
                                        bool anew) {
  if (!anew && state.health == sample.health) return {};
  state.health = sample.health;
  state.health_at = id;
  for (std::size_t i = 0; i < sample.health.size(); ++i) {
    const SourceHealth& health = sample.health[i];
    auto& row = insert_health_->restart().put(id).put(i).put(health.source).put(health.error);
    if (auto done = row.execute(); !done) return done;
  }
  return {};
}

Result<void> SampleWriter::write_knobs(std::int64_t id, const Sample& sample, TargetState& state,
                                       bool anew) {
  if (!anew && state.knobs == sample.knobs) return {};
  state.knobs = sample.knobs;
  state.knobs_at = id;
  for (std::size_t i = 0; i < sample.knobs.size(); ++i) {
    Statement& row = insert_knob_->restart().put(id).put(i);
    put_knob(row, sample.knobs[i]);
    if (auto done = row.execute(); !done) return done;
  }
  return {};
}

template <class Reading>
Result<void> SampleWriter::write_noted(std::int64_t id, Statement& row,
                                       const std::optional<Reading>& reading, Noted<Reading>& noted,
                                       bool anew) {
  if (!anew && noted.last == reading) return {};
  noted.last = reading;
  noted.at.reset();
  if (!reading) return {};
  noted.at = id;
  row.restart().put(id);
  put_fields(row, reading);
  return row.execute();
}

Result<void> SampleWriter::write_column_families(std::int64_t id, const Sample& sample,
                                                 TargetState& state, bool anew) {
  if (anew) state.column_families.clear();
  if (!sample.database) return {};
  const auto& readings = sample.database->column_families;
  const std::size_t known = std::min(state.column_families.size(), readings.size());
  state.column_families.resize(readings.size());
  for (std::size_t i = 0; i < readings.size(); ++i) {
    auto done = write_column_family(id, i, sample.database->agent_tick, readings[i],
                                    state.column_families[i], i >= known);
    if (!done) return done;
  }
  return {};
}

Result<void> SampleWriter::write_column_family(std::int64_t id, std::size_t position,
                                               Nanoseconds tick, const ColumnFamilyReading& reading,
                                               ColumnFamilyState& state, bool anew) {
  const ColumnFamilyReading& last = state.last;
  bool changed = anew;
  if (anew || last.name != reading.name || !same_part(last, reading, FamilyPart::kOption)) {
    if (auto done = write_options(id, position, reading); !done) return done;
    state.options_at = id;
    changed = true;
  }
  if (!update_ages(state.ages, tick, reading)) changed = true;
  if (changed || last.levels != reading.levels || !same_part(last, reading, FamilyPart::kState)) {
    if (auto done = write_state(id, position, reading, state); !done) return done;
    state.state_at = id;
  }
  state.last = reading;
  Statement& row = insert_column_family_->restart().put(id).put(position).put(state.state_at);
  put_family(row, reading, FamilyPart::kGauge);
  return row.execute();
}

Result<void> SampleWriter::write_options(std::int64_t id, std::size_t position,
                                         const ColumnFamilyReading& reading) {
  Statement& row = insert_options_->restart().put(id).put(position).put(reading.name);
  put_family(row, reading, FamilyPart::kOption);
  return row.execute();
}

Result<void> SampleWriter::write_state(std::int64_t id, std::size_t position,
                                       const ColumnFamilyReading& reading,
                                       const ColumnFamilyState& state) {
  Statement& row = insert_state_->restart().put(id).put(position).put(state.options_at);
  std::size_t age = 0;
  visit_family(reading, [&](FamilyPart part, const Counter& value) {
    if (part == FamilyPart::kState) row.put(value);
    if (part != FamilyPart::kAge) return;
    row.put(state.ages.at(age).began_ns()).put(state.ages.at(age).fixed_ms());
    ++age;
  });
  put_levels(row, reading.levels);
  return row.execute();
}

}  // namespace rocktune::trace
