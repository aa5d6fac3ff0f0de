// Values with units as people write them in the config: `500ms`, `64MiB`, `200MB/s`, `14d`.
//
// A number without a unit is an error wherever a unit matters, and the message says what to write.
// Sizes: B, KB MB GB TB (powers of 1000) and KiB MiB GiB TiB (powers of 1024); a rate is a size
// with "/s"; durations: us, ms, s, m (or min), h, d. Decimals are allowed, a blank before the unit
// too. The format functions write what the parse functions read back exactly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "model/clock.h"
#include "model/result.h"
#include "model/units.h"

namespace rocktune {

Result<Nanoseconds> parse_duration(std::string_view text);
Result<Bytes> parse_bytes(std::string_view text);
Result<BytesPerSecond> parse_rate(std::string_view text);
Result<std::int64_t> parse_integer(std::string_view text);
Result<double> parse_number(std::string_view text);

std::string format_duration(Nanoseconds duration);
std::string format_bytes(Bytes bytes);
std::string format_rate(BytesPerSecond rate);
std::string format_number(double number);  // shortest form that reads back the same

}  // namespace rocktune
