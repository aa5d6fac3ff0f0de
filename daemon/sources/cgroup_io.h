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

// Fills in the fields of `reading` that begin with io_ and are of no pressure: each limit on the
// device ("259:0") and what was done of it, of the nearest of the process's groups that has it.
// They stay absent where none has, or none can be read. Version 1: of the process's own group.
void read_cgroup_io(const CgroupDirs& dirs, const std::string& device, HostReading& reading);

}  // namespace rocktune::daemon
