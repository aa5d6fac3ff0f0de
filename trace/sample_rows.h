// The wide rows of a sample: binds and reads the fields that the visit_fields() lists name, in
// their order, which is that of trace/columns.h.
#pragma once

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

// The options of a column family, or its gauges.
inline void put_column_family(Statement& row, const ColumnFamilyReading& reading, bool options) {
  ColumnFamilyReading::visit_fields(reading, [&](const char* name, const Counter& value) {
    if (is_option(name) == options) row.put(value);
  });
}

inline void take_column_family(Statement& row, ColumnFamilyReading& reading, bool options) {
  ColumnFamilyReading::visit_fields(reading, [&](const char* name, Counter& value) {
    if (is_option(name) == options) value = row.take_optional_unsigned();
  });
}

void put_knob(Statement& row, const KnobReading& knob);
Result<KnobReading> take_knob(Statement& row);

}  // namespace rocktune::trace
