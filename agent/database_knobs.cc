#include "agent/database_knobs.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "agent/thread.h"

namespace rocktune::agent {
namespace {

using rocksdb::DBOptions;
using Spec = OptionKnob<DBOptions>::Spec;

constexpr std::string_view kJobsOption = "max_background_jobs";
constexpr std::string_view kBytesPerSync = "bytes_per_sync";
// What RocksDB makes of 0 there, with every SetDBOptions (DBImpl::SetDBOptions).
constexpr std::int64_t kLeastBytesPerSync = std::int64_t{1} << 20;

std::string jobs_overridden(const DBOptions& options) {
  if (options.max_background_compactions == -1 && options.max_background_flushes == -1) return {};
  return "the host sets max_background_compactions or max_background_flushes, which override it";
}

std::string no_way_back_to_0(const DBOptions& options) {
  if (options.bytes_per_sync != 0) return {};
  return "it is 0, which RocksDB does not take back once it is changed";
}

// wal_bytes_per_sync is mutable too, but a change of it flushes all memtables and switches the WAL.
constexpr Spec kOptions[] = {
    {kJobsOption, plain<&DBOptions::max_background_jobs>, jobs_overridden, kJobsOption},
    {"max_subcompactions", plain<&DBOptions::max_subcompactions>, nullptr, "max_subcompactions"},
    {"delayed_write_rate", plain<&DBOptions::delayed_write_rate>, nullptr, "delayed_write_rate"},
    {kBytesPerSync, plain<&DBOptions::bytes_per_sync>, no_way_back_to_0, "bytes_per_sync"},
    {"writable_file_max_buffer_size", plain<&DBOptions::writable_file_max_buffer_size>, nullptr,
     "writable_file_max_buffer_size"},
    {"compaction_readahead_size", plain<&DBOptions::compaction_readahead_size>, nullptr,
     "compaction_readahead_size"},
    {"max_open_files", plain<&DBOptions::max_open_files>, nullptr, "max_open_files"},
    {"max_total_wal_size", plain<&DBOptions::max_total_wal_size>, nullptr, "max_total_wal_size"},
};

bool has(const KnobGroup::Assignments& changes, std::string_view knob) {
  return std::ranges::any_of(changes, [&](const auto& one) { return one.knob->name() == knob; });
}

}  // namespace

DatabaseGroup::DatabaseGroup(rocksdb::DB* db, bool writable, Clock clock)
    : KnobGroup(Scope::kDatabase, {}),
      db_(db),
      options_([db] { return std::make_shared<const DBOptions>(db->GetDBOptions()); },
               std::move(clock)) {
  const std::string fixed = writable ? "" : "the database is not open for writing";
  for (const auto& spec : kOptions) {
    add(std::make_unique<OptionKnob<DBOptions>>(spec, std::make_shared<KnobState>(), options_,
                                                fixed));
  }
}

std::string DatabaseGroup::why_not_now(const Assignments& changes) const {
  const bool waits = kEveryOptionWaits || has(changes, kWalSizeOption);
  return waits ? why_options_wait(db_) : std::string();
}

std::string DatabaseGroup::write(const Assignments& changes) {
  std::optional<HostsSignals> signals;  // RocksDB starts threads for more jobs here and now
  if (has(changes, kJobsOption)) signals.emplace();
  const auto status = db_->SetDBOptions(to_options<DBOptions>(changes));
  return status.ok() ? std::string() : status.ToString();
}

bool DatabaseGroup::moved_along(const Knob& knob, std::int64_t before, std::int64_t after) const {
  return knob.name() == kBytesPerSync && before == 0 && after == kLeastBytesPerSync;
}

}  // namespace rocktune::agent
