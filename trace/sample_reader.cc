#include "trace/sample_reader.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "trace/age.h"
#include "trace/histogram_blob.h"
#include "trace/sample_queries.h"

namespace rocktune::trace {
namespace {

Error damaged(const std::string& what) {
  return {ErrorCode::kCorrupt, "the trace is damaged: " + what};
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

Result<void> take_levels(Statement& row, std::vector<LevelReading>& levels) {
  const std::uint64_t count = row.take_unsigned();
  levels.assign(std::min<std::uint64_t>(count, kLevelColumns), {});
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
  return {};
}

}  // namespace

Result<SampleReader> SampleReader::create(const Connection& connection, std::int64_t target,
                                          HistogramForm form) {
  SampleReader reader;
  reader.form_ = form;
  const auto queries = sample_queries(connection);
  if (!queries) return tl::unexpected(queries.error());
  const std::pair<std::optional<Statement>*, std::string> statements[] = {
      {&reader.samples_, queries->samples},
      {&reader.nvme_, queries->nvme},
      {&reader.shared_, queries->shared},
      {&reader.column_families_, queries->families},
      {&reader.state_, queries->state},
      {&reader.options_, queries->options},
      {&reader.health_, "SELECT source, error FROM health WHERE sample = ? ORDER BY position"},
      {&reader.knobs_,
       "SELECT name, column_family, value, found, owner, changeable, reason, min, max FROM knobs "
       "WHERE sample = ? ORDER BY position"},
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

Result<bool> SampleReader::next(Sample& sample) {
  const auto row = samples_->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return false;
  if (auto done = take_sample(sample); !done) return tl::unexpected(done.error());
  return true;
}

namespace {

// The reading, or none: its columns are passed over.
template <class Reading>
void take_reading(Statement& row, bool there, std::optional<Reading>& reading) {
  if (there && !reading) reading.emplace();
  if (!there) reading.reset();
  Reading none;
  take_fields(row, reading ? *reading : none);
}

}  // namespace

Result<void> SampleReader::take_sample(Sample& sample) {
  Statement& row = *samples_;
  const std::int64_t id = row.take_int();
  row.take_int();  // target
  sample.sequence = row.take_unsigned();
  sample.at.wall = Nanoseconds(row.take_int());
  sample.at.tick = Nanoseconds(row.take_int());
  row.take_bool();  // keyframe
  const auto incarnation = row.take_optional_int();
  const std::int64_t health_at = row.take_int();
  const std::int64_t knobs_at = row.take_int();
  const auto nvme_at = row.take_optional_int();
  const auto shared_at = row.take_optional_int();
  const bool has_database = row.take_bool();
  const Nanoseconds agent_tick(row.take_int());
  const std::uint64_t agent_sequence = row.take_unsigned();
  if (!is_tick(sample.at.tick) || !is_tick(agent_tick)) {
    return tl::unexpected(damaged("a sample was taken at no time"));
  }
  take_reading(row, has_database, sample.database);
  if (has_database) {
    sample.database->agent_tick = agent_tick;
    sample.database->agent_sequence = agent_sequence;
  }
  DatabaseReading none;
  if (auto done = take_histograms(has_database ? *sample.database : none); !done) return done;
  const auto device = row.take_optional_int();
  take_reading(row, device.has_value(), sample.device);
  const bool has_host = row.take_bool();
  take_reading(row, has_host, sample.host);

  sample.incarnation.clear();
  if (incarnation) {
    const auto text = name_of(*incarnation_, incarnations_, *incarnation);
    if (!text) return tl::unexpected(text.error());
    sample.incarnation = *text;
  }
  if (device) {
    const auto name = name_of(*device_, devices_, *device);
    if (!name) return tl::unexpected(name.error());
    sample.device->name = *name;
  }
  if (auto done = read_health(health_at); !done) return done;
  sample.health = last_health_;
  if (auto done = read_knobs(knobs_at); !done) return done;
  sample.knobs = last_knobs_;
  auto noted = read_noted(*nvme_, nvme_at, nvme_at_, last_nvme_);
  if (noted) noted = read_noted(*shared_, shared_at, shared_at_, last_shared_);
  if (!noted) return noted;
  sample.nvme = last_nvme_;
  sample.shared = last_shared_;
  return has_database ? read_column_families(id, *sample.database) : Result<void>();
}

// A keyframe's are absolute: nothing of before is needed, but to tell what was counted since.
Result<void> SampleReader::take_histograms(DatabaseReading& database) {
  Result<void> result;
  std::size_t i = 0;
  DatabaseReading::visit_histograms(
      database, [&](const char* name, std::optional<LatencyHistogram>& histogram) {
        if (histograms_.size() <= i) histograms_.emplace_back();
        auto& last = histograms_[i++];
        const auto blob = samples_->take_blob();
        histogram.reset();
        if (!blob) return;
        auto since = add_histogram(*blob, last);
        if (!since) {
          result = tl::unexpected(since.error().within(name));
        } else if (form_ == HistogramForm::kSincePrevious) {
          histogram = *std::move(since);
        } else {
          histogram = last;
        }
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
  KnobReadings::List knobs;
  knobs_->restart().put(at);
  while (true) {
    const auto row = knobs_->step();
    if (!row) return tl::unexpected(row.error());
    if (!*row) break;
    auto knob = take_knob(*knobs_);
    if (!knob) return tl::unexpected(knob.error());
    knobs.push_back(*std::move(knob));
  }
  // A keyframe repeats them: whoever looks for a change finds the same list, at the cost of a
  // pointer.
  if (KnobReadings read = std::move(knobs); read != last_knobs_) last_knobs_ = std::move(read);
  knobs_at_ = at;
  return {};
}

// `known` is that of the row `known_at`.
template <class Reading>
Result<void> SampleReader::read_noted(Statement& row, std::optional<std::int64_t> at,
                                      std::optional<std::int64_t>& known_at,
                                      std::optional<Reading>& known) {
  if (at == known_at) return {};
  known.reset();
  known_at = at;
  if (!at) return {};
  const auto found = row.restart().put(*at).step();
  if (!found) return tl::unexpected(found.error());
  if (!*found) return tl::unexpected(damaged("a row that a sample refers to is missing"));
  take_fields(row, known.emplace());
  return {};
}

Result<void> SampleReader::read_column_families(std::int64_t sample, DatabaseReading& database) {
  if (family_row_of_ != sample) {
    column_families_->restart().put(sample);
    if (auto done = step_to_family(); !done) return done;
  }
  std::size_t count = 0;
  for (; family_row_of_ == sample; ++count) {
    if (auto done = take_family(database, count); !done) return done;
    if (auto done = step_to_family(); !done) return done;
  }
  while (families_.size() > count) families_.pop_back();
  database.column_families.resize(count);
  for (std::size_t i = 0; i < count; ++i) database.column_families[i] = families_[i].reading;
  return {};
}

Result<void> SampleReader::step_to_family() {
  const auto stepped = column_families_->step();
  if (!stepped) return tl::unexpected(stepped.error());
  family_row_of_.reset();
  if (*stepped) family_row_of_ = column_families_->take_int();
  return {};
}

Result<void> SampleReader::take_family(const DatabaseReading& database, std::size_t position) {
  Statement& row = *column_families_;
  if (row.take_int() != static_cast<std::int64_t>(position)) {
    return tl::unexpected(damaged("a column family is missing"));
  }
  if (families_.size() <= position) families_.emplace_back();
  FamilyState& state = families_[position];
  if (const std::int64_t at = row.take_int(); state.state_at != at) {
    if (auto done = read_state(at, position, state); !done) return done;
  }
  for (Counter* gauge : state.gauges) *gauge = row.take_optional_unsigned();
  for (std::size_t age = 0; age < state.ages.size(); ++age) {
    const auto began = state.began_ns.at(age);
    Counter& value = *state.ages[age];
    value = began ? age_ms_at(database.agent_tick, *began) : state.fixed_ms.at(age);
    if (began && !value) {
      return tl::unexpected(
          damaged("what a column family does began at no time before its sample"));
    }
  }
  return {};
}

Result<void> SampleReader::read_state(std::int64_t at, std::size_t position, FamilyState& state) {
  Statement& row = state_->restart().put(at).put(position);
  const auto stepped = row.step();
  if (!stepped) return tl::unexpected(stepped.error());
  if (!*stepped) return tl::unexpected(damaged("the state of a column family is missing"));
  const std::int64_t options_at = row.take_int();
  std::size_t age = 0;
  visit_family(state.reading, [&](FamilyPart part, Counter& value) {
    if (part == FamilyPart::kState) value = row.take_optional_unsigned();
    if (part != FamilyPart::kAge) return;
    state.began_ns.at(age) = row.take_optional_int();
    state.fixed_ms.at(age++) = row.take_optional_unsigned();
  });
  if (auto done = take_levels(row, state.reading.levels); !done) return done;
  state.state_at = at;
  if (state.options_at == options_at) return {};
  state.options_at = options_at;
  return read_options(options_at, position, state.reading);
}

Result<void> SampleReader::read_options(std::int64_t at, std::size_t position,
                                        ColumnFamilyReading& reading) {
  Statement& row = options_->restart().put(at).put(position);
  const auto stepped = row.step();
  if (!stepped) return tl::unexpected(stepped.error());
  if (!*stepped) return tl::unexpected(damaged("options of a column family are missing"));
  reading.name = row.take_text();
  visit_family(reading, [&](FamilyPart part, Counter& value) {
    if (part == FamilyPart::kOption) value = row.take_optional_unsigned();
  });
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
