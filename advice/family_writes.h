// What several rules ask of one column family's writes. Internal to advice/.
#pragma once

#include <string>
#include <tl/expected.hpp>

#include "advice/evidence.h"
#include "advice/findings.h"
#include "advice/tree_shapes.h"

namespace rocktune::advice {

// Fewer flushes than this are no habit.
inline constexpr double kFewFlushes = 20;

// Whether hardly anything was flushed into it; absent when nothing tells.
std::optional<bool> few_flushes(const Evidence& evidence, const FamilyEvidence& family);

// Its share of all that was flushed, by flushes and memtable sizes; 1 for the only one.
Value flush_share(const Evidence& evidence, const FamilyEvidence& family);

// All write buffers of every column family, full.
double full_memtables(const Evidence& evidence);

// Bytes of one flushed table; blob files are none.
Value flush_file_bytes(const Evidence& evidence, const FamilyEvidence& family);

struct FamilyWrites {
  Value per_flushed_byte;    // flush and compactions
  bool apportioned = false;  // by the time that its compactions took, of those of all
};
FamilyWrites family_writes(const Evidence& evidence, const FamilyEvidence& family);

// The base level's bytes over those that a compaction out of L0 brings to it: each of these bytes
// rewrites so many of the base level.
Value base_over_level0(const Evidence& evidence, const FamilyEvidence& family);

// A base level in proportion to L0 (RocksDB's defaults: 4 x 64 MiB into 256 MiB), by arithmetic.
struct BasePlan {
  double wanted_bytes = 0;
  LeveledCost before, after;
};
// Or why the present one may stay: it is not 8 times as large, the option asks for no more, the
// tree is not at rest, or neither arithmetic nor what was measured shows a gain for sure.
tl::expected<BasePlan, std::string> smaller_base(const Evidence& evidence,
                                                 const FamilyEvidence& family);

// Compactions owe so much that sizes of levels show nothing.
bool compactions_behind(const FamilyEvidence& family);

// The largest share of the time in which this column family, or the database as a whole, held
// writers up.
Value family_trouble(const Evidence& evidence, const FamilyEvidence& family);

// Level 0 and debt were read, and neither was at its limit for this share of the time: whatever
// holds writers up, compactions that write less would not help.
bool not_by_compactions(const FamilyEvidence& family, double share);
inline constexpr const char* kNotByCompactions =
    "neither level 0 nor debt holds writers up: see memtables";

// Reads (seeks among them) for each write, of the whole database; absent when either was not
// counted.
Value reads_per_write(const Evidence& evidence);
// Of several column families reads are not counted apart: whose they are is not known.
bool reads_shared(const Evidence& evidence);
Fact reads_fact(const Evidence& evidence, double reads_per_write);
inline constexpr const char* kBlobFiles =
    "values lie in blob files, which are not in the trace: tables show no sizes";
inline constexpr const char* kReadsShared = "reads are not counted apart for each column family";

}  // namespace rocktune::advice
