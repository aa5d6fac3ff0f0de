// Whether runs of two policies stood beside each other, so that repeats of one number are pairs.
// Pure.
#pragma once

#include <cstddef>
#include <vector>

#include "bench/report/run.h"

namespace rocktune::bench::report {

// None of the runs began before one of an earlier repeat, and those of one repeat began within the
// time that a run of each of so many policies takes: a policy that was added to a comparison later,
// or a repeat that was finished later, ran on what may have been another machine's day.
bool took_turns(const std::vector<const Run*>& runs, std::size_t policies);

}  // namespace rocktune::bench::report
