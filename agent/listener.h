// What RocksDB tells of its own accord: flushes, compactions, stalls, errors. Each becomes an event
// in the ring of its database, and the threads that flush and compact are told what they work on
// (agent/job_context.h).
//
// prepare() puts one into the options that a database is opened with; attach finds it there. Where
// a host opens several databases with the same options they share it: what RocksDB tells without
// saying of which database (stalls, errors) then goes to each of them, with the word "whose".
//
// The callbacks run on RocksDB's threads and, some of them, on the host's: they call no function of
// the database, wait for nothing, let no exception out, and keep a bounded number of things in
// mind. One is different: the deletion of a handle, on the thread that deletes it, waits for those
// who read through it, and returns first what was changed through it, as Attachment::forget does:
// but while writes are stopped, when it might never come back.
//
// Thread-safety: all functions.
#pragma once

#include <rocksdb/listener.h>

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "agent/clock.h"
#include "agent/event_ring.h"
#include "agent/gate.h"
#include "agent/job_context.h"
#include "agent/job_events.h"
#include "agent/running_jobs.h"
#include "agent/stall_watch.h"

namespace rocktune::agent {

class Listener final : public rocksdb::EventListener {
 public:
  using Listeners = std::vector<std::shared_ptr<rocksdb::EventListener>>;

  using Forget = std::function<void(const rocksdb::ColumnFamilyHandle* handle)>;

 private:
  struct Attached {
    const rocksdb::DB* root;
    std::shared_ptr<EventRing> events;
    Forget forget;
    Gate gate;  // of those who are in `forget`
  };

 public:
  // One attached database, for as long as it lives. Its end waits for whoever is in `forget`.
  class Connection {
   public:
    Connection(std::shared_ptr<Listener> listener, std::shared_ptr<Attached> attached)
        : listener_(std::move(listener)), attached_(std::move(attached)) {}
    ~Connection() { listener_->disconnect(attached_); }
    Connection(const Connection&) = delete;
    Connection& operator=(const Connection&) = delete;

    [[nodiscard]] const std::shared_ptr<EventRing>& events() const { return attached_->events; }
    // Tells each column family of the sample what of it is being compacted now, and has been.
    void add_jobs(wire::Sample& sample) const;
    // Calls it with every handle whose destruction begins, of whichever database that shares the
    // listener, on the thread that destroys it. Once.
    void forget_with(Forget forget);

   private:
    const std::shared_ptr<Listener> listener_;
    const std::shared_ptr<Attached> attached_;
  };

  explicit Listener(Clock clock);

  // The one among a database's listeners; null if there is none, or one of another copy of this
  // library.
  static std::shared_ptr<Listener> find(const Listeners& listeners);

  // From now on events of `root` (what RocksDB gives its callbacks) go into the connection's ring,
  // which the listener's first database shares with what happened since its open.
  static std::unique_ptr<Connection> connect(const std::shared_ptr<Listener>& listener,
                                             const rocksdb::DB* root);

  [[nodiscard]] const char* Name() const override;
  // Empty: RocksDB shall not write it into the OPTIONS file, from where nobody could make one.
  [[nodiscard]] std::string GetId() const override { return {}; }

  void OnFlushBegin(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) override;
  void OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;
  void OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) override;
  void OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) override;
  void OnSubcompactionBegin(const rocksdb::SubcompactionJobInfo& info) override;
  void OnSubcompactionCompleted(const rocksdb::SubcompactionJobInfo& info) override;
  void OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) override;
  void OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) override;
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error,
                            bool* auto_recovery) override;
  void OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) override;
  void OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) override;

 private:
  void disconnect(const std::shared_ptr<Attached>& attached) noexcept;
  // Whose `forget` comes after this one's (null: the first). Null: there is none.
  std::shared_ptr<Attached> next_to_tell(const Attached* told);
  // Null: nobody attached it, and nobody will.
  std::shared_ptr<EventRing> events_of(const rocksdb::DB* db);
  void add_to(const rocksdb::DB* db, wire::Event event);
  void add_to_each(const wire::Event& event);
  template <class Info>
  void begin(const rocksdb::DB* db, const Info& info, std::optional<RunningJobs::Input> input);
  template <class Info>
  Elapsed end(const rocksdb::DB* db, const Info& info, RunningJobs::Ended ended);
  template <class Make>
  void tell(const rocksdb::DB* db, Make make) noexcept;
  template <class Make>
  void tell_each(Make make) noexcept;
  void miss(const rocksdb::DB* db) noexcept;

  const Clock clock_;
  std::mutex mutex_;                  // guards what follows; held for moments only
  std::shared_ptr<EventRing> early_;  // of a database that is not attached yet
  std::vector<std::shared_ptr<Attached>> attached_;
  RunningJobs running_;
  StallWatch stalls_;
};

}  // namespace rocktune::agent
