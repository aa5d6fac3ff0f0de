// Words for knobs in lines for people.
#pragma once

#include <string>

#include "model/knobs.h"
#include "model/sample.h"

namespace rocktune::daemon {

// "write_buffer_size of hot".
inline std::string called(const std::string& knob, const std::string& column_family) {
  return column_family.empty() ? knob : knob + " of " + column_family;
}

inline std::string called(const KnobReading& knob) {
  return called(knob.name, knob.column_family);
}

// "write_buffer_size of hot 64 MiB".
inline std::string standing(const KnobReading& knob) {
  return called(knob) + " " + shown(knob.name, knob.value);
}

}  // namespace rocktune::daemon
