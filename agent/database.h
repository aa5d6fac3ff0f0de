// One attached database: its description, its sampler and its controls, usable until close().
//
// Thread-safety: pass(), description(), add(), forget() and close() from any thread; sampler(),
// control(), events(), add_jobs(), report() and op_trace() only while holding a pass, under their
// own rules.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/control.h"
#include "agent/event_ring.h"
#include "agent/families.h"
#include "agent/gate.h"
#include "agent/knob_groups.h"
#include "agent/listener.h"
#include "agent/op_trace/op_trace.h"
#include "agent/report.h"
#include "agent/sampler.h"
#include "agent/statistics.h"
#include "wire/messages.h"

namespace rocktune::agent {

class Database {
 public:
  // `number` is unique within the process and never used again.
  Database(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
           std::uint64_t number, bool read_only, Clock clock);

  [[nodiscard]] const wire::Database& description() const { return description_; }
  [[nodiscard]] Gate::Pass pass() { return Gate::Pass(gate_); }
  Sampler& sampler() { return *sampler_; }
  Control& control() { return *control_; }
  EventRing& events() { return *events_; }
  // What the listener knows of flushes and compactions; nothing where there is none.
  void add_jobs(wire::Sample& sample) const {
    if (connection_) connection_->add_jobs(sample);
  }
  Report& report() { return *report_; }
  OpTrace& op_trace() { return *op_trace_; }
  // A column family was created, or a handle to one became known: samples and knobs have it from
  // now on, until it is forgotten. Known ones, more than Families::kMost, and null are ignored.
  void add(rocksdb::ColumnFamilyHandle* handle);
  // The handle is about to be destroyed. Waits for whoever uses it, or an object of the host's that
  // came with it (its options, their table factory, a block cache of its own), and for nobody else
  // unless the database closes (then for the requests that are inside, as close() does):
  // afterwards no thread of the agent holds one, or gives one back. (Except RocksDB itself, on any
  // thread that changes an option: while it writes the OPTIONS file, some milliseconds, it has a
  // copy of the options of all column families.) What was changed through it is returned first,
  // unless writes are stopped (agent/write_stop.h). Idempotent.
  void forget(const rocksdb::ColumnFamilyHandle* handle);

  // Returns limiter and caches, waits for the requests that are inside, ends a trace of operations,
  // returns what else was changed (but options neither while writes are stopped nor while the
  // process exits), and lets go of every object of the database. Idempotent.
  void close();
  // The rate limit, whatever the lease says, and no more changes: the process exits, and nobody has
  // closed it.
  void return_rate() noexcept;

 private:
  void describe(rocksdb::DB* db, const rocksdb::DBOptions& options, std::uint64_t number,
                bool read_only);
  [[nodiscard]] std::vector<std::string> paths() const;
  void hurry() noexcept;
  std::vector<KnobGroups::Group> take_groups(const Families::Pointer& family);
  // Both with a pass, or with closing_ held while there are knobs_ and control_.
  void end_groups(const std::vector<KnobGroups::Group>& groups) noexcept;
  void adopt_orphans() noexcept;

  Gate gate_;
  // Order: closing_, listing_, then the lock of knobs_, of one group, of the states of its knobs,
  // of what those share (agent/shared_objects.h); control_'s own is taken inside any of them, and
  // holds nothing else. With listing_ held only RocksDB's DB mutex is waited for, and a read of
  // options that is under way. gate_ is waited for before closing_; the gates of a family and of
  // its objects last, with none of these held that its users take.
  std::mutex closing_;
  std::mutex listing_;  // column families coming and going, in families_, knobs_ and control_ alike
  wire::Database description_;
  std::shared_ptr<Families> families_;
  std::unique_ptr<Sampler> sampler_;
  std::unique_ptr<Report> report_;
  std::unique_ptr<KnobGroups> knobs_;
  std::unique_ptr<Control> control_;
  std::unique_ptr<OpTrace> op_trace_;
  std::shared_ptr<EventRing> events_;  // the listener's, or our own if there is none
  std::unique_ptr<Listener::Connection> connection_;
  std::shared_ptr<WindowedStatistics> statistics_;  // until the close; null: it is none of ours
};

// One line in the database's own LOG, if it has one.
void write_to_log(rocksdb::Logger* log, const std::string& sentence,
                  rocksdb::InfoLogLevel level = rocksdb::InfoLogLevel::WARN_LEVEL);

}  // namespace rocktune::agent
