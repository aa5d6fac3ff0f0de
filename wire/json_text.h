// JSON out of a file that anybody may have written. Pure; thread-safe.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string_view>

namespace rocktune::wire {

// Nothing that rocktune writes is nested so deeply, and what copies a document recurses as deep.
inline constexpr int kDeepestJson = 512;

// Discarded (is_discarded()) where the text is no JSON, or nested more deeply. `Json`: one of the
// library's, ordered or not.
template <class Json>
Json parse_json(std::string_view text) {
  const auto look = [](int depth, typename Json::parse_event_t, const Json&) {
    if (depth > kDeepestJson) throw std::length_error("nested too deeply");
    return true;
  };
  try {
    return Json::parse(text, look, false);
  } catch (const std::length_error&) {
    return Json(Json::value_t::discarded);
  }
}

}  // namespace rocktune::wire
