#include "agent/listener.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "agent/fork_guard.h"

namespace rocktune::agent {
namespace {

// Compared by address, which is unique to this copy of the library.
constexpr char kListenerName[] = "rocktune.Listener";

thread_local Job g_job_around = Job::kNone;  // what the thread did before its subcompaction

Job job_of(int base_input_level) {
  return base_input_level == 0 ? Job::kL0Compaction : Job::kDeepCompaction;
}

RunningJobs::Input input_of(const rocksdb::CompactionJobInfo& info, const wire::Event& event) {
  const Level0Input level0 = level0_input(info);
  const auto bytes = static_cast<std::uint64_t>(event.numbers.at("input_bytes"));
  // What was flushed into level 0 is counted against that, whatever takes it out.
  const std::uint64_t beside = bytes - std::min(bytes, level0.bytes);
  const std::uint64_t other = is_for_size(info.compaction_reason) ? 0 : beside;
  return {level0.files, bytes, info.base_input_level, level0.ingested_bytes + other};
}

RunningJobs::Ended how_ended(const rocksdb::CompactionJobInfo& info) {
  if (!info.status.ok()) return RunningJobs::Ended::kFailed;
  return moves_files(info) ? RunningJobs::Ended::kMoved : RunningJobs::Ended::kRewrote;
}

}  // namespace

Listener::Listener(Clock clock) : clock_(std::move(clock)), early_(std::make_shared<EventRing>()) {}

std::shared_ptr<Listener> Listener::find(const Listeners& listeners) {
  for (const auto& listener : listeners) {
    if (listener && listener->Name() == kListenerName)
      return std::static_pointer_cast<Listener>(listener);
  }
  return nullptr;
}

std::unique_ptr<Listener::Connection> Listener::connect(const std::shared_ptr<Listener>& listener,
                                                        const rocksdb::DB* root) {
  const std::lock_guard lock(listener->mutex_);
  auto attached = std::make_shared<Attached>();
  attached->root = root;
  attached->events = listener->early_ ? listener->early_ : std::make_shared<EventRing>();
  listener->attached_.reserve(listener->attached_.size() + 1);
  auto connection = std::make_unique<Connection>(listener, attached);
  listener->attached_.push_back(std::move(attached));
  listener->early_.reset();
  return connection;
}

void Listener::Connection::forget_with(Forget forget) {
  const std::lock_guard lock(listener_->mutex_);
  attached_->forget = std::move(forget);
}

void Listener::disconnect(const std::shared_ptr<Attached>& attached) noexcept {
  attached->gate.close();
  const std::lock_guard lock(mutex_);
  std::erase(attached_, attached);
  running_.forget(attached->root);
  if (!attached_.empty()) return;
  try {  // the host may open its next database with the same options
    early_ = std::make_shared<EventRing>();
    stalls_ = {};
    running_.clear();
  } catch (...) {
  }
}

std::shared_ptr<EventRing> Listener::events_of(const rocksdb::DB* db) {
  const std::lock_guard lock(mutex_);
  const auto it = std::ranges::find_if(attached_, [&](const auto& one) { return one->root == db; });
  return it == attached_.end() ? early_ : (*it)->events;
}

void Listener::add_to(const rocksdb::DB* db, wire::Event event) {
  if (const auto events = events_of(db)) events->add(std::move(event));
}

void Listener::add_to_each(const wire::Event& event) {
  const std::lock_guard lock(mutex_);
  if (early_) early_->add(event);
  for (const auto& one : attached_) {
    auto copy = event;
    if (attached_.size() > 1) copy.words.emplace("whose", "one of several databases");
    one->events->add(std::move(copy));
  }
}

void Listener::miss(const rocksdb::DB* db) noexcept {
  const std::lock_guard lock(mutex_);
  if (early_) early_->miss();
  for (const auto& one : attached_) {
    if (db == nullptr || one->root == db) one->events->miss();
  }
}

template <class Make>
void Listener::tell(const rocksdb::DB* db, Make make) noexcept {
  if (in_child()) return;
  try {
    add_to(db, make());
  } catch (...) {  // no memory
    miss(db);
  }
}

template <class Make>
void Listener::tell_each(Make make) noexcept {
  if (in_child()) return;
  try {
    add_to_each(make());
  } catch (...) {
    miss(nullptr);
  }
}

template <class Info>
void Listener::begin(const rocksdb::DB* db, const Info& info,
                     std::optional<RunningJobs::Input> input) {
  const std::lock_guard lock(mutex_);
  running_.begin({db, info.job_id, info.cf_id}, info.cf_name, input, clock_());
}

template <class Info>
Elapsed Listener::end(const rocksdb::DB* db, const Info& info, RunningJobs::Ended ended) {
  const std::lock_guard lock(mutex_);
  return running_.end({db, info.job_id, info.cf_id}, clock_(), ended);
}

void Listener::Connection::add_jobs(wire::Sample& sample) const {
  const std::lock_guard lock(listener_->mutex_);
  listener_->running_.fill(attached_->root, listener_->clock_(), sample.column_families);
}

const char* Listener::Name() const {
  return kListenerName;
}

void Listener::OnFlushBegin(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) {
  set_current_job(Job::kFlush);
  tell(db, [&] {
    begin(db, info, std::nullopt);
    return flush_begin(info);
  });
}

// One thread may tell the end of what others have flushed: each of those keeps its job until its
// next one begins.
void Listener::OnFlushCompleted(rocksdb::DB* db, const rocksdb::FlushJobInfo& info) {
  set_current_job(Job::kNone);
  tell(db, [&] { return flush_end(info, end(db, info, RunningJobs::Ended::kRewrote)); });
}

void Listener::OnCompactionBegin(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) {
  set_current_job(job_of(info.base_input_level));
  tell(db, [&] {
    auto event = compaction_begin(info);
    begin(db, info, input_of(info, event));
    return event;
  });
}

void Listener::OnCompactionCompleted(rocksdb::DB* db, const rocksdb::CompactionJobInfo& info) {
  set_current_job(Job::kNone);
  tell(db, [&] { return compaction_end(info, end(db, info, how_ended(info))); });
}

// On the thread that wrote it. The listener is told of every table; of a job that it knows, here.
void Listener::OnTableFileCreated(const rocksdb::TableFileCreationInfo& info) {
  if (info.reason != rocksdb::TableFileCreationReason::kCompaction || in_child()) return;
  if (!info.status.ok()) return;
  const std::lock_guard lock(mutex_);
  running_.table_created(info.cf_name, info.job_id, info.file_size);
}

// On a thread of its own, which ends with it, or on the compaction's, which goes on: the host's,
// where that calls CompactFiles(), and then this is all that is told.
void Listener::OnSubcompactionBegin(const rocksdb::SubcompactionJobInfo& info) {
  g_job_around = current_job();
  set_current_job(job_of(info.base_input_level));
}

void Listener::OnSubcompactionCompleted(const rocksdb::SubcompactionJobInfo& /*info*/) {
  set_current_job(g_job_around);
}

void Listener::OnStallConditionsChanged(const rocksdb::WriteStallInfo& info) {
  tell_each([&] {
    wire::Event event;
    event.kind = "stall";
    event.column_family = bounded(info.cf_name);
    event.words = {{"condition", name_of(info.condition.cur)},
                   {"before", name_of(info.condition.prev)}};
    const std::lock_guard lock(mutex_);
    if (attached_.size() > 1) return event;  // which of them it was is not told
    const auto change =
        stalls_.change(event.column_family, info.condition.prev, info.condition.cur, clock_());
    if (change.late) event.words.emplace("late", "the change that followed it was told before");
    if (change.lasted) {
      const auto us = std::chrono::duration_cast<std::chrono::microseconds>(*change.lasted);
      event.numbers = {{"before_us", us.count()}};
    }
    return event;
  });
}

void Listener::OnBackgroundError(rocksdb::BackgroundErrorReason reason, rocksdb::Status* error) {
  if (error == nullptr) return;
  tell_each([&] { return background_error(reason, *error); });
}

void Listener::OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason reason, rocksdb::Status error,
                                    bool* /*auto_recovery*/) {
  tell_each([&] { return recovery_begin(reason, error); });
}

void Listener::OnErrorRecoveryEnd(const rocksdb::BackgroundErrorRecoveryInfo& info) {
  tell_each([&] { return recovery_end(info); });
}

// Whoever deletes a handle has told the agent, or is told of by the preload library; this is for
// those who did not. Only the handle's own database knows it.
void Listener::OnColumnFamilyHandleDeletionStarted(rocksdb::ColumnFamilyHandle* handle) {
  if (in_child()) return;
  std::shared_ptr<Attached> one;
  while ((one = next_to_tell(one.get()))) {
    // Without the lock: it waits for those who read through the handle.
    if (const Gate::Pass inside(one->gate); inside) {
      try {
        one->forget(handle);
      } catch (...) {
      }
    }
  }
}

// By their addresses: without a copy of the list, for which there might be no memory.
std::shared_ptr<Listener::Attached> Listener::next_to_tell(const Attached* told) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Attached> next;
  for (const auto& one : attached_) {
    if (!one->forget || !std::less<>()(told, one.get())) continue;
    if (!next || std::less<>()(one.get(), next.get())) next = one;
  }
  return next;
}

}  // namespace rocktune::agent
