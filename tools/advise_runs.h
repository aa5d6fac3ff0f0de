// Reads traces for `rocktune advise`: one report for each database, over all traces that have it.
// The same one are those of one path on one host. Where the host is not known, as in LOGs before
// RocksDB 8.7, only an opening that is in both tells: copies and replicas lie at one path on many
// machines. Streams; no samples are kept.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "advice/advice.h"
#include "advice/evidence.h"
#include "model/result.h"
#include "tools/options_check.h"
#include "tools/run_list.h"

namespace rocktune::tools {

struct AdviseRequest {
  std::vector<std::string> traces;
  std::optional<std::string> target;  // name or path; unset: every database
  // An OPTIONS file of RocksDB, or the directory that has it, for what traces do not have; empty:
  // none. Only with traces of one database.
  std::string options;
};

struct AdvisedDatabase {
  std::string name, path, host;
  bool apart = false;  // another has this path; whether it is this database is not known
  std::vector<std::string> traces;  // by time
  std::string options_file;         // that was read; empty: none
  std::vector<OptionDifference> differences;
  advice::Evidence evidence;
  advice::Report report;
};

// Databases in the order of their first samples. Errors: what trace::Reader and read_options() say,
// a trace that is given twice, traces in which no database was read, and (kInvalidArgument) a
// target that none of them has, or options for several databases. `progress` comes before each run
// is read.
Result<std::vector<AdvisedDatabase>> advise_on(const AdviseRequest& request,
                                               const RunProgress& progress = {});

}  // namespace rocktune::tools
