#include "agent/database.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "agent/shared_objects.h"

namespace rocktune::agent {
namespace {

std::string absolute(const std::string& path) {
  std::error_code failed;
  const auto full = std::filesystem::absolute(path, failed);
  auto text = failed ? path : full.lexically_normal().string();
  while (text.size() > 1 && text.back() == '/') text.pop_back();
  return text;
}

// RocksDB tells of no database whether it can be written, so it is asked for something that one
// opened to be read calls unsupported, and every other one an invalid argument before it does
// anything: to ingest no files.
const char* access_of(rocksdb::DB* db) {
  const auto status = db->IngestExternalFile(db->DefaultColumnFamily(), {}, {});
  if (!status.IsNotSupported()) return "read_write";
  return status.ToString().find("secondary") == std::string::npos ? "read_only" : "secondary";
}

// Of a table factory of the host's own class it is not known.
void keep_statistics_for_blocks_of(Family& family) {
  const auto options = family.options().get(Freshness::kCached);
  if (!options || !options->table_factory) return;
  const auto* table = options->table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  if (table != nullptr && table->read_amp_bytes_per_bit != 0) WindowedStatistics::keep_for_blocks();
}

const char* who_brought(rocksdb::Statistics* statistics) {
  if (statistics == nullptr) return "none";
  const auto* const ours = WindowedStatistics::from(statistics);
  return ours != nullptr && !ours->brought_by_host() ? "agent" : "host";
}

const char* who_brought(const std::shared_ptr<rocksdb::RateLimiter>& limiter) {
  if (!limiter) return "none";
  return is_ours(limiter) ? "agent" : "host";
}

}  // namespace

void write_to_log(rocksdb::Logger* log, const std::string& sentence, rocksdb::InfoLogLevel level) {
  if (log != nullptr) rocksdb::Log(level, log, "rocktune: %s", sentence.c_str());
}

Database::Database(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                   std::uint64_t number, bool read_only, Clock clock) {
  const rocksdb::DBOptions options = db->GetDBOptions();
  description_.access = access_of(db);
  const Sampler::Objects objects{options.statistics,
                                 block_cache_of(db->GetOptions(db->DefaultColumnFamily())),
                                 options.rate_limiter, options.write_buffer_manager};
  families_ = std::make_shared<Families>(db, handles, clock);
  for (const auto& family : families_->all()) keep_statistics_for_blocks_of(*family);
  if (const auto listener = Listener::find(options.listeners)) {
    connection_ = Listener::connect(listener, db->GetRootDB());
  }
  events_ = connection_ ? connection_->events() : std::make_shared<EventRing>();
  sampler_ = std::make_unique<Sampler>(db, families_, objects, clock);
  report_ = std::make_unique<Report>(db, families_, objects.statistics, objects.cache, clock);
  knobs_ = std::make_unique<KnobGroups>(db, families_, description_.access == "read_write", clock);
  const auto log = [log = options.info_log](const std::string& text) {
    write_to_log(log.get(), text);
  };
  control_ = std::make_unique<Control>(knobs_->initial(), number, clock, events_, log);
  describe(db, options, number, read_only);
  op_trace_ =
      std::make_unique<OpTrace>(db, families_, description_.access, paths(), std::move(clock), log);
  if (auto* const ours = WindowedStatistics::from(objects.statistics.get())) {
    ours->attached();
    statistics_ = {objects.statistics, ours};
  }
  if (connection_) {
    connection_->forget_with([this](const rocksdb::ColumnFamilyHandle* handle) { forget(handle); });
  }
}

void Database::describe(rocksdb::DB* db, const rocksdb::DBOptions& options, std::uint64_t number,
                        bool read_only) {
  description_.id = std::to_string(number);
  description_.path = absolute(db->GetName());
  const auto add_path = [this](const std::string& path) {
    auto& paths = description_.data_paths;
    const auto full = absolute(path);
    if (full == description_.path || std::ranges::find(paths, full) != paths.end()) return;
    paths.push_back(full);
  };
  for (const auto& path : options.db_paths) add_path(path.path);
  for (const auto& family : families_->all()) {
    const auto copy = family->options().get(Freshness::kCached);
    if (!copy) continue;
    for (const auto& path : copy->cf_paths) add_path(path.path);
  }
  if (!options.wal_dir.empty()) add_path(options.wal_dir);
  description_.limiter = who_brought(options.rate_limiter);
  description_.statistics = who_brought(options.statistics.get());
  if (read_only) {
    description_.reason = "the agent is read-only (ROCKTUNE_AGENT_MODE=ro)";
    return;
  }
  for (const auto& knob : control_->describe()) description_.tunable |= knob.changeable;
  if (!description_.tunable) description_.reason = "none of its knobs can be changed";
}

std::vector<std::string> Database::paths() const {
  std::vector<std::string> all = description_.data_paths;
  all.push_back(description_.path);
  return all;
}

void Database::add(rocksdb::ColumnFamilyHandle* handle) {
  const auto inside = pass();
  if (!inside) return;
  const std::lock_guard lock(listing_);
  const auto family = families_->add(handle);
  if (!family) return;
  keep_statistics_for_blocks_of(*family);
  for (auto& group : knobs_->add(family)) control_->add(std::move(group));
}

std::vector<KnobGroups::Group> Database::take_groups(const Families::Pointer& family) {
  const std::lock_guard lock(listing_);
  return knobs_->remove(family);
}

// What was changed through the handle is returned through it first.
void Database::end_groups(const std::vector<KnobGroups::Group>& groups) noexcept {
  for (const auto& group : groups) {
    try {
      control_->remove(group);
    } catch (...) {
      // No memory, or a logger of the host's that throws: the handle goes all the same.
    }
    group->end();
  }
}

void Database::adopt_orphans() noexcept try {
  const std::lock_guard lock(listing_);
  for (auto& group : knobs_->orphans()) control_->add(std::move(group));
} catch (...) {
  // No memory: a cache that the others share has no knob any more.
}

void Database::forget(const rocksdb::ColumnFamilyHandle* handle) {
  const auto family = families_->find(handle);
  if (!family) return;
  if (const auto inside = pass()) {
    const auto groups = take_groups(family);
    const auto has_cache = [](const auto& group) { return group->scope() == Scope::kCache; };
    // First: the capacity of a cache that others have too is not returned.
    if (std::ranges::any_of(groups, has_cache)) adopt_orphans();
    end_groups(groups);
  } else {
    gate_.close();  // as the close does, which may still wait there itself
    const std::lock_guard lock(closing_);
    if (knobs_) end_groups(take_groups(family));  // else the close has ended them
  }
  families_->forget(handle);
}

// Whoever is inside ends soon, and what it waits for is not held up by us.
void Database::hurry() noexcept try {
  const auto inside = pass();
  if (!inside) return;
  control_->hurry();
  control_->return_limits();
} catch (...) {  // no memory, or a logger of the host's that throws: the close returns the rest
}

void Database::return_rate() noexcept try {
  const auto inside = pass();
  if (!inside) return;
  control_->hurry();
  control_->return_rate();
} catch (...) {  // no memory, or a logger of the host's that throws
}

void Database::close() {
  hurry();
  gate_.close();
  std::unique_ptr<Listener::Connection> connection;  // ends without the lock, for which some wait
  const std::lock_guard lock(closing_);
  try {
    if (op_trace_) op_trace_->close();
  } catch (...) {  // no memory, or a logger of the host's that throws
  }
  try {
    if (control_) control_->abandon();
  } catch (...) {  // no memory: the values stay, but the objects must go
  }
  connection = std::move(connection_);
  op_trace_.reset();
  control_.reset();
  knobs_.reset();
  report_.reset();
  sampler_.reset();
  if (statistics_) statistics_->detached();
  statistics_.reset();
  families_->end();  // their options hold objects of the host's, and a request may still hold us
}

}  // namespace rocktune::agent
