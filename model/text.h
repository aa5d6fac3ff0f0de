// Numbers as people read them in messages and reasons. Independent of the locale, so that the same
// samples give the same bytes everywhere.
#pragma once

#include <string>

#include "model/clock.h"

namespace rocktune::text {

std::string number(double value, int decimals);  // "17.25"
std::string amount(double value);                // three digits or so: "17", "0.8", "1250"
std::string exact(double value);                 // the shortest that reads back: "1.05", "65536"
std::string bytes(double value);                 // "17.3 GiB", "512 KiB"
std::string rate(double bytes_per_second);       // "16 MiB/s"
std::string microseconds(double value);          // "850 us", "4.2 ms", "1.3 s"
std::string duration(double seconds);            // "0.4 s", "4 s", "12 min"
std::string percent(double ratio);               // "35%"
std::string rfc3339(Nanoseconds wall);           // UTC, milliseconds: "2026-01-31T12:00:00.250Z"
// A time that ids are made of, UTC: "261128-085511.628" of 2026-11-28 08:55:11.628.
std::string moment(Nanoseconds wall);
// " in column family hot"; empty for no name.
std::string in_family(const std::string& column_family);

}  // namespace rocktune::text
