// The NVMe source: the health of the controller under a target's device, read once a minute on a
// thread of its own, since a controller in trouble may take a minute to answer and the kernel
// resets one whose command times out. A poll never waits for it.
//
// Thread-safe as far as that needs; read() is for one thread.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "daemon/sources/nvme_pages.h"
#include "model/clock.h"

namespace rocktune::daemon {

// "nvme0n1": a namespace of an NVMe controller.
bool is_nvme_namespace(std::string_view device);

// Through libnvme where this was built with it; else every read is an error that says so.
ReadNvmePage libnvme_reader();

class NvmeHealth {
 public:
  using Run = std::function<void(std::function<void()>)>;
  static void run_on_thread(std::function<void()> work);

  // `device`: "/dev/nvme0n1".
  NvmeHealth(std::string device, ReadNvmePage read, Run run = run_on_thread);

  struct Read {
    std::optional<NvmeReading> reading;  // absent until the first read has ended, or when it failed
    std::string error;                   // of the last read that ended; empty: it went well
  };
  // The last reading; begins another one when the last began a minute ago.
  Read read(Nanoseconds now);

 private:
  struct State;  // shared with the thread, which may outlive this
  std::shared_ptr<State> state_;
  Run run_;
  std::optional<Nanoseconds> begun_;
};

}  // namespace rocktune::daemon
