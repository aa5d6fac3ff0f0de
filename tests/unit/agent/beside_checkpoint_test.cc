// What the agent does for a database while a checkpoint of it hangs.
#include <rocksdb/utilities/stackable_db.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "agent/service.h"
#include "tests/support/unix_socket.h"
#include "tests/unit/agent/database_fixture.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using Catch::Matchers::Contains;

constexpr std::chrono::seconds kCheckpointPatience{30};  // after which the test fails

// RocksDB keeps its checkpoint waiting until it is let go.
class HangingDatabase final : public rocksdb::StackableDB {
 public:
  explicit HangingDatabase(rocksdb::DB* db)
      : StackableDB(std::shared_ptr<rocksdb::DB>(db, [](rocksdb::DB*) {})) {}
  rocksdb::Status GetLiveFilesStorageInfo(
      const rocksdb::LiveFilesStorageInfoOptions& options,
      std::vector<rocksdb::LiveFileStorageInfo>* files) override {
    begun.set_value();
    may_end_.wait(false);
    return StackableDB::GetLiveFilesStorageInfo(options, files);
  }
  void let_go() {
    may_end_ = true;
    may_end_.notify_all();
  }
  std::promise<void> begun;

 private:
  std::atomic<bool> may_end_{false};
};

// One request over the agent's socket.
class Asked {
 public:
  Asked(const Service& service, const std::string& action, const std::string& body)
      : socket_(service.path(), tests::UnixSocket::End::kConnects) {
    const timeval patience{kCheckpointPatience.count(), 0};
    REQUIRE(::setsockopt(socket_.descriptor(), SOL_SOCKET, SO_RCVTIMEO, &patience,
                         sizeof patience) == 0);
    const std::string text = "POST /v1/dbs/3/" + action +
                             " HTTP/1.1\r\nHost: agent\r\nConnection: close\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body;
    REQUIRE(::send(socket_.descriptor(), text.data(), text.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(text.size()));
  }
  // As far as it comes in time.
  [[nodiscard]] std::string answer() const {
    std::string text;
    char part[1024];
    for (ssize_t size = 0; (size = ::recv(socket_.descriptor(), part, sizeof part, 0)) > 0;) {
      text.append(part, static_cast<std::size_t>(size));
    }
    return text;
  }

 private:
  const tests::UnixSocket socket_;
};

wire::Hello read_write() {
  wire::Hello hello;
  hello.mode = "rw";
  return hello;
}

// Ends in the order that the threads need, whatever failed before.
struct AfterCheckpoint {
  HangingDatabase& db;
  Service& service;
  Registry& registry;
  Database& database;
  ~AfterCheckpoint() {
    db.let_go();
    service.stop();
    registry.remove("3");
    database.close();
  }
};

TEST_CASE("while a checkpoint is made its database is changed, and returned, as always") {
  testing::TestClock now;
  testing::TestDatabase host;
  HangingDatabase db(host.db.get());
  const auto database = std::make_shared<Database>(&db, host.handles, 3, false, now.read());
  const std::string recording = host.directory.file("recording");
  std::filesystem::create_directory(recording);
  const auto file = SocketFile::listen(host.directory.file("agent"), ::getpid());
  REQUIRE(file.has_value());
  static auto& registry = *new Registry;  // never destroyed, as the process's own
  static auto& service = *new Service(registry, *file, read_write());
  registry.add(database);
  service.start();
  const AfterCheckpoint after{db, service, registry, *database};

  const Asked trace(
      service, "op_trace",
      R"({"action":"start","max_bytes":1048576,"seconds":60,"directory":")" + recording + "\"}");
  REQUIRE(db.begun.get_future().wait_for(kCheckpointPatience) == std::future_status::ready);
  CHECK_THAT(Asked(service, "lease", R"({"holder":"me","seconds":10})").answer(),
             Contains("200 OK"));
  const Asked change(
      service, "changes",
      R"({"holder":"me","changes":[{"id":"1","knob":"max_background_jobs","value":4}]})");
  CHECK_THAT(change.answer(), Contains("applied"));
  CHECK(host.db->GetDBOptions().max_background_jobs == 4);

  now += 11s;  // the lease is over
  const auto until = std::chrono::steady_clock::now() + kCheckpointPatience;
  while (host.db->GetDBOptions().max_background_jobs != 2 &&
         std::chrono::steady_clock::now() < until) {
    std::this_thread::yield();
  }
  CHECK(host.db->GetDBOptions().max_background_jobs == 2);
  db.let_go();
  CHECK_THAT(trace.answer(), Contains(R"("checkpoint":true)"));
}

}  // namespace
}  // namespace rocktune::agent
