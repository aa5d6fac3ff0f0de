// Databases that are loaded once and copied for every run, so that all runs start from one state.
#pragma once

#include <optional>
#include <string>

#include "bench/trial/subject.h"
#include "bench/trial/watch.h"
#include "model/result.h"

namespace rocktune::bench {

// The directory of the loaded database (with several: of all, by their names), below the directory
// `work`, which is created when missing. One that an earlier call made from the same load_key() is
// taken as it is; what a stopped load left behind is removed and loaded anew. Nothing when a stop
// was requested meanwhile. Not for two processes with one `work` at a time.
Result<std::optional<std::string>> loaded_database(const TrialSubject& subject,
                                                   const std::string& work, const Watcher& watcher);

}  // namespace rocktune::bench
