// One knob of a database, by its name.
#pragma once

#include <string>

#include "agent/control.h"
#include "tests/support/catch.h"

namespace rocktune::agent::testing {

inline wire::Knobs::Entry knob_entry(const Control& control, const std::string& name,
                                     const std::string& column_family = {}) {
  for (const auto& entry : control.catalogue().knobs) {
    if (entry.knob.name == name && entry.knob.column_family == column_family) return entry;
  }
  FAIL("there is no knob " << name << " of '" << column_family << "'");
  return {};
}

inline wire::Knob knob_named(const Control& control, const std::string& name,
                             const std::string& column_family = {}) {
  return knob_entry(control, name, column_family).knob;
}

}  // namespace rocktune::agent::testing
