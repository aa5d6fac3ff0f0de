#include "wire/json_reader.h"

#include <cmath>
#include <limits>

namespace rocktune::wire {

std::string Where::text() const {
  std::string path = parent ? parent->text() : std::string();
  if (index) return path + "[" + std::to_string(*index) + "]";
  if (key.empty()) return path;
  constexpr std::size_t kShown = 80;  // keys come from the other side: keep the sentence short
  if (!path.empty()) path += '.';
  return path + std::string(key.substr(0, kShown));
}

void JsonReader::fail(const Where& where, std::string_view what) {
  if (!ok()) return;
  const std::string path = where.text();
  error_ = (path.empty() ? "the message" : path) + ": " + std::string(what);
}

void JsonReader::mismatch(const Json& json, const Where& where, std::string_view wanted) {
  fail(where, "must be " + std::string(wanted) + ", but is " +
                  (json.is_null() ? "null" : "of type " + std::string(json.type_name())));
}

void JsonReader::read(const Json& json, const Where& where, std::string& out) {
  const auto* text = json.get_ptr<const Json::string_t*>();
  if (text == nullptr) return mismatch(json, where, "a string");
  if (text->size() > kMaxStringBytes) return fail(where, "is longer than 65536 bytes");
  out = *text;
}

void JsonReader::read(const Json& json, const Where& where, bool& out) {
  const auto* flag = json.get_ptr<const Json::boolean_t*>();
  if (flag == nullptr) return mismatch(json, where, "true or false");
  out = *flag;
}

void JsonReader::read(const Json& json, const Where& where, double& out) {
  if (!json.is_number()) return mismatch(json, where, "a number");
  const auto number = json.get<double>();
  if (!std::isfinite(number)) return fail(where, "must be a finite number");
  out = number;
}

void JsonReader::read(const Json& json, const Where& where, std::int64_t& out) {
  if (!json.is_number_integer()) return mismatch(json, where, "a whole number");
  if (const auto* number = json.get_ptr<const Json::number_unsigned_t*>()) {
    if (*number > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) {
      return fail(where, "must be at most 9223372036854775807");
    }
    out = static_cast<std::int64_t>(*number);
    return;
  }
  out = json.get<std::int64_t>();
}

void JsonReader::read(const Json& json, const Where& where, std::uint64_t& out) {
  if (!json.is_number_integer()) return mismatch(json, where, "a whole number from 0 up");
  if (!json.is_number_unsigned()) {
    const auto number = json.get<std::int64_t>();
    if (number < 0) return fail(where, "must not be negative");
  }
  out = json.get<std::uint64_t>();
}

void JsonReader::read(const Json& json, const Where& where, int& out) {
  std::int64_t wide = 0;
  read(json, where, wide);
  if (!ok()) return;
  if (wide < std::numeric_limits<int>::min() || wide > std::numeric_limits<int>::max()) {
    return fail(where, "is out of range");
  }
  out = static_cast<int>(wide);
}

bool JsonReader::expect_object(const Json& json, const Where& where) {
  if (!json.is_object()) {
    mismatch(json, where, "an object");
  } else if (json.size() > kMaxItems) {
    fail(where, "has more than 65536 fields");
  }
  return ok();
}

bool JsonReader::expect_array(const Json& json, const Where& where) {
  if (!json.is_array()) {
    mismatch(json, where, "an array");
  } else if (json.size() > kMaxItems) {
    fail(where, "has more than 65536 entries");
  }
  return ok();
}

}  // namespace rocktune::wire
