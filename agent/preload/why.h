// Says why a database of this process is not seen: a line in $ROCKTUNE_AGENT_DIR/agent.<pid>.why.
//
// For the cases in which the database's own LOG cannot be used, since that would take the very
// calls that are not known to be safe, or there is none. The directory must be there and pass the
// test that the agent's socket has to pass; the file has mode 0600, is bounded, and is removed at
// exit.
#pragma once

namespace rocktune::preload {

// One line, "<subject>: <reason>" or "<reason>". Nothing where this process
// said the same before, nor after the first few.
void say_why(const char* subject, const char* reason);

}  // namespace rocktune::preload
