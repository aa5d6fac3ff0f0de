// The agent's side of the preload library: attaches what it opens, detaches what it sees close.
#include <rocksdb/version.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <utility>

#include "agent/fork_guard.h"
#include "agent/include/rocktune/agent.h"
#include "agent/preload/api.h"
#include "agent/prepare.h"
#include "agent/process.h"

namespace rocktune::preload {
namespace {

using Handle = rocksdb::ColumnFamilyHandle;

struct Watched {
  std::shared_ptr<agent::Database> database;
  std::vector<const void*> handles;
};

struct State {
  std::mutex mutex;
  std::map<const void*, Watched> databases;
  std::map<const void*, const void*> handles;  // handle to its database
};

// Never destroyed: databases may be closed after static destructors have run.
State& state() {
  static auto* const one = new State;
  return *one;
}

// The first virtual functions of DB are Resume, Close and the destructors, those of a handle its
// destructors; a few more are looked at, which both classes have in every version.
constexpr std::size_t kDatabaseEntries = 8;
constexpr std::size_t kHandleEntries = 4;

bool has_in_vtable(const void* object, std::size_t entries,
                   std::initializer_list<const void*> wanted) {
  const void* const* const vtable = *static_cast<const void* const* const*>(object);
  return std::all_of(wanted.begin(), wanted.end(), [&](const void* function) {
    return std::find(vtable, vtable + entries, function) != vtable + entries;
  });
}

bool is_safe(const Handle* handle, const Interposed& ours) {
  return has_in_vtable(handle, kHandleEntries, {ours.handle_delete, ours.handle_destroy});
}

template <class Options>
Options* completed(const Options& options, agent::Purpose purpose) try {
  auto copy = std::make_unique<Options>(options);
  agent::prepare(*copy, purpose);
  return copy.release();
} catch (...) {
  return nullptr;
}

rocksdb::DBOptions* prepare_copy(const rocksdb::DBOptions& options, bool only_read) {
  return completed(options, only_read ? agent::Purpose::kRead : agent::Purpose::kWrite);
}
void discard(rocksdb::DBOptions* prepared) {
  delete prepared;
}

rocksdb::Options* prepare_all(const rocksdb::Options& options) {
  return completed(options, agent::Purpose::kRead);
}
void discard_all(rocksdb::Options* prepared) {
  delete prepared;
}

void watch(rocksdb::DB* db, Watched watched) {
  const std::lock_guard lock(state().mutex);
  for (const void* const handle : watched.handles) state().handles[handle] = db;
  state().databases[db] = std::move(watched);
}

constexpr char kForked[] = "not attached: this process was forked from one with an agent";
constexpr char kUnseenClose[] =
    "not attached: this build of RocksDB would not show the close of the database to the preloaded "
    "agent; link librocktune_agent instead";

const char* opened(rocksdb::DB* db, const std::vector<Handle*>* handles,
                   const Interposed& ours) try {
  if (agent::in_child()) return kForked;
  if (agent::settings().mode == wire::AgentMode::kOff) {
    const auto& problem = agent::settings().problem;
    if (problem.empty()) return nullptr;
    agent::write_to_log(db->GetDBOptions().info_log.get(), "off: " + problem);
    return problem.c_str();
  }
  if (!has_in_vtable(db, kDatabaseEntries, {ours.db_close, ours.db_delete, ours.db_destroy})) {
    agent::write_to_log(db->GetDBOptions().info_log.get(), kUnseenClose);
    return kUnseenClose;
  }
  std::vector<Handle*> safe;
  if (handles != nullptr) {
    std::copy_if(handles->begin(), handles->end(), std::back_inserter(safe),
                 [&](const Handle* handle) { return is_safe(handle, ours); });
  }
  Watched watched;
  watched.handles.assign(safe.begin(), safe.end());
  const auto database = watched.database = agent::attach(db, safe);
  if (!database) return "not attached: the agent could not read the database";
  try {
    watch(db, std::move(watched));
  } catch (...) {
    agent::detach(database);  // its close would not be seen
    throw;
  }
  return nullptr;
} catch (...) {
  return "not attached: out of memory";
}

// Remembered before it is used: then its end cannot be missed.
void created(const void* db, Handle* const* handles, std::size_t count,
             const Interposed& ours) try {
  if (agent::in_child()) return;
  for (auto* const handle : std::span(handles, count)) {
    if (!is_safe(handle, ours)) continue;
    std::shared_ptr<agent::Database> database;
    {
      const std::lock_guard lock(state().mutex);
      const auto it = state().databases.find(db);
      if (it == state().databases.end()) return;
      if (!state().handles.emplace(handle, db).second) continue;
      it->second.handles.push_back(handle);
      database = it->second.database;
    }
    database->add(handle);
  }
} catch (...) {
}

void closing(const void* db) try {
  if (agent::in_child()) return;
  std::shared_ptr<agent::Database> database;
  {
    const std::lock_guard lock(state().mutex);
    const auto it = state().databases.find(db);
    if (it == state().databases.end()) return;
    database = it->second.database;
  }
  // Whoever destroys a handle meanwhile still finds its database, and waits for the same.
  agent::detach(database);
  const std::lock_guard lock(state().mutex);
  const auto it = state().databases.find(db);
  if (it == state().databases.end()) return;
  for (const void* const handle : it->second.handles) state().handles.erase(handle);
  state().databases.erase(it);
} catch (...) {
}

void handle_closing(const void* handle) try {
  if (agent::in_child()) return;
  std::shared_ptr<agent::Database> database;
  {
    const std::lock_guard lock(state().mutex);
    const auto it = state().handles.find(handle);
    if (it == state().handles.end()) return;
    auto& watched = state().databases.at(it->second);
    std::erase(watched.handles, handle);
    database = watched.database;
    state().handles.erase(it);
  }
  // Without the lock: it may have to wait for a reading, and that for locks of RocksDB.
  database->forget(static_cast<const Handle*>(handle));
} catch (...) {
}

}  // namespace
}  // namespace rocktune::preload

extern "C" ROCKTUNE_API const rocktune::preload::Api* rocktune_preload_api_v2() {
  namespace preload = rocktune::preload;
  static const preload::Api api = {reinterpret_cast<const void*>(&rocksdb::GetRocksVersionAsString),
                                   preload::prepare_copy,
                                   preload::discard,
                                   preload::prepare_all,
                                   preload::discard_all,
                                   preload::opened,
                                   preload::created,
                                   preload::closing,
                                   preload::handle_closing};
  return &api;
}
