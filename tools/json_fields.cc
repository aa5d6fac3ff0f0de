#include "tools/json_fields.h"

#include "tools/text.h"

namespace rocktune::tools {

std::string text_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? printable(found->get<std::string>()) : "";
}

std::optional<double> number_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  if (found == object.end() || !found->is_number()) return std::nullopt;
  return found->get<double>();
}

}  // namespace rocktune::tools
