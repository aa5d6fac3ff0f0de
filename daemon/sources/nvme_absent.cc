// libnvme_reader(), where libnvme was not there when this was built.
#include "daemon/sources/nvme_health.h"

namespace rocktune::daemon {

ReadNvmePage libnvme_reader() {
  return [](const std::string& device, NvmePage) -> Result<std::string> {
    return fail(ErrorCode::kUnsupported,
                device + ": its health is not read, since rocktuned was not built with libnvme");
  };
}

}  // namespace rocktune::daemon
