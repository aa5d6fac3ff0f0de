// An agent in this process that serves one small real database, for a fuzzer to speak with: server,
// sessions, router and controls are the real ones, time stands still.
#pragma once

#include <rocksdb/db.h>

#include <atomic>
#include <boost/asio/io_context.hpp>
#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "agent/registry.h"
#include "agent/router.h"
#include "agent/server.h"
#include "agent/socket_file.h"
#include "agent/workers.h"

namespace rocktune::fuzz {

class AgentHost {
 public:
  AgentHost();

  [[nodiscard]] const std::string& socket() const { return file_.path(); }
  // Serves for at most `time`, or until there was something to do.
  void serve(std::chrono::milliseconds time);
  // As if nobody had changed anything: what one input does shall not depend on those before.
  void reset();

 private:
  void open();
  void attach();

  std::string directory_;
  std::vector<rocksdb::ColumnFamilyHandle*> handles_;
  std::unique_ptr<rocksdb::DB> db_;
  boost::asio::io_context io_{1};
  agent::Workers workers_;
  agent::Registry registry_;
  std::shared_ptr<agent::Database> database_;
  agent::SocketFile file_;
  agent::Router router_;
  agent::Server server_;
};

}  // namespace rocktune::fuzz
