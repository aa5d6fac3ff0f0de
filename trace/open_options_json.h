// What a database was opened with, as one JSON object: a column of the table "incarnations".
#pragma once

#include <optional>
#include <string>

#include "model/open_options.h"
#include "model/result.h"

namespace rocktune::trace {

// {"database": {NAME: VALUE}, "column_families": {NAME: {NAME: VALUE}}, "column_families_left_out":
// N}; absent where nothing was told.
std::optional<std::string> encode_open_options(const OpenOptions& options);
// kCorrupt when it is no such object. Keys that are not known are passed over.
Result<OpenOptions> decode_open_options(const std::optional<std::string>& text);

}  // namespace rocktune::trace
