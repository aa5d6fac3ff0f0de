// Reads values out of a parsed JSON document, checking type and range, and keeps the first thing
// that is wrong as one sentence that names the field: "column_families[2].levels[0].files: must
// be a whole number from 0 up, but is a string".
//
// Private to the codec: the only header of this folder that knows the JSON library.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rocktune::wire {

// What a message may hold at most. A real sample stays far below; whatever is above is not from us.
inline constexpr std::size_t kMaxMessageBytes = std::size_t{32} << 20;
inline constexpr std::size_t kMaxItems = 65536;
inline constexpr std::size_t kMaxStringBytes = 65536;
inline constexpr int kMaxDepth = 16;  // a sample's levels lie 5 deep
// Beginnings, ends, keys and values. Ten thousand column families with their levels make 600,000.
inline constexpr std::size_t kMaxEvents = 2'000'000;

// Where in the document we are; lives on the stack, turned into text only when something is wrong.
struct Where {
  const Where* parent = nullptr;
  std::string_view key;
  std::optional<std::size_t> index;

  [[nodiscard]] std::string text() const;
};

class JsonReader {
 public:
  using Json = nlohmann::json;

  [[nodiscard]] bool ok() const { return error_.empty(); }
  [[nodiscard]] const std::string& error() const { return error_; }
  void fail(const Where& where, std::string_view what);

  void read(const Json& json, const Where& where, std::string& out);
  void read(const Json& json, const Where& where, bool& out);
  void read(const Json& json, const Where& where, double& out);
  void read(const Json& json, const Where& where, std::int64_t& out);
  void read(const Json& json, const Where& where, std::uint64_t& out);
  void read(const Json& json, const Where& where, int& out);

  bool expect_object(const Json& json, const Where& where);
  bool expect_array(const Json& json, const Where& where);

 private:
  void mismatch(const Json& json, const Where& where, std::string_view wanted);

  std::string error_;
};

}  // namespace rocktune::wire
