#include "trace/rocksdb_log/event_json.h"

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

namespace rocktune::trace::rocksdb_log {
namespace {

// Keeps what the parser has seen when it stops at an error. It does not recurse, whatever the
// depth.
class Collector : public nlohmann::json_sax<nlohmann::json> {
 public:
  explicit Collector(EventJson& out) : out_(out) {}

  bool null() override { return true; }
  bool boolean(bool value) override { return put(value ? 1 : 0); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return put(value > kMost ? std::numeric_limits<std::int64_t>::max()
                             : static_cast<std::int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t& /*text*/) override {
    const bool fits = std::isfinite(value) && std::abs(value) < 9e18;
    return !fits || put(static_cast<std::int64_t>(value));
  }
  bool string(string_t& value) override {
    if (depth_ == 1) out_.words[key_] = value;
    return true;
  }
  bool binary(binary_t& /*value*/) override { return true; }
  bool start_object(std::size_t /*elements*/) override { return ++depth_, true; }
  bool end_object() override { return --depth_, true; }
  bool start_array(std::size_t /*elements*/) override {
    if (depth_ == 1) out_.lists[key_];
    in_list_ = depth_ == 1;
    return ++depth_, true;
  }
  bool end_array() override {
    in_list_ = false;
    return --depth_, true;
  }
  bool key(string_t& value) override {
    if (depth_ == 1) key_ = value;
    return true;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    return false;
  }

 private:
  static constexpr auto kMost =
      static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());

  bool put(std::int64_t value) {
    if (depth_ == 1) out_.numbers[key_] = value;
    if (depth_ == 2 && in_list_ && value >= 0) {
      out_.lists[key_].push_back(static_cast<std::uint64_t>(value));
    }
    return true;
  }

  EventJson& out_;
  std::string key_;
  int depth_ = 0;
  bool in_list_ = false;
};

}  // namespace

std::optional<std::uint64_t> EventJson::number(std::string_view name) const {
  const auto found = numbers.find(name);
  if (found == numbers.end() || found->second < 0) return std::nullopt;
  return static_cast<std::uint64_t>(found->second);
}

std::string EventJson::word(std::string_view name) const {
  const auto found = words.find(name);
  return found == words.end() ? std::string() : found->second;
}

EventJson parse_event_json(std::string_view text) {
  EventJson event;
  Collector collector(event);
  event.whole = nlohmann::json::sax_parse(text, &collector);
  return event;
}

}  // namespace rocktune::trace::rocksdb_log
