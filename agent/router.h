// Wire v1 requests to answers, without sockets. docs/wire.md specifies both.
//
// Thread-safety: requests may be handled at once, except two of one queue that change something.
#pragma once

#include <string>
#include <string_view>

#include "agent/registry.h"
#include "wire/codec.h"

namespace rocktune::agent {

struct Request {
  std::string method;
  std::string target;  // path and query, still percent-encoded
  std::string body;
};

struct Response {
  unsigned status = 200;
  std::string body;
};

// The queue of the requests and the due looks at a database's trace of operations. They wait for a
// checkpoint, which may wait for the very change that stands in the database's own queue: a low
// rate limit keeps level 0 full, and a flush waits for it.
std::string op_trace_queue(const std::string& database);

class Router {
 public:
  Router(Registry& registry, wire::Hello hello);

  // Such a request may take as long as RocksDB does (changes), or a while (statistics); the others
  // are quick.
  static bool may_take_long(const Request& request);
  // Where it waits for its turn (agent/workers.h): the id of the database that it is for, or that
  // database's op_trace_queue; empty when it cannot be told.
  static std::string queue_of(const Request& request);

  // Never throws.
  Response handle(const Request& request) noexcept;

 private:
  Response route(const Request& request);
  Response in_database(const std::string& id, std::string_view action, std::string_view query,
                       const Request& request);
  Response get(Database& database, std::string_view action, std::string_view query);
  Response post(Database& database, std::string_view action, const std::string& body);

  Registry& registry_;
  const wire::Hello hello_;
};

}  // namespace rocktune::agent
