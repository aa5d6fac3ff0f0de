#include "agent/process.h"

#include <fcntl.h>
#include <rocksdb/version.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>
#include <random>
#include <string_view>
#include <thread>
#include <utility>

#include "agent/exiting.h"
#include "agent/fork_guard.h"
#include "agent/one_service.h"
#include "agent/op_trace/file.h"
#include "agent/registry.h"
#include "agent/rocksdb_version.h"
#include "agent/service.h"
#include "agent/socket_file.h"
#include "agent/thread.h"

namespace rocktune::agent {
namespace {

std::string read_command() {
  const int fd = ::open("/proc/self/comm", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return {};
  char name[64];
  const auto length = ::read(fd, name, sizeof name);
  ::close(fd);
  const std::string_view text(name, length > 0 ? static_cast<std::size_t>(length) : 0);
  return std::string(text.substr(0, text.find('\n')));
}

std::string random_instance() {
  std::random_device random;
  char text[17];
  std::snprintf(text, sizeof text, "%08x%08x", random(), random());
  return text;
}

wire::Hello hello() {
  wire::Hello hello;
  hello.agent_version = ROCKTUNE_VERSION;
  hello.rocksdb_version = rocksdb::GetRocksVersionAsString();
  hello.pid = ::getpid();
  hello.command = read_command();
  hello.instance = random_instance();
  const bool read_only = settings().mode == wire::AgentMode::kReadOnly;
  hello.mode = read_only ? "ro" : "rw";
  hello.capabilities = {"sample", "statistics", "events", "knobs", "options"};
  if (!read_only) {
    hello.capabilities.insert(hello.capabilities.end(),
                              {"changes", "lease", "restore", "release", "hold", "op_trace"});
  }
  return hello;
}

constexpr char kExiting[] = "stopped: the process is exiting";

struct Process {
  Registry registry;
  // Never destroyed, and none follows it. Read at exit() without the lock, since a thread that
  // holds that may be the one that exits.
  OneService<Service> service;

  // Guards what follows. Never held while RocksDB or the host's logger is called: they may take
  // locks that the host holds while it opens another database.
  std::mutex mutex;
  std::uint64_t next_number = 1;
  std::string status = "not started: no database is attached yet";
  std::map<const rocksdb::DB*, std::weak_ptr<Database>> attached;  // by the innermost object
};

Process& process() {
  static auto* const one = new Process;
  return *one;
}

// For a second at most.
template <class Condition>
bool wait_until(const Condition& is_so) {
  constexpr std::chrono::milliseconds kLongestWait{1000};
  constexpr std::chrono::milliseconds kLook{1};
  const auto until = std::chrono::steady_clock::now() + kLongestWait;
  while (!is_so() && std::chrono::steady_clock::now() < until) std::this_thread::sleep_for(kLook);
  return is_so();
}

// Before exit() goes on RocksDB's threads end the compactions that they are at, of a database that
// nobody has closed: behind a low limit of ours that would take minutes, or hours. On a thread of
// its own, since who exits may hold what this needs.
void return_rates() noexcept try {
  const auto done = std::make_shared<std::atomic<bool>>(false);
  auto thread = start_thread("rocktune-exit", [done] {
    try {
      for (const auto& database : process().registry.all()) database->return_rate();
    } catch (...) {  // no memory
    }
    done->store(true);
  });
  wait_until([&] { return done->load(); }) ? thread.join() : thread.detach();
} catch (...) {  // no thread to be had
}

void at_exit() {
  if (in_child()) return;
  exit_begun().store(true);
  return_rates();
  process().service.stop();
  return_rates();  // what a request that was under way has set
  // The end of a trace of operations, whose database has just been closed: milliseconds on any disk
  // that works.
  wait_until([] { return OpTraceFile::unwritten() == 0; });
}

// With the mutex held. A directory that was missing may be there at the next attach.
void serve(Process& self) try {
  if (self.service.serves() || exiting()) return;
  auto greeting = hello();  // first: when it throws, no socket is left behind
  auto file = SocketFile::listen(settings().directory, ::getpid());
  if (!file) {
    self.status = "not serving: " + file.error();
    return;
  }
  static const int refused = std::atexit(at_exit);
  if (refused != 0) {  // the last handler has run already
    file->remove();
    self.status = kExiting;
    return;
  }
  try {
    auto service = std::make_unique<Service>(self.registry, *file, std::move(greeting));
    service->start();
    self.status = "serving on " + file->path();
    if (!self.service.serve(std::move(service))) self.status = kExiting;
  } catch (const std::exception& problem) {
    file->remove();
    self.status = std::string("not serving: ") + problem.what();
  }
} catch (const std::exception& problem) {
  self.status = std::string("not serving: ") + problem.what();
}

// What RocksDB makes when it is first asked for something is destroyed at exit, the latest first:
// asked before our exit handler is registered, it outlives our threads.
void ask_once(Database& database) {
  static std::atomic<bool> asked{false};
  const auto inside = database.pass();
  if (!inside || asked.exchange(true)) return;
  database.sampler().rehearse();
  database.report().rehearse();
}

std::shared_ptr<Database> already_attached(Process& self, const rocksdb::DB* root) {
  const auto it = self.attached.find(root);
  return it == self.attached.end() ? nullptr : it->second.lock();
}

std::shared_ptr<Database> enlist(Process& self, const rocksdb::DB* root,
                                 const std::shared_ptr<Database>& database) {
  const std::lock_guard lock(self.mutex);
  if (auto first = already_attached(self, root)) return first;
  self.attached[root] = database;
  self.registry.add(database);
  serve(self);
  return database;
}

std::shared_ptr<Database> attach_or_throw(
    rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  watch_forks();
  // With another RocksDB than ours not even its LOG can be written to: status() says why.
  if (db == nullptr || in_child() || !rocksdb_mismatch().empty()) return nullptr;
  const auto log = [db](const std::string& text, rocksdb::InfoLogLevel level) {
    write_to_log(db->GetDBOptions().info_log.get(), text, level);
  };
  if (settings().mode == wire::AgentMode::kOff) {
    if (!settings().problem.empty()) {
      log("off: " + settings().problem, rocksdb::InfoLogLevel::WARN_LEVEL);
    }
    return nullptr;
  }
  auto& self = process();
  const auto* const root = db->GetRootDB();
  std::uint64_t number = 0;
  {
    const std::lock_guard lock(self.mutex);
    // Linked and preloaded: the first one wins.
    if (auto first = already_attached(self, root)) return first;
    number = self.next_number++;
  }
  auto database =
      std::make_shared<Database>(db, handles, number, settings().mode == wire::AgentMode::kReadOnly,
                                 [] { return std::chrono::steady_clock::now(); });
  try {
    ask_once(*database);
    if (auto first = enlist(self, root, database); first != database) {
      database->close();
      return first;
    }
    log(status(), self.service.serves() ? rocksdb::InfoLogLevel::INFO_LEVEL
                                        : rocksdb::InfoLogLevel::WARN_LEVEL);
  } catch (...) {
    detach(database);  // nobody would do so later
    throw;
  }
  return database;
}

}  // namespace

const wire::AgentSettings& settings() {
  static const auto* const read = new wire::AgentSettings(
      wire::read_agent_settings([](const char* name) { return ::secure_getenv(name); }));
  return *read;
}

std::shared_ptr<Database> attach(rocksdb::DB* db,
                                 const std::vector<rocksdb::ColumnFamilyHandle*>& handles) noexcept
    try {
  return attach_or_throw(db, handles);
} catch (...) {
  return nullptr;
}

void detach(const std::shared_ptr<Database>& database) noexcept try {
  if (!database) return;
  if (in_child()) {
    // Its locks may have been held by threads that do not exist here: leave it all behind.
    new std::shared_ptr<Database>(database);
    return;
  }
  process().registry.remove(database->description().id);
  database->close();
  const std::lock_guard lock(process().mutex);
  std::erase_if(process().attached, [&](const auto& item) {
    const auto other = item.second.lock();
    return !other || other == database;
  });
} catch (...) {
}

std::string status() {
  if (in_child()) return "none: this process was forked from one with an agent";
  if (settings().mode == wire::AgentMode::kOff) {
    return settings().problem.empty() ? "off: ROCKTUNE_AGENT_MODE=off"
                                      : "off: " + settings().problem;
  }
  if (!rocksdb_mismatch().empty()) return "off: " + rocksdb_mismatch();
  if (exiting()) return kExiting;
  const std::lock_guard lock(process().mutex);
  return process().status;
}

}  // namespace rocktune::agent
