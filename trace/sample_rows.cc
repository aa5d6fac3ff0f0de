#include "trace/sample_rows.h"

namespace rocktune::trace {
namespace {

constexpr std::pair<KnobOwner, std::string_view> kOwners[] = {{KnobOwner::kFound, "found"},
                                                              {KnobOwner::kRocktune, "rocktune"},
                                                              {KnobOwner::kManual, "manual"}};

}  // namespace

void put_knob(Statement& row, const KnobReading& knob) {
  std::string_view owner;
  for (const auto& [value, name] : kOwners) {
    if (value == knob.owner) owner = name;
  }
  row.put(knob.name).put(knob.column_family).put(knob.value).put(knob.found).put(owner);
  row.put(knob.changeable).put(knob.reason).put(knob.min).put(knob.max);
}

Result<KnobReading> take_knob(Statement& row) {
  KnobReading knob;
  knob.name = row.take_text();
  knob.column_family = row.take_text();
  knob.value = row.take_int();
  knob.found = row.take_int();
  const std::string owner = row.take_text();
  bool known = false;
  for (const auto& [value, name] : kOwners) {
    if (name != owner) continue;
    knob.owner = value;
    known = true;
  }
  if (!known) return fail(ErrorCode::kCorrupt, "unknown owner \"" + owner + "\" of a knob");
  knob.changeable = row.take_bool();
  knob.reason = row.take_text();
  knob.min = row.take_int();
  knob.max = row.take_int();
  return knob;
}

}  // namespace rocktune::trace
