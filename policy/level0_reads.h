// Whether reads can bear more files in level 0, each of which they look into: filters spare them
// that, but not iterators; or hardly anybody reads. Pure; internal to policy/.
#pragma once

#include <string_view>

#include "model/features.h"

namespace rocktune {

bool reads_bear_level0(const Features& features, std::string_view column_family);

}  // namespace rocktune
