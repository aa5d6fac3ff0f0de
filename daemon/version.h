// The release of this daemon, from the build.
#pragma once

namespace rocktune::daemon {

#ifndef ROCKTUNE_VERSION
#error "ROCKTUNE_VERSION is not defined: see daemon/CMakeLists.txt"
#endif
inline constexpr const char* kVersion = ROCKTUNE_VERSION;

}  // namespace rocktune::daemon
