// What to SELECT to read samples back. A file of an older schema is asked in such a way that its
// rows look as those of this one: the reader knows one shape only.
//
// Schemas before 4 had a column family's whole state in each row of "column_families" but for its
// levels, ages as they were read, and what the drive's health and the slices of shared budgets said
// in each row of "samples".
#pragma once

#include <cstdint>
#include <string>

#include "model/result.h"
#include "trace/sqlite.h"

namespace rocktune::trace {

struct SampleQueries {
  std::string samples;   // of target ?1, in order: sample_columns()
  std::string nvme;      // of sample ?: nvme_columns() but the first
  std::string shared;    // of sample ?: shared_columns() but the first
  std::string families;  // from sample ? on, by sample and position: column_family_columns()
  std::string state;  // of sample ? and position ?: column_family_state_columns() but the first two
  std::string options;  // ... column_family_option_columns() but the first two
};

// Errors: the file lacks a column that its schema has.
Result<SampleQueries> sample_queries(const Connection& connection);

}  // namespace rocktune::trace
