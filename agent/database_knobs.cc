#include "agent/database_knobs.h"

#include <algorithm>
#include <utility>

#include "agent/machine.h"
#include "agent/thread.h"

namespace rocktune::agent {
namespace {

using rocksdb::DBOptions;
using Spec = OptionKnob<DBOptions>::Spec;

constexpr std::string_view kJobsOption = "max_background_jobs";
constexpr std::string_view kSubcompactionsOption = "max_subcompactions";
// Beyond those that RocksDB is to start: what else the host starts meanwhile.
constexpr std::int64_t kSpareThreads = 16;
constexpr std::chrono::minutes kShortOfThreads{10};
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
    {kSubcompactionsOption, plain<&DBOptions::max_subcompactions>, nullptr, kSubcompactionsOption},
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

// As RocksDB divides jobs among its pools (DBImpl::GetBGJobLimits, 7.8 to 11.8).
std::int64_t flush_threads(std::int64_t jobs) {
  return std::max<std::int64_t>(1, jobs / 4);
}
std::int64_t compaction_threads(std::int64_t jobs) {
  return std::max<std::int64_t>(1, jobs - flush_threads(jobs));
}

// Each compaction that runs may begin as many as it has pieces, less the one that it has.
std::int64_t piece_threads(std::int64_t jobs, std::int64_t pieces) {
  return std::max<std::int64_t>(0, pieces - 1) * compaction_threads(jobs);
}

// The threads that RocksDB's pools may start.
class PoolSizes {
 public:
  explicit PoolSizes(rocksdb::Env* env)
      : env_(env),
        flushes_(env->GetBackgroundThreads(rocksdb::Env::Priority::HIGH)),
        compactions_(env->GetBackgroundThreads(rocksdb::Env::Priority::LOW)) {}
  // Those that so many jobs add. An Env of the host's may not tell what there is: 0.
  [[nodiscard]] std::int64_t added_by(std::int64_t jobs) const {
    return std::max<std::int64_t>(0, flush_threads(jobs) - flushes_) +
           std::max<std::int64_t>(0, compaction_threads(jobs) - compactions_);
  }
  void restore() const {
    if (flushes_ > 0) env_->SetBackgroundThreads(flushes_, rocksdb::Env::Priority::HIGH);
    if (compactions_ > 0) env_->SetBackgroundThreads(compactions_, rocksdb::Env::Priority::LOW);
  }

 private:
  rocksdb::Env* env_;
  int flushes_, compactions_;
};

}  // namespace

DatabaseGroup::DatabaseGroup(rocksdb::DB* db, bool writable, Clock clock)
    : KnobGroup(Scope::kDatabase, {}),
      db_(db),
      clock_(clock),
      options_([db] { return std::make_shared<const DBOptions>(db->GetDBOptions()); },
               std::move(clock)) {
  const std::string fixed = writable ? "" : "the database is not open for writing";
  for (const auto& spec : kOptions) {
    add(std::make_unique<OptionKnob<DBOptions>>(spec, std::make_shared<KnobState>(), options_,
                                                fixed));
  }
}

std::int64_t DatabaseGroup::more_threads(const Assignments& changes) const {
  const auto now = [&](std::string_view name) { return find(name)->read().value; };
  const auto then = [&](std::string_view name) {
    const auto changed =
        std::ranges::find_if(changes, [&](const auto& one) { return one.knob->name() == name; });
    return changed != changes.end() ? changed->value : now(name);
  };
  const std::int64_t jobs = then(kJobsOption);
  std::int64_t more = has(changes, kJobsOption) ? PoolSizes(db_->GetEnv()).added_by(jobs) : 0;
  // All of them, where there may be more than now: they live as long as their compaction, and none
  // may be there at the moment.
  const auto pieces = piece_threads(jobs, then(kSubcompactionsOption));
  if (pieces > piece_threads(now(kJobsOption), now(kSubcompactionsOption))) more += pieces;
  return more;
}

// Where RocksDB does not get a thread it ends the host: for most of them nobody catches that.
std::string DatabaseGroup::excess(const Assignments& changes) const {
  const std::int64_t more = more_threads(changes);
  if (more == 0) return {};
  const std::int64_t needed = more + kSpareThreads;
  const auto now = clock_();
  // To try takes all that there are, for a moment: not again and again.
  const bool lately = short_of_threads_ && now - *short_of_threads_ < kShortOfThreads;
  if (!lately && cgroup_threads_left("") >= needed &&
      threads_to_be_had(static_cast<std::size_t>(needed))) {
    return {};
  }
  if (!lately) short_of_threads_ = now;
  return "RocksDB may start " + std::to_string(more) + " threads more for it, which with " +
         std::to_string(kSpareThreads) +
         " to spare are not to be had (a limit of processes, or of memory): where it gets none it "
         "ends the program";
}

std::string DatabaseGroup::why_not_now(const Assignments& changes) const {
  const bool waits = kEveryOptionWaits || has(changes, kWalSizeOption);
  return waits ? why_options_wait(db_) : std::string();
}

std::string DatabaseGroup::write(const Assignments& changes) {
  const auto set = [&] {
    const auto status = db_->SetDBOptions(to_options<DBOptions>(changes));
    return status.ok() ? std::string() : status.ToString();
  };
  if (!has(changes, kJobsOption)) return set();
  const HostsSignals signals;  // RocksDB starts threads for more jobs here and now
  const PoolSizes pools(db_->GetEnv());
  try {
    return set();
  } catch (...) {
    // Larger already, they would try again with each job, on threads where nobody catches that
    // (ThreadPoolImpl::Impl::Submit, 7.8 to 11.8).
    pools.restore();
    throw;
  }
}

bool DatabaseGroup::moved_along(const Knob& knob, std::int64_t before, std::int64_t after) const {
  return knob.name() == kBytesPerSync && before == 0 && after == kLeastBytesPerSync;
}

}  // namespace rocktune::agent
