// Where a trace of operations may be put: the host writes there with its own rights, at the word of
// whoever speaks with the agent.
//
// Thread-safety: all functions.
#pragma once

#include <cstdint>
#include <string>
#include <tl/expected.hpp>
#include <vector>

namespace rocktune::agent {

inline constexpr const char* kOpTraceFileName = "ops.trace";
inline constexpr const char* kCheckpointName = "checkpoint";

// A directory of the host's own user that nobody else can write, held open.
class OpTraceDirectory {
 public:
  static tl::expected<OpTraceDirectory, std::string> open(const std::string& path);
  ~OpTraceDirectory();
  OpTraceDirectory(OpTraceDirectory&& other) noexcept;
  OpTraceDirectory& operator=(OpTraceDirectory&&) = delete;

  // Empty, or why hard links from there to here cannot be made.
  [[nodiscard]] std::string why_no_links_from(const std::vector<std::string>& paths) const;
  // Empty, or why so much cannot be written.
  [[nodiscard]] std::string why_no_room(std::uint64_t bytes) const;
  // A new file with mode 0600; the descriptor.
  [[nodiscard]] tl::expected<int, std::string> create_file() const;
  // What a start that failed left; only the file of create_file().
  void remove_file() const;

 private:
  OpTraceDirectory(std::string path, int descriptor);
  std::string path_;
  int descriptor_;
};

}  // namespace rocktune::agent
