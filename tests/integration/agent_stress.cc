// Opens and closes a database many times in one process while the agent is polled at 10 ms over its
// socket, forks now and then, and at last exits without closing. Made for the sanitizers: any
// access to a database that has gone shows there.
//
//   agent_stress [CYCLES]
#include <rocksdb/db.h>
#include <rocktune/agent.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/message.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/open_database.h"
#include "wire/codec.h"

namespace {

namespace http = boost::beast::http;
namespace wire = rocktune::wire;
using Socket = boost::asio::local::stream_protocol::socket;

constexpr auto kPollInterval = std::chrono::milliseconds(10);
constexpr int kCyclesBetweenForks = 50;

std::string* root = nullptr;  // the directory of this run; never destroyed

[[noreturn]] void fail(const std::string& what) {
  std::fprintf(stderr, "agent_stress: %s\n", what.c_str());
  std::error_code ignored;
  if (root != nullptr) std::filesystem::remove_all(*root, ignored);
  std::_Exit(1);
}

void check(bool good, const char* what) {
  if (!good) fail(what);
}

// Polls as the daemon does, and checks that every answer is one of the protocol's.
class Poller {
 public:
  explicit Poller(std::string path) : path_(std::move(path)), thread_([this] { run(); }) {}
  ~Poller() { stop(); }
  Poller(const Poller&) = delete;
  Poller& operator=(const Poller&) = delete;

  void stop() {
    stopping_ = true;
    if (thread_.joinable()) thread_.join();
  }
  std::atomic<std::uint64_t> rounds{0}, samples{0}, changes{0}, gone{0};

 private:
  void run() try {
    boost::asio::io_context io;
    Socket socket(io);
    socket.connect(boost::asio::local::stream_protocol::endpoint(path_));
    auto due = std::chrono::steady_clock::now();
    while (!stopping_) {
      poll(socket, rounds++);
      due += kPollInterval;
      std::this_thread::sleep_until(due);
    }
  } catch (const std::exception& problem) {
    fail(std::string("polling: ") + problem.what());
  }

  void poll(Socket& socket, std::uint64_t round) {
    if (round % 10 == 0) decoded<wire::Hello>(ask(socket, http::verb::get, "/v1/hello", ""));
    const auto list = decoded<wire::DatabaseList>(ask(socket, http::verb::get, "/v1/dbs", ""));
    for (const auto& database : list.databases) {
      const std::string base = "/v1/dbs/" + database.id;
      visit<wire::Lease>(socket, http::verb::post, base + "/lease",
                         wire::encode(wire::Lease{"stress", 5, "restore", {}}));
      if (visit<wire::Sample>(socket, http::verb::get, base + "/sample?holder=stress", "")) {
        ++samples;
      }
      if (round % 3 == 0) change(socket, base, round);
      if (round % 5 == 0) visit<wire::Options>(socket, http::verb::get, base + "/options", "");
      if (round % 7 == 0) {
        visit<wire::ChangeResults>(socket, http::verb::post, base + "/restore", "{}");
      }
    }
  }

  void change(Socket& socket, const std::string& base, std::uint64_t round) {
    const auto value = static_cast<std::int64_t>(round % 7);
    wire::ChangesRequest request{"stress", {}};
    const auto id = std::to_string(round);
    request.changes.push_back(
        {"r" + id, "rate_limiter_bytes_per_second", "", (1 + value) << 26, {}});
    request.changes.push_back({"j" + id, "max_background_jobs", "", 2 + value, {}});
    request.changes.push_back({"c" + id, "block_cache_capacity_bytes", "", (1 + value) << 22, {}});
    if (visit<wire::ChangeResults>(socket, http::verb::post, base + "/changes",
                                   wire::encode(request))) {
      ++changes;
    }
  }

  // The database may have gone since it was listed: that is an answer too.
  template <class T>
  bool visit(Socket& socket, http::verb verb, const std::string& target, const std::string& body) {
    const auto response = ask(socket, verb, target, body);
    if (response.result_int() == 200) {
      decoded<T>(response);
      return true;
    }
    const auto error = wire::decode<wire::Error>(response.body());
    if (!error) fail(target + ": " + error.error() + ": " + response.body());
    const bool expected = error->code == "not_found" || error->code == "no_lease";
    if (!expected) fail(target + ": " + error->code + ": " + error->message);
    ++gone;
    return false;
  }

  using Response = http::response<http::string_body>;
  Response ask(Socket& socket, http::verb verb, const std::string& target,
               const std::string& body) {
    http::request<http::string_body> request(verb, target, 11, body);
    request.set(http::field::host, "agent");
    request.prepare_payload();
    http::write(socket, request);
    http::response_parser<http::string_body> parser;
    parser.body_limit(32 << 20);
    http::read(socket, buffer_, parser);
    return parser.release();
  }

  template <class T>
  static T decoded(const Response& response) {
    auto message = wire::decode<T>(response.body());
    if (!message) fail(message.error() + ": " + response.body());
    return *std::move(message);
  }

  const std::string path_;
  boost::beast::flat_buffer buffer_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;  // last: it uses the others
};

struct Host {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  std::unique_ptr<rocktune::Agent::Attachment> attachment;

  explicit Host(const std::string& path) {
    rocksdb::DBOptions options;
    options.create_if_missing = true;
    options.create_missing_column_families = true;
    options.keep_log_file_num = 2;
    rocktune::prepare(options);
    const auto status = rocktune::testing::open_database(
        options, path, {{"default", {}}, {"second", {}}}, &handles, &db);
    if (!status.ok()) fail(status.ToString());
    attachment = rocktune::Agent::attach(db.get(), handles);
    check(!attachment->id().empty(), "not attached");
  }

  void work(int cycle) {
    std::string value;
    for (int i = 0; i < 20; ++i) {
      const auto key = std::to_string(cycle * 20 + i);
      auto* const family = handles[static_cast<std::size_t>(i) % handles.size()];
      check(db->Put({}, family, key, std::string(100, 'v')).ok(), "Put");
      check(db->Get({}, family, key, &value).ok(), "Get");
    }
    if (cycle % 10 == 0) check(db->Flush({}, handles[1]).ok(), "Flush");
    // Closes at every phase of a poll.
    std::this_thread::sleep_for(std::chrono::milliseconds(cycle % 12));
  }

  // In the orders that the header allows, in turn.
  void close(int cycle) {
    if (cycle % 2 == 0) {
      attachment->forget(handles[1]);
      check(db->DestroyColumnFamilyHandle(handles[1]).ok(), "DestroyColumnFamilyHandle");
      handles.pop_back();
    }
    attachment.reset();
    for (auto* const handle : handles) delete handle;
    handles.clear();
    if (cycle % 3 == 0) check(db->Close().ok(), "Close");
    db.reset();
  }
};

// The child of a process with an agent has none: no waiting, no sockets.
void fork_and_check(Host& host) {
  const pid_t child = ::fork();
  check(child >= 0, "fork");
  if (child == 0) {
    int sockets = 0;
    for (int fd = 3; fd < 256; ++fd) {
      struct stat info{};
      // The poller's own connection is the host's, and stays.
      if (::fstat(fd, &info) == 0 && S_ISSOCK(info.st_mode)) ++sockets;
    }
    const bool none = rocktune::Agent::status().starts_with("none");
    const bool inert = rocktune::Agent::attach(host.db.get())->id().empty();
    rocksdb::DBOptions options;
    rocktune::prepare(options);
    host.attachment.reset();
    ::_exit(none && inert && !options.statistics && sockets <= 1 ? 0 : 1);
  }
  int status = 0;
  check(::waitpid(child, &status, 0) == child, "waitpid");
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the forked child has an agent");
}

std::string socket_in(const std::string& directory) {
  return directory + "/agent." + std::to_string(::getpid()) + ".sock";
}

// Outlives main() on purpose: exiting without closing must be safe. Volatile, so that the leak
// checker finds it here.
Host* volatile left_open = nullptr;

// Registered before the agent's own exit handler, hence run after it.
void check_exit() {
  const bool removed = !std::filesystem::exists(socket_in(*root));
  const bool stopped = rocktune::Agent::status().starts_with("stopped");
  std::error_code ignored;
  std::filesystem::remove_all(*root, ignored);
  if (!removed || !stopped) fail("the agent did not end with the process");
}

}  // namespace

int main(int argc, char** argv) {
  const int cycles = argc > 1 ? std::atoi(argv[1]) : 1000;
  // In memory where that can be: opening a database is mostly waiting for the disk.
  const bool memory = ::access("/dev/shm", W_OK) == 0;
  const auto parent =
      memory ? std::filesystem::path("/dev/shm") : std::filesystem::temp_directory_path();
  std::string directory = parent / "rocktune-stress.XXXXXX";
  check(::mkdtemp(directory.data()) != nullptr, "mkdtemp");
  check(::setenv("ROCKTUNE_AGENT_DIR", directory.c_str(), 1) == 0, "setenv");
  root = new std::string(directory);
  check(std::atexit(check_exit) == 0, "atexit");
  const std::string path = directory + "/db";
  {
    Host(path).close(0);
  }
  check(std::filesystem::exists(socket_in(directory)), rocktune::Agent::status().c_str());
  {
    Poller poller(socket_in(directory));
    for (int cycle = 0; cycle < cycles; ++cycle) {
      Host host(path);
      host.work(cycle);
      if (cycle % kCyclesBetweenForks == 0) fork_and_check(host);
      host.close(cycle);
    }
    poller.stop();
    std::fprintf(stderr,
                 "%d cycles, %llu rounds of polling, %llu samples, %llu changes, %llu too late\n",
                 cycles, static_cast<unsigned long long>(poller.rounds),
                 static_cast<unsigned long long>(poller.samples),
                 static_cast<unsigned long long>(poller.changes),
                 static_cast<unsigned long long>(poller.gone));
    check(cycles < 100 || (poller.samples > 50 && poller.changes > 10), "too little was polled");
  }
  left_open = new Host(path);
  Poller last(socket_in(directory));
  while (last.samples < 3) std::this_thread::sleep_for(kPollInterval);
  last.stop();
  return 0;
}
