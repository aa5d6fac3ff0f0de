// The interposed functions by which the close of a database is seen.
#pragma once

#include "agent/preload/api.h"

namespace rocktune::preload {

// The classes that RocksDB opens databases as; each has destructors of its own.
enum class Class { kWritable, kReadOnly, kCompacted, kSecondary, kFollower };

// Looks the real ones up ahead, so that no close has to ask the dynamic loader, which may be at
// work.
void look_up_closes();

// Ours for the class, to be found in the vtable of every object of it.
Interposed interposed(Class of);

}  // namespace rocktune::preload
