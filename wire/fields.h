// The fields of a JSON object that is read into a struct, and get(), which reads one value of any
// type: scalars here, what messages are made of in decode_parts.cc. A field that is missing or
// wrong is told to the JsonReader, with where it stands; the first one counts. Internal to wire/.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "wire/json_reader.h"
#include "wire/messages.h"

namespace rocktune::wire {

class Fields {
 public:
  using Json = JsonReader::Json;

  Fields(JsonReader& reader, const Json& json, const Where& where)
      : reader_(reader), json_(json), where_(where), usable_(reader.expect_object(json, where)) {}

  template <class T>
  void required(std::string_view name, T& out) {
    if (const Json* found = find(name)) {
      get(*found, name, out);
    } else {
      reader_.fail(at(name), "is missing");
    }
  }

  template <class T>
  void optional(std::string_view name, T& out) {
    if (const Json* found = find(name)) get(*found, name, out);
  }
  template <class T>
  void optional(std::string_view name, std::optional<T>& out) {
    if (const Json* found = find(name)) get(*found, name, out.emplace());
  }

  void one_of(std::string_view name, const std::string& value,
              std::initializer_list<std::string_view> allowed) {
    std::string list;
    for (const auto candidate : allowed) {
      if (value == candidate) return;
      list += (list.empty() ? "" : ", ") + std::string(candidate);
    }
    check(name, false, "must be one of " + list);
  }
  void check(std::string_view name, bool good, std::string_view what) {
    if (!good) reader_.fail(at(name), what);
  }
  // What CLOCK_MONOTONIC read, in nanoseconds: a year from what 64 bits hold, so that durations
  // fit. What is decoded here passes is_tick() of the daemon's (tests/unit/daemon).
  void tick(std::string_view name, std::int64_t& out) {
    constexpr std::int64_t kYear = std::int64_t{365} * 86'400 * 1'000'000'000;
    required(name, out);
    check(name, out >= 0 && out < std::numeric_limits<std::int64_t>::max() - kYear,
          "is no time that a clock reads");
  }
  void filled(std::string_view name, const std::string& text) {
    check(name, !text.empty(), "must not be empty");
  }

 private:
  [[nodiscard]] Where at(std::string_view name) const { return Where{&where_, name, {}}; }
  [[nodiscard]] const Json* find(std::string_view name) const {
    if (!usable_ || !reader_.ok()) return nullptr;
    const auto it = json_.find(name);
    return it == json_.end() ? nullptr : &*it;
  }
  template <class T>
  void get(const Json& json, std::string_view name, T& out);

  JsonReader& reader_;
  const Json& json_;
  const Where& where_;
  bool usable_;
};

template <class T>
concept Scalar = requires(JsonReader& r, const JsonReader::Json& j, const Where& w, T& out) {
  r.read(j, w, out);
};

template <Scalar T>
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, T& out) {
  reader.read(json, where, out);
}

void get(JsonReader& reader, const JsonReader::Json& json, const Where& where,
         Histogram::Bucket& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Database& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Histogram& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Level& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, L0Compactions& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Jobs& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, ColumnFamily& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Knob& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, KnobDetails& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Knobs::Entry& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Lease& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Change& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, ChangeResult& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Event& out);
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where, Error& out);

template <class T>
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where,
         std::vector<T>& out) {
  if (!reader.expect_array(json, where)) return;
  out.reserve(json.size());
  for (std::size_t i = 0; i < json.size() && reader.ok(); ++i) {
    get(reader, json[i], Where{&where, {}, i}, out.emplace_back());
  }
}

template <class T>
void get(JsonReader& reader, const JsonReader::Json& json, const Where& where,
         std::map<std::string, T>& out) {
  if (!reader.expect_object(json, where)) return;
  for (const auto& [key, value] : json.items()) {
    get(reader, value, Where{&where, key, {}}, out[key]);
    if (!reader.ok()) return;
  }
}

template <class T>
void Fields::get(const Json& json, std::string_view name, T& out) {
  wire::get(reader_, json, at(name), out);
}

}  // namespace rocktune::wire
