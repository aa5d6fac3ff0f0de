#include "daemon/config/knob_maps.h"

#include <algorithm>

#include "daemon/config/values.h"
#include "files/units.h"
#include "model/knobs.h"
#include "policy/pins.h"

namespace rocktune::daemon {
namespace {

constexpr std::string_view kUnlimited = "unlimited";
constexpr double kMostDrift = 1e6;

Result<std::string> parse_knob(std::string_view text) {
  std::vector<std::string> names;
  for (const KnobSpec& spec : knob_catalogue()) names.emplace_back(spec.name);
  return parse_choice(text, names).map_error([](Error error) {
    error.message += " (rocktune turns no others)";
    return error;
  });
}

Result<std::int64_t> parse_in_unit(const KnobSpec& spec, std::string_view text) {
  if (spec.unit == "bytes/s") {
    if (text == kUnlimited) return kUnlimitedBytesPerSecond;
    return parse_rate(text).map(
        [](BytesPerSecond rate) { return static_cast<std::int64_t>(rate.value); });
  }
  if (spec.unit == "bytes") return parse_bytes(text).map([](Bytes size) { return size.value; });
  return parse_integer(text);
}

// Calls take(knob, text) for each entry; the error that it returns is reported at the value.
template <class Take>
void read_map(Section& section, std::string_view key, Reading& reading, const std::string& path,
              Take take) {
  const RawNode* map = section.free_map(key);
  if (map == nullptr) return;
  for (const RawEntry& entry : map->entries) {
    const std::string full = path + std::string(key) + "." + entry.key;
    const Result<std::string> knob = parse_knob(entry.key);
    if (!knob) {
      reading.problems.add(entry.mark, full, knob.error().message);
    } else if (entry.value.kind != RawNode::Kind::kScalar) {
      reading.problems.add(entry.value.mark, full, "expected a single value");
    } else if (const Result<void> taken = take(*knob, entry.value.text); !taken) {
      reading.problems.add(entry.value.mark, full, taken.error().message);
    } else {
      reading.settings.push_back(
          {full, entry.value.text, reading.raw.file + ":" + std::to_string(entry.value.mark.line)});
    }
  }
}

template <class Value>
Result<void> keep(std::map<std::string, Value>& map, const std::string& knob, Result<Value> value) {
  if (!value) return tl::unexpected<Error>(value.error());
  if (map.emplace(knob, *value).second) return {};
  return fail(ErrorCode::kInvalidArgument, "duplicate key: remove one");
}

}  // namespace

Result<std::optional<double>> parse_drift(std::string_view text) {
  if (text == kUnlimited) return std::optional<double>();
  const Result<double> factor = parse_number(text);
  if (factor && *factor >= 1 && *factor <= kMostDrift) return std::optional(*factor);
  return fail(ErrorCode::kInvalidArgument,
              "'" + std::string(text) + "' is no factor of at least 1; write for example 4, or " +
                  std::string(kUnlimited));
}

std::string print_drift(const std::optional<double>& factor) {
  return factor ? format_number(*factor) : std::string(kUnlimited);
}

Result<std::int64_t> parse_knob_value(std::string_view knob, std::string_view text) {
  const KnobSpec* spec = find_knob(knob);
  if (spec == nullptr) {
    return fail(ErrorCode::kInvalidArgument, "there is no knob " + std::string(knob));
  }
  Result<std::int64_t> value = parse_in_unit(*spec, text);
  if (!value || (*value >= spec->min && *value <= spec->max)) return value;
  return fail(ErrorCode::kInvalidArgument,
              "'" + std::string(text) + "' is out of range; " + std::string(knob) + " may be " +
                  std::to_string(spec->min) + " to " + std::to_string(spec->max) + " " +
                  std::string(spec->unit));
}

void read_frozen(Section& section, std::string_view key, Reading& reading, const std::string& path,
                 std::vector<std::string>& frozen) {
  const RawNode* list = section.list(key);
  if (list == nullptr) return;
  const std::string full = path + std::string(key);
  std::string names;
  for (const RawNode& item : list->items) {
    const Result<std::string> name = parse_knob(item.text);
    if (name) {
      frozen.push_back(*name);
      names += (names.empty() ? "" : ", ") + *name;
    } else {
      reading.problems.add(item.mark, full, name.error().message);
    }
  }
  reading.settings.push_back(
      {full, "[" + names + "]", reading.raw.file + ":" + std::to_string(list->mark.line)});
}

void read_drifts(Section& section, std::string_view key, Reading& reading, const std::string& path,
                 std::map<std::string, std::optional<double>>& drifts) {
  std::map<std::string, std::optional<double>> given;
  read_map(section, key, reading, path, [&](const std::string& knob, const std::string& text) {
    return keep(given, knob, parse_drift(text));
  });
  for (const auto& [knob, factor] : given) drifts[knob] = factor;
}

void read_pins(Section& section, std::string_view key, Reading& reading, const std::string& path,
               const std::vector<std::string>& frozen, Pins& pins) {
  read_map(section, key, reading, path,
           [&](const std::string& knob, const std::string& text) -> Result<void> {
             if (std::find(frozen.begin(), frozen.end(), knob) != frozen.end()) {
               return fail(ErrorCode::kInvalidArgument,
                           "is in `freeze` as well: a knob is pinned to a value, or left alone");
             }
             return keep(pins, knob, parse_knob_value(knob, text));
           });
  const std::string wrong = disorder(pins);
  if (!wrong.empty()) section.complain(key, wrong);
}

}  // namespace rocktune::daemon
