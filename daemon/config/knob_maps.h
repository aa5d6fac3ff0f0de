// Settings that name knobs: what is frozen and pinned of a target, and the drift limits of a
// budget. Every mistake is reported at its place in the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "files/section.h"
#include "model/engine_config.h"

namespace rocktune::daemon {

// A factor of at least one, or "unlimited".
Result<std::optional<double>> parse_drift(std::string_view text);
std::string print_drift(const std::optional<double>& factor);

// A knob's value as its unit is written elsewhere: "64MiB", "100MB/s" or "unlimited", "8". In the
// catalogue's range.
Result<std::int64_t> parse_knob_value(std::string_view knob, std::string_view text);

// `key` of the section: [knob, ...], to be left alone.
void read_frozen(Section& section, std::string_view key, Reading& reading, const std::string& path,
                 std::vector<std::string>& frozen);
// `key` of the section: {knob: factor}. What is given goes before what was inherited of that knob.
void read_drifts(Section& section, std::string_view key, Reading& reading, const std::string& path,
                 std::map<std::string, std::optional<double>>& drifts);
// `key` of the section: {knob: value}. A knob that is frozen as well is an error.
void read_pins(Section& section, std::string_view key, Reading& reading, const std::string& path,
               const std::vector<std::string>& frozen, Pins& pins);

}  // namespace rocktune::daemon
