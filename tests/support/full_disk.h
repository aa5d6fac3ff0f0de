// A full disk, as far as this process goes.
#pragma once

#include <sys/resource.h>

#include <csignal>
#include <cstdint>

#include "tests/support/catch.h"

namespace rocktune::tests {

// While it lives no file may grow beyond `bytes`: writes fail as they do on a full disk.
class FullDisk {
 public:
  explicit FullDisk(std::uintmax_t bytes) {
    before_handler_ = std::signal(SIGXFSZ, SIG_IGN);
    REQUIRE(::getrlimit(RLIMIT_FSIZE, &before_) == 0);
    rlimit limit = before_;
    limit.rlim_cur = bytes;
    REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  }
  ~FullDisk() {
    ::setrlimit(RLIMIT_FSIZE, &before_);
    std::signal(SIGXFSZ, before_handler_);
  }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  rlimit before_{};
  void (*before_handler_)(int) = SIG_DFL;
};

}  // namespace rocktune::tests
