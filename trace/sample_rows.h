// The wide rows of a sample: binds and reads the fields that the visit_fields() lists name, in
// their order, which is that of trace/columns.h.
#pragma once

#include <vector>

#include "model/sample.h"
#include "trace/columns.h"
#include "trace/sqlite.h"

namespace rocktune::trace {

// All NULL when there is no reading.
template <class Reading>
void put_fields(Statement& row, const std::optional<Reading>& reading) {
  static const Reading kNone;
  Reading::visit_fields(reading ? *reading : kNone,
                        [&](const char*, const Counter& value) { row.put(value); });
}

template <class Reading>
void take_fields(Statement& row, Reading& reading) {
  Reading::visit_fields(reading,
                        [&](const char*, Counter& value) { value = row.take_optional_unsigned(); });
}

// Calls `use` with where each field is stored, and its value.
template <class Self, class Use>
void visit_family(Self& reading, Use use) {
  auto part = family_parts().begin();
  ColumnFamilyReading::visit_fields(reading,
                                    [&](const char*, auto& value) { use(*part++, value); });
}

// The fields that are stored there.
inline void put_family(Statement& row, const ColumnFamilyReading& reading, FamilyPart part) {
  visit_family(reading, [&](FamilyPart one, const Counter& value) {
    if (one == part) row.put(value);
  });
}

// Where they are in `reading`, for as long as it stays where it is.
inline std::vector<Counter*> family_fields(ColumnFamilyReading& reading, FamilyPart part) {
  std::vector<Counter*> fields;
  visit_family(reading, [&](FamilyPart one, Counter& value) {
    if (one == part) fields.push_back(&value);
  });
  return fields;
}

void put_knob(Statement& row, const KnobReading& knob);
Result<KnobReading> take_knob(Statement& row);

}  // namespace rocktune::trace
