// Decisions, actuations and outcomes of the alert log in words, with their knobs and units. Pure.
#pragma once

#include <string>

#include "tools/control.h"

namespace rocktune::tools {

// Of a decision's line: "write_buffer_size of hot"; empty when it names none.
std::string knob_called(const Json& decision);
// The value at `key` in the knob's unit; "?" when there is none.
std::string knob_value_at(const Json& line, const char* key, const std::string& knob);
// "applied 3 MiB/s -> 12 MiB/s" of an actuation, "refused, stays at 3 MiB/s". An empty knob: bare
// numbers.
std::string done_words(const Json& actuation, const std::string& knob);
// The same with ": reason", where there is one.
std::string actuation_text(const Json& actuation, const std::string& knob);
// "better: read_p99_us went from 6.1 ms to 6.3 ms (tolerance 612 us)" of an outcome.
std::string outcome_text(const Json& outcome);

}  // namespace rocktune::tools
