// The random cases that are known to be behind static, what each came to, and how far it may move
// from that: no seed that is listed becomes worse in any measure unseen, and no other one joins
// them (no_harm_property_test.cc). docs/no-harm.md says of each what happens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/unit/sim/harm_pair.h"

namespace rocktune::sim {

// What a seed came to in its first pair.
struct ListedSeed {
  std::size_t databases = 1;
  std::uint64_t seed = 0;
  HarmOutcome outcome = HarmOutcome::kNone;
  // Of static's, as in HarmPair: of all databases, and of the worst.
  double throughput_ratio = 0, least_ratio = 0;
  double lost_seconds = 0;  // more than under static
  double read_p99_ratio = 0;
  double above_slo_seconds = 0;  // more than under static
  const char* why = "";
};

// By databases and seed. `sim_test "[table]"` prints it as it is now.
std::span<const ListedSeed> listed_seeds();
const ListedSeed* find_listed(std::size_t databases, std::uint64_t seed);  // null: it is not

// The row that this pair should have, with the `why` that is listed, if any.
ListedSeed listed_as(std::size_t databases, std::uint64_t seed, HarmOutcome outcome,
                     const HarmPair& first);
// As it stands in listed_seeds.inc.
std::string row_text(const ListedSeed& listed);

// In what the pair is worse than it is listed with, beyond the slack.
std::vector<std::string> worse_than_listed(const ListedSeed& listed, const HarmPair& first);

}  // namespace rocktune::sim
