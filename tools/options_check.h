// Whether an OPTIONS file goes with what was recorded: what both tell of column families, side by
// side. Pure.
#pragma once

#include <string>
#include <vector>

#include "advice/evidence.h"
#include "model/open_options.h"

namespace rocktune::tools {

struct OptionDifference {
  std::string column_family;
  std::string option;             // empty: the file does not have the column family at all
  std::string in_file, recorded;  // in the option's unit
};

// Options by which writes stall, and the sizes of trees. What was found before rocktune changed it
// counts as recorded too: a file may be older than a change, or younger.
std::vector<OptionDifference> option_differences(const OpenOptions& file,
                                                 const advice::Evidence& evidence);

}  // namespace rocktune::tools
