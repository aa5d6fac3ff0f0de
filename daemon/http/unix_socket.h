// The control socket's file: only one daemon per path, mode 0600, a stale one is replaced.
#pragma once

#include <cstdint>
#include <string>

#include "model/result.h"

namespace rocktune::daemon {

// A bound, not yet listening socket. kConflict: somebody answers there already; kIo: not possible,
// with the reason. The caller owns the descriptor.
Result<int> bind_unix_socket(const std::string& path);

std::uint64_t inode_of(const std::string& path);  // 0 when there is none
// Another daemon may have replaced it meanwhile: then it stays.
void remove_if_ours(const std::string& path, std::uint64_t inode);

}  // namespace rocktune::daemon
