// What strangers put in our way, where a directory is open to every user (mode 1777). Thread-safe.
#pragma once

#include <string>

namespace rocktune {

// Takes away what is at `path` if its directory is one that everybody may write to (and sticky),
// and it belongs to a user who is not trusted (files/peer_process.h):
// of any kind, and without following a link. A directory with something in it is left whole, under
// the name PATH.aside.XXXXXX beside it. What a trusted user put there stays, and so does what the
// system keeps us from removing: whoever wants the name finds out.
void make_way(const std::string& path);

}  // namespace rocktune
