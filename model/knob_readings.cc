#include "model/knob_readings.h"

#include <utility>

namespace rocktune {

KnobReadings::KnobReadings(List readings) : list_(std::make_shared<List>(std::move(readings))) {}

const KnobReadings::List& KnobReadings::list() const {
  static const List kNone;
  return list_ ? *list_ : kNone;
}

const KnobReading* KnobReadings::find(std::string_view name, std::string_view column_family) const {
  for (const KnobReading& reading : list()) {
    if (reading.name == name && reading.column_family == column_family) return &reading;
  }
  return nullptr;
}

KnobReadings::List& KnobReadings::edit() {
  if (!list_ || list_.use_count() > 1) list_ = std::make_shared<List>(list());
  return *list_;
}

}  // namespace rocktune
