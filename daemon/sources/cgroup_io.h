// What a process's control group lets it read and write on one device, and what it does of that
// (Documentation/admin-guide/cgroup-v2.rst, "IO"; cgroup-v1/blkio-controller.rst).
//
// Requests beyond such a limit wait before the device sees them: its own statistics show neither a
// queue nor a long await.
#pragma once

#include <string>

#include "daemon/sources/cgroup.h"
#include "model/sample.h"

namespace rocktune::daemon {

// Fills in the fields of `reading` that begin with io_: of the group nearest to the process that
// limits anything on the device ("259:0"). They stay absent where none does, or none can be read.
void read_cgroup_io(const CgroupDirs& dirs, const std::string& device, HostReading& reading);

}  // namespace rocktune::daemon
