#include "tools/agents.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "tools/command.h"
#include "tools/http_client.h"
#include "tools/reasons.h"
#include "tools/run_plan.h"
#include "tools/text.h"

namespace rocktune::tools {
namespace {

constexpr std::chrono::milliseconds kAgentTimeout{5000};

Result<Json> exchange(const std::string& socket, const std::string& method,
                      const std::string& target, const std::string& body,
                      std::chrono::milliseconds timeout) {
  const std::string context = "agent " + socket;
  const auto response = http_request(socket, method, target, body, timeout);
  if (!response) {
    Error error = response.error();
    if (error.code == ErrorCode::kPermission) {
      error.message += "; run rocktune as the database's user, or as root";
    }
    return tl::unexpected(error.within(context));
  }
  auto answer = decode_answer(response->status, response->body);
  if (!answer) return tl::unexpected(answer.error().within(context));
  return answer;
}

Result<Json> ask(const std::string& socket, const std::string& target) {
  return exchange(socket, "GET", target, "", kAgentTimeout);
}

std::vector<std::string> sockets_in(const std::string& directory, std::int64_t pid) {
  std::vector<std::string> sockets;
  std::error_code error;
  for (auto it = std::filesystem::directory_iterator(directory, error);
       !error && it != std::filesystem::directory_iterator(); it.increment(error)) {
    const std::string name = it->path().filename().string();
    const bool wanted = pid == 0 ? name.starts_with("agent.") && name.ends_with(".sock")
                                 : name == "agent." + std::to_string(pid) + ".sock";
    if (wanted) sockets.push_back(it->path().string());
  }
  std::sort(sockets.begin(), sockets.end());
  return sockets;
}

// Throws what the JSON library throws where the answer is another one.
void add_databases(const std::string& socket, const Json& hello, const Json& list,
                   std::vector<AgentDatabase>& databases) {
  for (const Json& entry : list.at("databases")) {
    AgentDatabase database;
    database.socket = socket;
    database.instance = hello.value("instance", std::string());
    database.pid = hello.at("pid").get<std::int64_t>();
    database.command = hello.value("command", std::string());
    database.rocksdb_version = hello.value("rocksdb_version", std::string());
    database.id = entry.at("id").get<std::string>();
    database.path = entry.at("path").get<std::string>();
    if (!entry.value("tunable", false)) database.reason = entry.value("reason", std::string());
    databases.push_back(std::move(database));
  }
}

Result<void> read_agent(const std::string& socket, std::vector<AgentDatabase>& databases) {
  const auto hello = ask(socket, "/v1/hello");
  if (!hello) return tl::unexpected(hello.error());
  const auto list = ask(socket, "/v1/dbs");
  if (!list) return tl::unexpected(list.error());
  try {
    add_databases(socket, *hello, *list, databases);
  } catch (const Json::exception& problem) {
    return fail(
        ErrorCode::kProtocol,
        "agent " + socket + " answered what this rocktune does not understand: " + problem.what());
  }
  return {};
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
  const std::vector<std::string> sockets = sockets_in(directory, options.pid);
  AgentDatabases found;
  for (const std::string& socket : sockets) {
    if (auto done = read_agent(socket, found.databases); !done) {
      found.problems.push_back(done.error().message);
    }
  }
  const std::vector<std::string> unseen = unseen_processes(directory, options.pid);
  found.problems.insert(found.problems.end(), unseen.begin(), unseen.end());
  const bool any = !found.databases.empty();
  std::erase_if(found.databases, [&](const AgentDatabase& database) {
    return !is_called(database.path, options.database);
  });
  if (!found.databases.empty()) return found;
  if (!any && found.problems.size() > unseen.size()) {
    return fail(ErrorCode::kIo, found.problems.front());
  }
  if (!any && !sockets.empty() && unseen.empty()) {
    return fail(ErrorCode::kNotFound, "no database is open");
  }
  return tl::unexpected(nobody(options, directory, any, unseen));
}

Result<Json> ask_database(const AgentDatabase& database, const std::string& what) {
  return ask(database.socket, "/v1/dbs/" + database.id + "/" + what);
}

Result<Json> tell_database(const AgentDatabase& database, const std::string& what,
                           const std::string& body, std::chrono::milliseconds timeout) {
  return exchange(database.socket, "POST", "/v1/dbs/" + database.id + "/" + what, body, timeout);
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
