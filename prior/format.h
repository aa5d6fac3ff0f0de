// What the writer and the reader of prior files have in common.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "model/indicators.h"

namespace rocktune::prior_format {

inline constexpr std::string_view kBias = "bias";
inline constexpr std::array<IndicatorKind, 3> kKinds = {
    IndicatorKind::kP99, IndicatorKind::kCompactionBacklog, IndicatorKind::kDeviceSaturation};

// Any bytes as a YAML scalar in double quotes: what is not printable ASCII, and `"`, `\` and `%`,
// stands as %XX, since a path need not be UTF-8.
std::string quoted(std::string_view bytes);
// The way back, of the scalar's text; absent where a % is not followed by two digits.
std::optional<std::string> unquoted(std::string_view text);

}  // namespace rocktune::prior_format
