#include "tests/fuzz/agent_host.h"

#include <unistd.h>

#include <filesystem>

#include "agent/include/rocktune/agent.h"
#include "tests/fuzz/directory.h"
#include "tests/fuzz/finding.h"
#include "tests/support/open_database.h"

namespace rocktune::fuzz {
namespace {

agent::SocketFile listen_in(const std::string& directory) {
  auto file = agent::SocketFile::listen(directory, ::getpid());
  if (!file) finding(file.error());
  return *std::move(file);
}

wire::Hello hello() {
  wire::Hello hello;
  hello.pid = ::getpid();
  hello.instance = "fuzz";
  hello.mode = "rw";
  return hello;
}

}  // namespace

AgentHost::AgentHost()
    : directory_(make_directory()),
      file_(listen_in(directory_)),
      router_(registry_, hello()),
      server_(io_, workers_, router_, file_.descriptor()) {
  open();
  attach();
  workers_.start();
  server_.start();
}

void AgentHost::open() {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.info_log_level = rocksdb::InfoLogLevel::FATAL_LEVEL;
  prepare(options);
  const auto status = testing::open_database(options, directory_ + "/db",
                                             {{"default", {}}, {"second", {}}}, &handles_, &db_);
  if (!status.ok()) finding(status.ToString());
  for (int i = 0; i < 100; ++i) db_->Put({}, std::to_string(i), "value");
  db_->Flush({});
}

void AgentHost::attach() {
  database_ = std::make_shared<agent::Database>(db_.get(), handles_, 1, false, [] {
    return std::chrono::steady_clock::time_point(std::chrono::hours(1));
  });
  registry_.add(database_);
}

void AgentHost::serve(std::chrono::milliseconds time) {
  io_.run_one_for(time);
  io_.poll();
}

void AgentHost::reset() {
  database_->close();
  attach();
}

}  // namespace rocktune::fuzz
