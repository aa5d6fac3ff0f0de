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

bool flag_at(const Json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_boolean() && found->get<bool>();
}

const Json& object_at(const Json& object, const char* key) {
  static const Json kNothing = Json::object();
  const auto found = object.find(key);
  return found != object.end() && found->is_object() ? *found : kNothing;
}

const Json& array_at(const Json& object, const char* key) {
  static const Json kNothing = Json::array();
  const auto found = object.find(key);
  return found != object.end() && found->is_array() ? *found : kNothing;
}

}  // namespace rocktune::tools
