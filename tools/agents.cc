#include "tools/agents.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <future>
#include <iostream>
#include <iterator>
#include <utility>

#include "files/agent_sockets.h"
#include "files/peer_process.h"
#include "tools/command.h"
#include "tools/http_client.h"
#include "tools/reasons.h"
#include "tools/run_plan.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr std::chrono::milliseconds kAgentTimeout{5000};

// What an answer may take while many agents are asked at a time; as the daemon has it of a list.
constexpr std::size_t kMostListBytes = std::size_t{1} << 20;

HttpRequest get(std::string target) {
  return {"GET", std::move(target), "", kAgentTimeout};
}

HttpRequest look(std::string target) {
  return {"GET", std::move(target), "", kAgentTimeout, kMostListBytes};
}

Error with_advice(Error error) {
  if (error.code == ErrorCode::kPermission) {
    error.message += "; run rocktune as the database's user, or as root";
  }
  return error;
}

// Of the agent whose socket is `owner`'s. `who`: where to put who answers.
Result<Json> exchange(const std::string& socket, uid_t owner, const HttpRequest& request,
                      PeerProcess* who = nullptr) {
  const std::string context = "agent " + socket;
  const auto entry = SocketEntry::open(socket);
  if (!entry) return fail(entry.error().code, "agent " + with_advice(entry.error()).message);
  if (entry->owner() != owner) return fail(ErrorCode::kNotFound, context + " is another's now");
  Result<void> trusted;
  const auto check = [&](int connected) -> Result<void> {
    const auto peer = peer_process(connected);
    if (!peer) return tl::unexpected(peer.error());
    if (who != nullptr) *who = *peer;
    return trusted = check_user(*peer, owner);
  };
  const auto response = http_request(entry->address(), request, check);
  if (!trusted) return tl::unexpected(trusted.error().within(context));
  if (!response) {
    Error error = with_advice(response.error());
    // As the client says it of any socket.
    if (error.message == "nobody listens there") error.message = nobody_listens(socket);
    return tl::unexpected(error.within(context));
  }
  auto answer = decode_answer(response->status, response->body);
  if (!answer) return tl::unexpected(answer.error().within(context));
  return answer;
}

// Throws what the JSON library throws where the answer is another one.
std::vector<AgentDatabase> databases_of(const AgentSocket& socket, const Json& hello,
                                        const Json& list) {
  std::vector<AgentDatabase> databases;
  for (const Json& entry : list.at("databases")) {
    AgentDatabase database;
    database.socket = socket.path;
    database.owner = socket.owner;
    database.instance = hello.value("instance", std::string());
    database.pid = hello.at("pid").get<std::int64_t>();
    database.command = hello.value("command", std::string());
    database.rocksdb_version = hello.value("rocksdb_version", std::string());
    database.id = entry.at("id").get<std::string>();
    database.path = entry.at("path").get<std::string>();
    if (!entry.value("tunable", false)) database.reason = entry.value("reason", std::string());
    databases.push_back(std::move(database));
  }
  return databases;
}

using Databases = std::vector<AgentDatabase>;

Result<Databases> read_agent(const AgentSocket& socket) {
  PeerProcess who;
  const auto hello = exchange(socket.path, socket.owner, look("/v1/hello"), &who);
  if (!hello) return tl::unexpected(hello.error());
  const std::string context = "agent " + socket.path;
  try {
    const auto is_itself = check_pid(who, hello->at("pid").get<std::int64_t>(), socket.pid);
    if (!is_itself) return tl::unexpected(is_itself.error().within(context));
    const auto list = exchange(socket.path, socket.owner, look("/v1/dbs"));
    if (!list) return tl::unexpected(list.error());
    return databases_of(socket, *hello, *list);
  } catch (const Json::exception& problem) {
    return fail(ErrorCode::kProtocol,
                context + " answered what this rocktune does not understand: " + problem.what());
  }
}

// Many at a time, so that those that keep silent cost the time of one.
void read_agents(const std::vector<AgentSocket>& sockets, AgentDatabases& found) {
  constexpr std::size_t kAtATime = kMostSocketsOfUser;
  for (std::size_t begin = 0; begin < sockets.size(); begin += kAtATime) {
    std::vector<std::future<Result<Databases>>> asked;
    for (std::size_t i = begin; i < std::min(begin + kAtATime, sockets.size()); ++i) {
      asked.push_back(std::async(std::launch::async, read_agent, std::cref(sockets[i])));
    }
    for (auto& one : asked) {
      Result<Databases> read = one.get();
      if (read) {
        std::ranges::move(*read, std::back_inserter(found.databases));
      } else {
        found.problems.push_back(read.error().message);
      }
    }
  }
}

std::string directory_of(const AgentOptions& options) {
  if (!options.directory.empty()) return options.directory;
  return default_agent_directory(::geteuid() == 0, std::getenv("ROCKTUNE_AGENT_DIR"),
                                 std::getenv("XDG_RUNTIME_DIR"));
}

Error nobody(const AgentOptions& options, const std::string& directory, bool any,
             const std::vector<std::string>& unseen) {
  if (any) {
    return {ErrorCode::kNotFound,
            "no open database is called " + options.database + "; rocktune knobs lists them"};
  }
  if (!unseen.empty()) return {ErrorCode::kNotFound, unseen.front()};
  const std::string who = options.pid == 0 ? "" : " of process " + std::to_string(options.pid);
  return {ErrorCode::kNotFound, "there is no agent" + who + " in " + directory +
                                    ": is the program running with it (rocktune run), and is "
                                    "this its directory (--agent-dir, ROCKTUNE_AGENT_DIR)?"};
}

}  // namespace

void add_agent_places(CLI::App& command, AgentOptions& options) {
  command
      .add_option("--agent-dir", options.directory,
                  "directory of the agents' sockets (default: $ROCKTUNE_AGENT_DIR, else "
                  "/run/rocktune, or $XDG_RUNTIME_DIR/rocktune when not root)")
      ->type_name("DIR");
  command.add_option("--pid", options.pid, "one process")
      ->check(CLI::PositiveNumber)
      ->type_name("PID");
}

void add_agent_options(CLI::App& command, AgentOptions& options) {
  add_agent_places(command, options);
  command
      .add_option("--database", options.database,
                  "one database: its path, or the end of it; default: all that are open")
      ->type_name("PATH");
}

bool is_called(const std::string& path, const std::string& name) {
  if (name.empty() || path == name) return true;
  return path.size() > name.size() && path.ends_with(name) &&
         (name[0] == '/' || path[path.size() - name.size() - 1] == '/');
}

Result<AgentDatabases> find_databases(const AgentOptions& options) {
  const std::string directory = directory_of(options);
  const auto agents = list_agents(directory, options.pid);
  if (!agents) return tl::unexpected(agents.error());
  AgentDatabases found;
  read_agents(agents->sockets, found);
  for (const auto& [user, count] : agents->too_many) {
    found.problems.push_back("uid " + std::to_string(user) + " has " + std::to_string(count) +
                             " agents or more in " + directory + ": only the first " +
                             std::to_string(kMostSocketsOfUser) +
                             ", by their pids, are looked at (--pid for another)");
  }
  const std::vector<std::string> unseen = unseen_processes(directory, options.pid);
  found.problems.insert(found.problems.end(), unseen.begin(), unseen.end());
  const bool any = !found.databases.empty();
  std::erase_if(found.databases, [&](const AgentDatabase& database) {
    return !is_called(database.path, options.database);
  });
  if (!found.databases.empty()) return found;
  if (!any && found.problems.size() > unseen.size()) {
    return fail(ErrorCode::kIo,
                found.problems.front() + (unseen.empty() ? "" : "; " + unseen.front()));
  }
  if (!any && !agents->sockets.empty() && unseen.empty()) {
    return fail(ErrorCode::kNotFound, "no database is open");
  }
  return tl::unexpected(nobody(options, directory, any, unseen));
}

Result<Json> ask_database(const AgentDatabase& database, const std::string& what) {
  return exchange(database.socket, database.owner, get("/v1/dbs/" + database.id + "/" + what));
}

Result<Json> tell_database(const AgentDatabase& database, const std::string& what,
                           const std::string& body, std::chrono::milliseconds timeout) {
  return exchange(database.socket, database.owner,
                  {"POST", "/v1/dbs/" + database.id + "/" + what, body, timeout});
}

std::string heading(const AgentDatabase& database) {
  std::string text = printable(database.path) + "   " + printable(database.command) + "[" +
                     std::to_string(database.pid) + "]   RocksDB " +
                     printable(database.rocksdb_version);
  if (!database.reason.empty()) text += "   cannot be tuned: " + printable(database.reason);
  return text;
}

Json identity(const AgentDatabase& database) {
  return {{"database", database.path}, {"pid", database.pid}, {"command", database.command}};
}

void print_databases(const Json& databases) {
  const Json object{{"databases", databases}};
  std::cout << object.dump(-1, ' ', false, Json::error_handler_t::replace) << '\n';
}

int report_problems(const std::vector<std::string>& problems, bool any) {
  for (const std::string& problem : problems) {
    std::cerr << "rocktune: " << printable(problem) << std::endl;
  }
  return any ? kOk : kFailed;
}

}  // namespace rocktune::tools
