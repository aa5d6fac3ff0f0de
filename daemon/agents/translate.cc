#include "daemon/agents/translate.h"

#include "model/family_options.h"
#include "model/knobs.h"

namespace rocktune::daemon {
namespace {

using Unsigned = std::map<std::string, std::uint64_t>;

Counter at(const Unsigned& values, const char* name) {
  const auto found = values.find(name);
  return found == values.end() ? Counter() : Counter(found->second);
}

// RocksDB counts what MultiGet does apart from what Get does, and steps of iterators by direction.
Counter together(const Counter& one, const Counter& other) {
  if (!one || !other) return one ? one : other;
  return *one + *other;
}

// Options are signed on the wire; a negative one means "not set" or "off" to RocksDB.
Counter at(const std::map<std::string, std::int64_t>& values, const char* name) {
  const auto found = values.find(name);
  if (found == values.end() || found->second < 0) return std::nullopt;
  return static_cast<std::uint64_t>(found->second);
}

std::optional<LatencyHistogram> histogram(const wire::Sample& sample, const char* name) {
  const auto found = sample.histograms.find(name);
  if (found == sample.histograms.end()) return std::nullopt;
  LatencyHistogram copy;
  copy.sum_us = found->second.sum_us;
  copy.buckets.reserve(found->second.buckets.size());
  for (const wire::Histogram::Bucket& bucket : found->second.buckets) {
    copy.buckets.push_back({bucket.lower_us, bucket.upper_us, bucket.count});
  }
  return copy;
}

void take_jobs(const wire::ColumnFamily& from, ColumnFamilyReading& to) {
  if (const auto& running = from.l0_compactions) {
    to.l0_compaction_input_files = running->input_files;
    to.l0_compaction_input_bytes = running->input_bytes;
    to.l0_compaction_output_bytes = running->output_bytes;
    to.l0_compaction_age_ms = running->age_ms;
  }
  if (const auto& jobs = from.jobs) {
    to.deep_compaction_level = jobs->deep_running_level;
    to.deep_compaction_age_ms = jobs->deep_running_age_ms;
    to.flushes = jobs->flushes;
    to.last_flush_age_ms = jobs->last_flush_age_ms;
    to.l0_compactions = jobs->l0_compactions;
    to.l0_compactions_ms = jobs->l0_compactions_ms;
    to.l0_compactions_input_bytes = jobs->l0_compactions_input_bytes;
    to.l0_compactions_other_bytes = jobs->l0_compactions_other_bytes;
    to.deep_compactions = jobs->deep_compactions;
    to.deep_compactions_ms = jobs->deep_compactions_ms;
  }
}

ColumnFamilyReading column_family(const wire::ColumnFamily& from) {
  ColumnFamilyReading to;
  to.name = from.name;
  for (const wire::Level& level : from.levels) to.levels.push_back({level.files, level.bytes});
  to.active_memtable_bytes = at(from.properties, "cur-size-active-mem-table");
  to.all_memtables_bytes = at(from.properties, "cur-size-all-mem-tables");
  to.immutable_memtables = at(from.properties, "num-immutable-mem-table");
  to.memtable_flush_pending = at(from.properties, "mem-table-flush-pending");
  to.compaction_pending = at(from.properties, "compaction-pending");
  to.pending_compaction_bytes = at(from.properties, "estimate-pending-compaction-bytes");
  to.live_data_bytes = at(from.properties, "estimate-live-data-size");
  take_jobs(from, to);
  to.write_buffer_bytes = at(from.options, "write_buffer_size");
  to.max_write_buffer_number = at(from.options, "max_write_buffer_number");
  to.level0_compaction_trigger = at(from.options, "level0_file_num_compaction_trigger");
  to.level0_slowdown_trigger = at(from.options, "level0_slowdown_writes_trigger");
  to.level0_stop_trigger = at(from.options, "level0_stop_writes_trigger");
  to.soft_pending_limit_bytes = at(from.options, "soft_pending_compaction_bytes_limit");
  to.hard_pending_limit_bytes = at(from.options, "hard_pending_compaction_bytes_limit");
  if (at(from.options, "disable_auto_compactions").value_or(0) != 0) drop_compaction_limits(to);
  to.target_file_bytes = at(from.options, "target_file_size_base");
  to.max_bytes_for_level_base_bytes = at(from.options, "max_bytes_for_level_base");
  to.max_bytes_for_level_multiplier = at(from.options, "max_bytes_for_level_multiplier");
  to.dynamic_level_bytes = at(from.options, "level_compaction_dynamic_level_bytes");
  to.leveled_compaction = at(from.options, "leveled_compaction");
  return to;
}

void take_tickers(const Unsigned& tickers, DatabaseReading& to) {
  to.user_bytes_written = at(tickers, "bytes.written");
  to.user_bytes_read =
      together(at(tickers, "bytes.read"), at(tickers, "number.multiget.bytes.read"));
  to.wal_bytes = at(tickers, "wal.bytes");
  to.wal_syncs = at(tickers, "wal.synced");
  to.flush_bytes_written = at(tickers, "flush.write.bytes");
  to.compaction_bytes_read = at(tickers, "compact.read.bytes");
  to.compaction_bytes_written = at(tickers, "compact.write.bytes");
  to.keys_read =
      together(at(tickers, "number.keys.read"), at(tickers, "number.multiget.keys.read"));
  to.keys_written = at(tickers, "number.keys.written");
  to.seeks = at(tickers, "number.db.seek");
  to.iterator_steps = together(at(tickers, "number.db.next"), at(tickers, "number.db.prev"));
  to.block_cache_hits = at(tickers, "block.cache.hit");
  to.block_cache_misses = at(tickers, "block.cache.miss");
  to.bloom_useful = at(tickers, "bloom.filter.useful");
  to.stall_us = at(tickers, "stall.micros");
}

KnobOwner owner_of(const std::string& owner) {
  if (owner == "rocktune") return KnobOwner::kRocktune;
  // An owner that this version does not know is somebody else: hands off.
  return owner == "found" ? KnobOwner::kFound : KnobOwner::kManual;
}

}  // namespace

Result<void> check_extent(const wire::Sample& sample) {
  const auto too_many = [](std::size_t number, const char* what, std::size_t most) {
    return fail(ErrorCode::kProtocol, "the sample has " + std::to_string(number) + " " + what +
                                          ": rocktuned takes at most " + std::to_string(most));
  };
  const std::size_t families = sample.column_families.size();
  if (families > kMostColumnFamilies) {
    return too_many(families, "column families", kMostColumnFamilies);
  }
  for (const wire::ColumnFamily& family : sample.column_families) {
    const std::size_t levels = family.levels.size();
    if (levels > kMostLevels) return too_many(levels, "levels of a column family", kMostLevels);
  }
  const std::size_t most_knobs = knob_catalogue().size() * (families + 1) + kMostOtherKnobs;
  if (sample.knobs.size() > most_knobs) return too_many(sample.knobs.size(), "knobs", most_knobs);
  std::size_t text = 0;  // each target keeps it
  for (const wire::ColumnFamily& family : sample.column_families) text += family.name.size();
  for (const wire::Knob& knob : sample.knobs) {
    text += knob.name.size() + knob.column_family.size() + knob.reason.size();
  }
  if (text > kMostTextBytes) return too_many(text, "bytes of names and reasons", kMostTextBytes);
  for (const auto& [name, histogram] : sample.histograms) {
    const std::size_t buckets = histogram.buckets.size();
    if (buckets > kMostBuckets) return too_many(buckets, "buckets of a histogram", kMostBuckets);
  }
  return {};
}

DatabaseReading to_database_reading(const wire::Sample& sample) {
  DatabaseReading to;
  to.agent_tick = Nanoseconds(sample.tick_ns);
  to.agent_sequence = sample.sequence;
  take_tickers(sample.tickers, to);
  to.running_flushes = at(sample.properties, "num-running-flushes");
  to.running_compactions = at(sample.properties, "num-running-compactions");
  to.delayed_write_rate = at(sample.properties, "actual-delayed-write-rate");
  to.write_stopped = at(sample.properties, "is-write-stopped");
  to.write_buffer_limit_bytes = at(sample.write_buffer_manager, "limit_bytes");
  to.write_buffer_stall = at(sample.write_buffer_manager, "stall_active");
  if (to.write_buffer_stall.value_or(0) > 0) to.write_stopped = 1;
  to.cache_capacity_bytes = at(sample.cache, "capacity_bytes");
  to.cache_usage_bytes = at(sample.cache, "usage_bytes");
  to.cache_pinned_bytes = at(sample.cache, "pinned_usage_bytes");
  to.limiter_bytes_through = at(sample.limiter, "bytes_through");
  to.limiter_requests = at(sample.limiter, "requests");
  to.limiter_limits_reads = at(sample.limiter, "limits_reads");
  to.read_latency = histogram(sample, "get");
  to.write_latency = histogram(sample, "write");
  to.seek_latency = histogram(sample, "seek");
  to.multiget_latency = histogram(sample, "multiget");
  to.write_stall = histogram(sample, "write_stall");
  to.column_families.reserve(sample.column_families.size());
  for (const wire::ColumnFamily& family : sample.column_families) {
    to.column_families.push_back(column_family(family));
  }
  return to;
}

bool is_writable(const wire::Database& database) {
  return database.access.empty() || database.access == "read_write";
}

void leave_out_stalls(DatabaseReading& reading) {
  reading.delayed_write_rate.reset();
  reading.write_stopped.reset();
  reading.write_buffer_stall.reset();
  for (ColumnFamilyReading& family : reading.column_families) {
    drop_compaction_limits(family);
  }
}

std::vector<KnobReading> to_knob_readings(const wire::Sample& sample) {
  std::vector<KnobReading> knobs;
  for (const wire::Knob& knob : sample.knobs) {
    if (find_knob(knob.name) == nullptr && knob.owner == "found") continue;
    knobs.push_back({knob.name, knob.column_family, knob.value, knob.found, owner_of(knob.owner),
                     knob.changeable, knob.reason, knob.min, knob.max});
  }
  return knobs;
}

}  // namespace rocktune::daemon
