// Fields of what the daemon and the agents answer, for showing to people. Pure.
#pragma once

#include <optional>
#include <string>

#include "tools/control.h"

namespace rocktune::tools {

// Printable; empty when it is not there or no text.
std::string text_at(const Json& object, const char* key);
// Nothing when it is not there or no number.
std::optional<double> number_at(const Json& object, const char* key);
// False when it is not there or of another kind.
bool flag_at(const Json& object, const char* key);
// An empty one when it is not there or of another kind.
const Json& object_at(const Json& object, const char* key);
const Json& array_at(const Json& object, const char* key);

}  // namespace rocktune::tools
