// The one agent of the process: its threads, its socket and the databases that are attached.
//
// Started by the first attach, never destroyed: databases may be closed by static destructors that
// run after everything else. At exit() rate limits go back (RocksDB ends its compactions then) and
// its threads are stopped, for at most seven seconds in all, so that exiting without closing a
// database is safe.
//
// Thread-safety: all functions. None throws.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/database.h"
#include "wire/agent_settings.h"

namespace rocktune::agent {

// What the environment said when it was first asked.
const wire::AgentSettings& settings();

// nullptr when the agent is off, in a forked child, or when the database cannot be read.
std::shared_ptr<Database> attach(rocksdb::DB* db,
                                 const std::vector<rocksdb::ColumnFamilyHandle*>& handles) noexcept;

// Returns when nothing of the agent uses the database any more. Idempotent.
void detach(const std::shared_ptr<Database>& database) noexcept;

std::string status();

}  // namespace rocktune::agent
