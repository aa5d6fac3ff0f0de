// The agents themselves, for subcommands that need no daemon: which databases they hold, and what
// those answer (docs/wire.md). Nothing in the agents' directory is believed because of its name:
// who listens must fit the socket, as for the daemon (files/peer_process.h).
#pragma once

#include <sys/types.h>

#include <CLI/CLI.hpp>
#include <chrono>
#include <string>
#include <vector>

#include "model/result.h"
#include "tools/control.h"

namespace rocktune::tools {

// Which of the databases on this machine are meant; nothing given: all of them.
struct AgentOptions {
  std::string directory;  // of the agents' sockets; empty: the default
  std::int64_t pid = 0;
  std::string database;  // a path, or the end of one
};
void add_agent_options(CLI::App& command, AgentOptions& options);
// Without --database, for commands that are told the database otherwise.
void add_agent_places(CLI::App& command, AgentOptions& options);

struct AgentDatabase {
  std::string socket, instance;  // instance: of the agent, no two in the life of a socket
  uid_t owner = 0;               // of the socket: the process's user, or root listens there
  std::int64_t pid = 0;
  std::string command, rocksdb_version;
  std::string id, path;
  std::string reason;  // why it cannot be tuned; empty when it can
};

struct AgentDatabases {
  std::vector<AgentDatabase> databases;
  std::vector<std::string> problems;  // agents that did not answer, are not trusted or too many,
                                      // processes that are not seen (tools/reasons.h): one
                                      // sentence each
};

// kNotFound, with what to do, when there is none that is meant.
Result<AgentDatabases> find_databases(const AgentOptions& options);

// GET /v1/dbs/{id}/WHAT of one database.
Result<Json> ask_database(const AgentDatabase& database, const std::string& what);
// POST /v1/dbs/{id}/WHAT with this JSON.
Result<Json> tell_database(const AgentDatabase& database, const std::string& what,
                           const std::string& body, std::chrono::milliseconds timeout);

// Whether `path` is what the user calls `name`: all of it, or whole parts of its end.
bool is_called(const std::string& path, const std::string& name);

// "/data/orders   db_bench[4711]   RocksDB 7.8.3", with what is wrong.
std::string heading(const AgentDatabase& database);
// The same as members of a JSON object, to begin one with.
Json identity(const AgentDatabase& database);

// {"databases": [...]} on one line of stdout.
void print_databases(const Json& databases);
// Problems on stderr. Returns the exit code: kFailed when nothing could be read.
int report_problems(const std::vector<std::string>& problems, bool any);

}  // namespace rocktune::tools
