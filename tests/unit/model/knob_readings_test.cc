#include "model/knob_readings.h"

#include <string>

#include "tests/support/catch.h"

using namespace rocktune;

namespace {

KnobReading reading(std::string name, std::string column_family, std::int64_t value) {
  KnobReading out;
  out.name = std::move(name);
  out.column_family = std::move(column_family);
  out.value = value;
  return out;
}

std::int64_t value_of(const KnobReadings& knobs, std::string_view name, std::string_view family) {
  const KnobReading* found = knobs.find(name, family);
  return found != nullptr ? found->value : -1;
}

}  // namespace

TEST_CASE("a knob is found by name and column family, the first of several", "[knobs]") {
  KnobReadings knobs({reading("write_buffer_size", "users", 3), reading("jobs", "", 1),
                      reading("write_buffer_size", "default", 2), reading("jobs", "", 9)});
  const auto all_there = [&knobs] {
    CHECK(value_of(knobs, "write_buffer_size", "users") == 3);
    CHECK(value_of(knobs, "write_buffer_size", "default") == 2);
    CHECK(value_of(knobs, "jobs", "") == 1);
    CHECK(value_of(knobs, "jobs", "users") == -1);
    CHECK(value_of(knobs, "write_buffer_size", "zzz") == -1);
    CHECK(value_of(knobs, "", "") == -1);
  };
  all_there();
  CHECK(knobs[0].column_family == "users");  // as they were given
  knobs.edit();
  all_there();
  CHECK(KnobReadings().find("jobs", "") == nullptr);
}

TEST_CASE("who edits a list changes it for nobody else, and finds what it put there", "[knobs]") {
  const KnobReadings before({reading("jobs", "", 1), reading("limit", "", 7)});
  KnobReadings after = before;
  after.edit()[0].name = "renamed";
  after.edit().push_back(reading("added", "", 5));
  CHECK(value_of(after, "renamed", "") == 1);
  CHECK(value_of(after, "added", "") == 5);
  CHECK(value_of(after, "jobs", "") == -1);
  CHECK(value_of(before, "jobs", "") == 1);
  CHECK(before.find("added", "") == nullptr);
  CHECK(before != after);
}
