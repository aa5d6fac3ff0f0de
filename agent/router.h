// Wire v1 requests to answers, without sockets. docs/wire.md specifies both.
//
// Thread-safety: requests may be handled at once, except two that change something in the same
// database.
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

class Router {
 public:
  Router(Registry& registry, wire::Hello hello);

  // Such a request may take as long as RocksDB does (changes), or a while (statistics); the others
  // are quick.
  static bool may_take_long(const Request& request);
  // The id of the database that it is for; empty when that cannot be told.
  static std::string database_of(const Request& request);

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
