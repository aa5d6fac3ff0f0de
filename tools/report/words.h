// What a report says in sentences before it draws anything. Pure.
#pragma once

#include <string>
#include <vector>

#include "page/page.h"
#include "tools/report/recording.h"

namespace rocktune::tools {

// Of one database: how long and how loaded, what stalled, what was warned of, what was decided and
// what came of it. Those for a reader in a hurry are emphasised.
std::vector<page::Paragraph> summary_words(const Recording& recording);

// What the trace does not have and no chart therefore shows, a sentence each.
std::vector<std::string> missing_words(const Recording& recording);

}  // namespace rocktune::tools
