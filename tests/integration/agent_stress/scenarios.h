// What can be asked of the agent, one scenario in each file. `times` says how often.
#pragma once

#include <string>

namespace rocktune::stress {

// Databases opened and closed at every phase of a poll, with forks now and then.
void cycles(int times);
// Column families created and dropped.
void families(int times);
// 32 databases in this process, closed and opened again in turn.
void many_databases(int times);
// fork() and exec(), and children that go on without exec().
void fork_and_exec(int times);
// Databases that are closed while changes are made and leases end.
void changes_while_closing(int times);
// Hosts (further processes of this program) that exit without closing, polled until the end.
void exits(int times);

// The other side of fork_and_exec and exits. Return the process's exit code.
int inherits_no_socket();
int exit_without_close();

// argv[0] of this program.
extern std::string program;

}  // namespace rocktune::stress
