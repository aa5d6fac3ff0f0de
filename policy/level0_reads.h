// Whether reads can bear more files in level 0, each of which they look into: filters spare them
// that, but not iterators; or hardly anybody reads. Pure; internal to policy/.
#pragma once

#include <string_view>

#include "policy/situation.h"

namespace rocktune {

// As of this sample, in which a pause of writes makes a health check a reader.
bool reads_bear_level0(const Features& features, std::string_view column_family);
// Readers have come for whom there are too many: no health check.
bool reads_burden_level0(const Situation& situation, std::string_view column_family);
// As of this sample and of the last ten seconds: readers that wait for a moment read on after it.
bool reads_have_borne_level0(const Situation& situation, std::string_view column_family);

}  // namespace rocktune
