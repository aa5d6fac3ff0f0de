// Numbers and tables as people read them. Pure; widths count code points, not bytes.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "files/printable.h"  // for whoever prints rows and words of others

namespace rocktune::tools {

std::string bytes_text(double bytes);            // "1.5 GiB"
std::string rate_text(double bytes_per_second);  // "12.3 MiB/s"
std::string count_text(double count);            // "950", "12.3k", "4.56M"
std::string seconds_text(double seconds);        // "250 ms", "12.0 s", "5m 03s", "2h 05m", "3d 4h"
std::string microseconds_text(double us);        // "85 us", "1.2 ms"
std::string percent_text(double ratio);          // "64 %"
std::string number_text(double value);           // at most four significant digits
// A knob's value in its unit ("4 MiB", "on"), and a value in any unit of knobs.
std::string knob_text(std::string_view knob, std::int64_t value);
std::string value_in(std::string_view unit, std::int64_t value);

// A feature's value in the unit that its name ends with.
std::string feature_text(std::string_view feature, double value);

// RocksDB has numbers for a limit that is off: 0 for pending bytes, 2147483647 for level 0 under
// FIFO, and others. What a knob's value is called instead, as "no limit"; empty: it is a value.
std::string_view off_text(std::string_view knob, std::int64_t value);
// Whether `limit` limits a feature, as "l0_files", or is one, as "l0_slowdown_files".
bool is_limit(std::string_view feature, double limit);
std::string limit_text(std::string_view feature, double limit);  // as feature_text(), or "no limit"
std::string of_limit(const std::string& feature, double limit);  // " of 20", or " (no limit)"

std::size_t display_width(std::string_view text);
std::string clipped(std::string_view text, std::size_t width);  // "..." where something is cut

// Rows with columns aligned on the left; the last one is not padded.
std::vector<std::string> table(const std::vector<std::vector<std::string>>& rows,
                               std::string_view indent = "  ");

// Words in lines of at most `width` characters.
std::vector<std::string> wrapped(const std::string& words, std::size_t width = 88);

// The known word that is closest to a mistyped one; empty when none is close.
std::string closest(std::string_view word, const std::vector<std::string>& known);

}  // namespace rocktune::tools
