#include "agent/process.h"

#include <pthread.h>
#include <rocksdb/version.h>
#include <signal.h>
#include <time.h>
#include <unistd.h>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <random>
#include <thread>
#include <utility>

#include "agent/fork_guard.h"
#include "agent/registry.h"
#include "agent/server.h"
#include "agent/socket_file.h"

namespace rocktune::agent {
namespace {

namespace asio = boost::asio;

constexpr std::chrono::milliseconds kTick{200};  // between two looks at the leases
constexpr int kMaxEscapes = 100;                 // exceptions out of handlers before we give up
constexpr int kStopSeconds = 5;

std::string read_command() {
  std::ifstream file("/proc/self/comm");
  std::string name;
  std::getline(file, name);
  return name;
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
  const bool read_only = settings().mode == Mode::kReadOnly;
  hello.mode = read_only ? "ro" : "rw";
  hello.capabilities = {"sample", "options"};
  if (!read_only) {
    hello.capabilities.insert(hello.capabilities.end(), {"changes", "lease", "restore", "release"});
  }
  return hello;
}

// An exception out of a handler costs that request; the loop goes on.
void run(asio::io_context& io) noexcept {
  for (int escapes = 0; escapes < kMaxEscapes; ++escapes) {
    try {
      io.run();
      return;
    } catch (...) {
    }
  }
}

// The handlers of the host's signals must not run on our threads.
std::thread start_thread(const char* name, asio::io_context& io) {
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  std::thread thread;
  try {
    thread = std::thread([&io] { run(io); });
  } catch (...) {
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    throw;
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
  pthread_setname_np(thread.native_handle(), name);
  return thread;
}

// What serves requests. Exists once the socket does.
class Service {
 public:
  Service(Registry& registry, SocketFile file)
      : registry_(registry),
        file_(std::move(file)),
        router_(registry, hello()),
        server_(io_, worker_, router_, file_.descriptor()),
        timer_(worker_) {}

  [[nodiscard]] const std::string& path() const { return file_.path(); }

  void start() {
    server_.start();
    wait_for_tick();
    io_thread_ = start_thread("rocktune-agent", io_);
    try {
      worker_thread_ = start_thread("rocktune-change", worker_);
    } catch (...) {
      io_.stop();
      io_thread_.join();
      throw;
    }
  }

  void stop() {
    io_.stop();
    worker_.stop();
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += kStopSeconds;
    for (auto* const thread : {&io_thread_, &worker_thread_}) {
      // One that RocksDB does not let go is left to the end of the process.
      if (pthread_timedjoin_np(thread->native_handle(), nullptr, &until) != 0) continue;
    }
    file_.remove();
  }

 private:
  void wait_for_tick() {
    timer_.expires_after(kTick);
    timer_.async_wait([this](boost::system::error_code error) {
      if (error) return;
      wait_for_tick();
      for (const auto& database : registry_.all()) {
        if (const auto inside = database->pass()) database->control().tick();
      }
    });
  }

  Registry& registry_;
  SocketFile file_;
  asio::io_context io_{1};
  asio::io_context worker_{1};
  asio::executor_work_guard<asio::io_context::executor_type> io_work_{io_.get_executor()};
  asio::executor_work_guard<asio::io_context::executor_type> worker_work_{worker_.get_executor()};
  Router router_;
  Server server_;
  asio::steady_timer timer_;
  std::thread io_thread_;
  std::thread worker_thread_;
};

struct Process {
  Registry registry;
  std::mutex mutex;  // guards what follows
  std::uint64_t next_number = 1;
  Service* service = nullptr;  // never destroyed, and none follows it
  std::string status = "not started: no database is attached yet";
  std::map<const rocksdb::DB*, std::weak_ptr<Database>> attached;  // by the innermost object
};

Process& process() {
  static auto* const one = new Process;
  return *one;
}

void at_exit() {
  if (in_child()) return;
  Service* service = nullptr;
  {
    const std::lock_guard lock(process().mutex);
    service = process().service;
    process().status = "stopped: the process is exiting";
  }
  if (service != nullptr) service->stop();
}

// With the mutex held. A directory that was missing may be there at the next attach.
void serve(Process& self) {
  if (self.service != nullptr) return;
  auto file = SocketFile::listen(settings().directory, ::getpid());
  if (!file) {
    self.status = "not serving: " + file.error();
    return;
  }
  static const int registered = std::atexit(at_exit);
  static_cast<void>(registered);
  try {
    auto service = std::make_unique<Service>(self.registry, *file);
    service->start();
    self.service = service.release();
    self.status = "serving on " + self.service->path();
  } catch (const std::exception& problem) {
    file->remove();
    self.status = std::string("not serving: ") + problem.what();
  }
}

std::shared_ptr<Database> attach_or_throw(
    rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  watch_forks();
  if (db == nullptr || in_child()) return nullptr;
  if (settings().mode == Mode::kOff) {
    if (!settings().problem.empty()) {
      write_to_log(db->GetDBOptions().info_log.get(), "off: " + settings().problem);
    }
    return nullptr;
  }
  auto& self = process();
  const std::lock_guard lock(self.mutex);
  auto& known = self.attached[db->GetRootDB()];
  if (auto database = known.lock()) return database;  // linked and preloaded: the first one wins
  const bool read_only = settings().mode == Mode::kReadOnly;
  auto database = std::make_shared<Database>(db, handles, self.next_number++, read_only,
                                             [] { return std::chrono::steady_clock::now(); });
  known = database;
  self.registry.add(database);
  serve(self);
  const auto level = self.service != nullptr ? rocksdb::InfoLogLevel::INFO_LEVEL
                                             : rocksdb::InfoLogLevel::WARN_LEVEL;
  write_to_log(db->GetDBOptions().info_log.get(), self.status, level);
  return database;
}

}  // namespace

const Settings& settings() {
  static const auto* const read =
      new Settings(read_settings([](const char* name) { return std::getenv(name); }));
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
  if (settings().mode == Mode::kOff) {
    return settings().problem.empty() ? "off: ROCKTUNE_AGENT_MODE=off"
                                      : "off: " + settings().problem;
  }
  const std::lock_guard lock(process().mutex);
  return process().status;
}

}  // namespace rocktune::agent
