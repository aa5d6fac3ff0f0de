// The JSON value that journal_json builds its lines from, and its text: keys in the order in which
// they were set, one line, invalid UTF-8 replaced by U+FFFD.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace rocktune::trace {

using Json = nlohmann::ordered_json;

inline std::string json_text(const Json& value) {
  return value.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace rocktune::trace
