// The release of this tool, and where the build installs libraries: both from the build.
#pragma once

namespace rocktune::tools {

#if !defined(ROCKTUNE_VERSION) || !defined(ROCKTUNE_LIBRARY_DIRECTORY)
#error "ROCKTUNE_VERSION or ROCKTUNE_LIBRARY_DIRECTORY is not defined: see tools/CMakeLists.txt"
#endif
inline constexpr const char* kVersion = ROCKTUNE_VERSION;
inline constexpr const char* kLibraryDirectory = ROCKTUNE_LIBRARY_DIRECTORY;

}  // namespace rocktune::tools
