// adoc: ADOC (Yu et al., USENIX FAST 2023; supermt/FEAT_7.11, utilities/DOTA/DOTA_tuner.cc and
// include/rocksdb/utilities/DOTA_tuner.h). Two knobs by additive increase and halving, at a tick of
// 1 s in which something was flushed. The later rule wins:
//
//   background jobs    memtables wait (1 or more): +2; flushes are slow: halved; pending bytes at
//                      the soft limit or level 0 at its slowdown trigger: +2; within 2 and the
//                      number of cores (core_num, which the operator gives: the budget's jobs_max,
//                      else the CPUs)
//   write_buffer_size  flushes are slow, or more than 1 memtable waits: + what it was found with;
//                      pending bytes at the soft limit: halved; within 64 MiB and 512 MiB.
//                      target_file_size_base is set to it, max_bytes_for_level_base to it times
//                      level 0's compaction trigger.
//
// Slow is below half of the fastest flushes seen. The first such tick only begins the history. (A
// revision of the repository also enlarges the memtable when none waits, against its own comment
// and the paper; not here.)
//
// Departures:
// - How long a flush took is not in a sample. The speed is that of flushed bytes while memtables
//   waited at both ends of each poll, so that flushes ran without a break: from the end of one to
//   that of a later one, over 5 s and at least three polls in which some ended, since all that a
//   flush writes is counted as it ends. Before, and with none waiting, it is not slow, and nothing
//   is learnt of the fastest.
// - "Level 0 at its slowdown trigger" is that, as the paper has it. The repository counts the files
//   of the first level that level 0 is merged into instead (NumLevelFiles(vfs->base_level())).
// - Jobs that were found beyond the number of cores stay so until flushes are slow; the original
//   cuts them to it as soon as it adds any (SetThreadNum).
// - target_file_size_base and max_bytes_for_level_base follow the memtable as it is read back, at
//   the next such tick, and once it was seen to move: the original sets all three at once, and here
//   the guard may allow less of a memtable than was wished. Without memory_max it allows no
//   more for all memtables and the cache than was found: those of memtable_min_bytes and less do
//   not move then; larger ones may be halved and come back.
// - Every column family has its memtable tuned by its own pressures; the original knows one.
// - max_bytes_for_level_base supposes min_write_buffer_number_to_merge to be 1.
#pragma once

#include <memory>

#include "policy/policy.h"

namespace rocktune::peers {

inline constexpr std::string_view kAdoc = "adoc";

struct AdocParams {
  double memtable_min_bytes = 64.0 * (1 << 20);   // min_memtable_size
  double memtable_max_bytes = 512.0 * (1 << 20);  // the larger one of the paper's two sizes
};

std::unique_ptr<Policy> make_adoc(const AdocParams& params);

}  // namespace rocktune::peers
