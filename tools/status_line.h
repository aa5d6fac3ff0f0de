// StatusLine: one line on stderr that is written over and goes away at the end; nothing where
// stderr is no terminal.
#pragma once

#include <string>
#include <string_view>

namespace rocktune::tools {

class StatusLine {
 public:
  StatusLine();
  ~StatusLine();
  StatusLine(const StatusLine&) = delete;
  StatusLine& operator=(const StatusLine&) = delete;

  void show(std::string_view text) const;
  // "scoring run 3 of 24: NAME"
  void show_run(std::string_view doing, std::size_t number, std::size_t total,
                const std::string& name) const;

 private:
  bool shown_;
};

}  // namespace rocktune::tools
