#include "agent/router.h"

#include <charconv>
#include <exception>
#include <optional>
#include <utility>

namespace rocktune::agent {
namespace {

constexpr std::string_view kDatabases = "/v1/dbs";

Response refuse(unsigned status, std::string code, std::string message) {
  return {status, wire::encode(wire::Error{std::move(code), std::move(message)})};
}

Response refuse(const wire::Error& error) {
  unsigned status = 409;
  if (error.code == "bad_request") status = 400;
  if (error.code == "not_found") status = 404;
  return {status, wire::encode(error)};
}

template <class T>
Response answer(const Control::Answer<T>& result) {
  if (!result) return refuse(result.error());
  return {200, wire::encode(*result)};
}

// Decodes the body and hands it on; an empty body is an empty object.
template <class T, class Handle>
Response with(const std::string& body, Handle&& handle) {
  const auto request = wire::decode<T>(body.empty() ? "{}" : body);
  if (!request) return refuse(400, "bad_request", request.error());
  return handle(*request);
}

int hex(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return -1;
}

std::string percent_decoded(std::string_view text) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool escape = text[i] == '%' && i + 2 < text.size();
    if (escape && hex(text[i + 1]) >= 0 && hex(text[i + 2]) >= 0) {
      decoded += static_cast<char>(hex(text[i + 1]) * 16 + hex(text[i + 2]));
      i += 2;
    } else {
      decoded += text[i] == '+' ? ' ' : text[i];
    }
  }
  return decoded;
}

std::string parameter(std::string_view query, std::string_view name) {
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto item = query.substr(0, end);
    if (item.starts_with(name) && item.substr(name.size()).starts_with('=')) {
      return percent_decoded(item.substr(name.size() + 1));
    }
    query = end == std::string_view::npos ? std::string_view() : query.substr(end + 1);
  }
  return {};
}

// A whole number from 0 up; `absent` where the query does not have it, nullopt for anything else.
std::optional<std::uint64_t> number(std::string_view query, std::string_view name,
                                    std::uint64_t absent) {
  const auto text = parameter(query, name);
  if (text.empty()) return absent;
  std::uint64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (problem != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

Response events(Database& database, std::string_view query) {
  const auto after = number(query, "after", 0);
  if (!after) return refuse(400, "bad_request", "after: must be a whole number from 0 up");
  const auto limit = number(query, "limit", EventRing::kMostInOneAnswer);
  if (!limit || *limit == 0) {
    return refuse(400, "bad_request", "limit: must be a whole number from 1 up");
  }
  database.sampler().explain_stalls(database.events());
  return {200, wire::encode(database.events().read(*after, *limit))};
}

bool is_read(std::string_view action) {
  return action == "sample" || action == "events" || action == "statistics" || action == "knobs" ||
         action == "options";
}
bool is_write(std::string_view action) {
  return action == "changes" || action == "lease" || action == "restore" || action == "release" ||
         action == "hold" || action == "op_trace";
}

}  // namespace

std::string op_trace_queue(const std::string& database) {
  return database + "/op_trace";
}

Router::Router(Registry& registry, wire::Hello hello)
    : registry_(registry), hello_(std::move(hello)) {}

bool Router::may_take_long(const Request& request) {
  const std::string_view path =
      std::string_view(request.target).substr(0, request.target.find('?'));
  return request.method == "POST" || path.ends_with("/statistics");
}

std::string Router::queue_of(const Request& request) {
  std::string_view path = request.target;
  path = path.substr(0, path.find('?'));
  if (!path.starts_with(kDatabases)) return {};
  path.remove_prefix(kDatabases.size());
  if (!path.starts_with('/')) return {};
  path.remove_prefix(1);
  const auto slash = path.find('/');
  const auto database = percent_decoded(path.substr(0, slash));
  const bool is_trace = slash != std::string_view::npos && path.substr(slash + 1) == "op_trace";
  return is_trace ? op_trace_queue(database) : database;
}

Response Router::handle(const Request& request) noexcept try {
  return route(request);
} catch (const std::exception& problem) {
  try {
    return refuse(500, "internal", problem.what());
  } catch (...) {
    return {500, {}};
  }
} catch (...) {
  return {500, {}};
}

Response Router::route(const Request& request) {
  std::string_view path = request.target;
  std::string_view query;
  if (const auto mark = path.find('?'); mark != std::string_view::npos) {
    query = path.substr(mark + 1);
    path = path.substr(0, mark);
  }
  if (path == "/v1/hello" || path == kDatabases) {
    if (request.method != "GET") return refuse(405, "method_not_allowed", "use GET here");
    if (path == "/v1/hello") return {200, wire::encode(hello_)};
    wire::DatabaseList list;
    for (const auto& database : registry_.all()) list.databases.push_back(database->description());
    return {200, wire::encode(list)};
  }
  if (path.starts_with(kDatabases) && path.substr(kDatabases.size()).starts_with('/')) {
    const auto rest = path.substr(kDatabases.size() + 1);
    const auto slash = rest.find('/');
    if (slash != std::string_view::npos) {
      return in_database(percent_decoded(rest.substr(0, slash)), rest.substr(slash + 1), query,
                         request);
    }
  }
  return refuse(404, "not_found", "there is nothing at this path; /v1/hello and /v1/dbs exist");
}

Response Router::in_database(const std::string& id, std::string_view action, std::string_view query,
                             const Request& request) {
  if (!is_read(action) && !is_write(action)) {
    return refuse(404, "not_found",
                  "a database has sample, events, statistics, knobs, options, changes, lease, "
                  "restore, release, hold and op_trace");
  }
  const char* const method = is_read(action) ? "GET" : "POST";
  if (request.method != method) {
    return refuse(405, "method_not_allowed", "use " + std::string(method) + " here");
  }
  if (is_write(action) && hello_.mode == "ro") {
    return refuse(403, "read_only", "the agent was started with ROCKTUNE_AGENT_MODE=ro");
  }
  const auto database = registry_.find(id);
  if (!database) return refuse(404, "not_found", "no open database has the id '" + id + "'");
  const auto inside = database->pass();
  if (!inside) return refuse(404, "not_found", "database '" + id + "' is closing");
  return is_read(action) ? get(*database, action, query) : post(*database, action, request.body);
}

Response Router::get(Database& database, std::string_view action, std::string_view query) {
  if (action == "options") return {200, wire::encode(database.sampler().options())};
  if (action == "events") return events(database, query);
  if (action == "statistics") return {200, wire::encode(database.report().take())};
  if (action == "knobs") return {200, wire::encode(database.control().catalogue())};
  if (const auto holder = parameter(query, "holder"); !holder.empty()) {
    database.control().renew(holder);
  }
  auto sample = database.sampler().take();
  database.add_jobs(sample);
  sample.knobs = database.control().describe();
  sample.lease = database.control().lease();
  sample.next_event = database.events().next();
  return {200, wire::encode(sample)};
}

Response Router::post(Database& database, std::string_view action, const std::string& body) {
  auto& control = database.control();
  if (action == "lease") {
    return with<wire::Lease>(body,
                             [&](const auto& lease) { return answer(control.take_lease(lease)); });
  }
  if (action == "changes") {
    return with<wire::ChangesRequest>(
        body, [&](const auto& changes) { return answer(control.apply(changes)); });
  }
  if (action == "restore") {
    return with<wire::RestoreRequest>(body, [&](const auto& restore) {
      return Response{200, wire::encode(control.restore(restore.hold))};
    });
  }
  if (action == "hold") {
    return with<wire::HoldRequest>(body,
                                   [&](const auto& hold) { return answer(control.hold(hold)); });
  }
  if (action == "op_trace") {
    return with<wire::OpTraceRequest>(
        body, [&](const auto& request) { return answer(database.op_trace().handle(request)); });
  }
  return with<wire::ReleaseRequest>(
      body, [&](const auto& release) { return answer(control.release(release)); });
}

}  // namespace rocktune::agent
