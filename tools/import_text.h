// What `rocktune import` says when it is done, as lines for people and as JSON. Pure.
#pragma once

#include <string>
#include <vector>

#include "tools/json_fields.h"
#include "trace/rocksdb_log/import.h"

namespace rocktune::tools {

std::vector<std::string> import_lines(const std::string& trace,
                                      const trace::rocksdb_log::ImportSummary& summary);
Json import_json(const std::string& trace, const trace::rocksdb_log::ImportSummary& summary);

}  // namespace rocktune::tools
