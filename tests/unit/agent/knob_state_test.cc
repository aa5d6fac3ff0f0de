#include "agent/knob_state.h"

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

KnobState::View read(KnobState& state, std::int64_t value) {
  return state.observe(value, state.generation());
}

void write(KnobState& state, std::int64_t value, KnobState::Holder holder) {
  state.begin_write(holder);
  state.end_write(value, value);
}

TEST_CASE("the first reading is the found value") {
  KnobState state;
  CHECK(read(state, 7).found == 7);
  CHECK(read(state, 7).owner == Owner::kFound);
}

TEST_CASE("what rocktune wrote is rocktune's, until it is written back") {
  KnobState state;
  read(state, 7);
  write(state, 9, 1);
  CHECK(read(state, 9).owner == Owner::kRocktune);
  CHECK(read(state, 9).found == 7);
  CHECK(state.held_by(1));
  write(state, 7, 1);
  CHECK(read(state, 7).owner == Owner::kFound);
  CHECK_FALSE(state.held_by(1));
}

TEST_CASE("a value that nobody here wrote makes the knob manual until released") {
  KnobState state;
  read(state, 7);
  CHECK(read(state, 8).owner == Owner::kManual);
  CHECK(read(state, 7).owner == Owner::kManual);
  state.release(8, 1);
  CHECK(read(state, 8).owner == Owner::kFound);
  CHECK(read(state, 8).found == 8);

  write(state, 9, 1);
  CHECK(read(state, 10).owner == Owner::kManual);
  CHECK(read(state, 10).found == 8);
}

TEST_CASE("a write that left the value as it was changes no owner") {
  KnobState state;
  read(state, 7);
  write(state, 7, 1);
  CHECK(read(state, 7).owner == Owner::kFound);
  CHECK_FALSE(state.held_by(1));
}

TEST_CASE("what somebody else writes while rocktune does is theirs") {
  KnobState state;
  read(state, 7);
  state.begin_write(1);
  state.end_write(8, 9);
  CHECK(read(state, 8).owner == Owner::kManual);
  CHECK_FALSE(state.held_by(1));
  state.release(8, 1);

  write(state, 9, 1);
  state.begin_write(1);
  state.end_write(9, 10);  // RocksDB did not take it
  CHECK(read(state, 9).owner == Owner::kRocktune);
  state.begin_write(1);
  state.end_write(11, 8);  // a return that somebody overtook
  CHECK(read(state, 11).owner == Owner::kManual);
}

TEST_CASE("a reading that a write overtook judges nothing") {
  KnobState state;
  read(state, 7);
  const auto before = state.generation();
  state.begin_write(1);
  CHECK(state.observe(9, before).owner == Owner::kFound);              // half-way, the new value
  CHECK(state.observe(9, state.generation()).owner == Owner::kFound);  // the same
  state.end_write(9, 9);
  CHECK(state.observe(7, before).owner == Owner::kRocktune);  // the old value, read before
  CHECK(read(state, 9).owner == Owner::kRocktune);
}

TEST_CASE("a shared value is free when the last holder lets go") {
  KnobState state;
  read(state, 7);
  write(state, 9, 1);
  write(state, 10, 2);
  CHECK(state.leave_to_others(1));
  CHECK_FALSE(state.held_by(1));
  CHECK_FALSE(state.leave_to_others(2));  // there are none
  CHECK(state.held_by(2));
  state.let_go(2);
  CHECK_FALSE(state.held_by(2));
}

TEST_CASE("what was observed to be changed is to be remembered, what is as found is not") {
  KnobState state;
  CHECK(state.as_found());
  state.observe(5, state.generation());
  CHECK(state.as_found());
  state.begin_write(1);
  CHECK_FALSE(state.as_found());
  state.end_write(7, 7);
  CHECK_FALSE(state.as_found());
  CHECK(state.held_by(1));
  state.begin_write(1);
  state.end_write(5, 5);
  CHECK(state.as_found());
  CHECK_FALSE(state.held_by(1));
  state.hold_for_operator();
  CHECK_FALSE(state.as_found());
  state.accept(6);
  CHECK(state.as_found());
}

TEST_CASE("a value that is only remembered judges nothing") {
  KnobState state;
  state.observe(5, state.generation());
  CHECK(state.observe(6, KnobState::kNoGeneration).owner == Owner::kFound);
  CHECK(state.observe(6, state.generation()).owner == Owner::kManual);
}

}  // namespace
}  // namespace rocktune::agent
