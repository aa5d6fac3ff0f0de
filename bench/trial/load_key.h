// Which runs can start from copies of one loaded database?
#pragma once

#include <string>

#include "bench/trial/subject.h"
#include "model/result.h"

namespace rocktune::bench {

// Everything that decides what a load writes, as text: records, values, column families, and the
// options that shape files and levels - not cache, rate limit, jobs or device.
Result<std::string> load_key(const TrialSubject& subject);

}  // namespace rocktune::bench
