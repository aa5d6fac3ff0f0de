// An experiment of a source document, as its YAML file in bench/experiments/ describes it: parts
// (what one table shows), their cases, how each size is scaled, the document's own figures as
// ratios, and the rules that say whether its order was reproduced. docs/experiments.md has the
// format.
//
// Plain data; parse_experiment() is the only way to one and refuses what could not be run.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "model/result.h"
#include "scenario/builtin.h"

namespace rocktune::bench::experiment {

// RocksDB options by name, in the spelling of `rocktune-bench run --config`; never scaled.
using OptionSet = std::map<std::string, std::string>;

// One of the two sizes at which a part can be run.
struct Size {
  double scale = 1;         // divides every size and rate of configuration and device
  double device_scale = 0;  // above 0: divides the device's instead
  std::int64_t records = 0;
  std::int64_t threads = 0;       // PartKind::kDevice: requests in flight
  double seconds = 0;             // of one run, all phases together
  std::vector<std::string> says;  // what is scaled and how, a sentence each
};

enum class SizeName { kScaled, kFull };

// What a run does: operations on a RocksDB, or plain reads and writes on the emulated device.
enum class PartKind { kRocksdb, kDevice };

struct Case {
  std::string name;
  std::string configuration;  // a name as `run --configuration` takes it; empty: defined inline
  std::string configuration_yaml;  // the inline one, as text
  std::string workload_yaml;       // a whole workload file
  std::string device;              // "none" or a profile
  double read_share = 1;           // PartKind::kDevice: reads among the requests
  OptionSet options;               // both sizes
  OptionSet options_scaled;
  OptionSet options_full;
};

// One rule about one metric, judged on the medians and counted over the rounds.
struct Rule {
  enum class Kind {
    kAtLeast,  // subject >= limit (times the other case's value)
    kAtMost,   // subject <= limit (times the other)
    kWithin,   // |subject/other - 1| <= limit
    kOrder,    // the named cases from the largest value to the least
  };
  Kind kind = Kind::kAtLeast;
  std::string says;  // the document's finding, one sentence
  std::string metric;
  std::string subject;  // a case's name
  std::string other;    // a case's name; empty: the limit is the value itself
  double limit = 0;
  std::vector<std::string> order;
};

struct Part {
  std::string name;
  std::string question;
  PartKind kind = PartKind::kRocksdb;
  std::int64_t request_bytes = 4096;  // PartKind::kDevice
  Size scaled;
  Size full;
  std::vector<Case> cases;
  std::string reference;                                          // the case that ratios are over
  std::vector<std::string> metrics;                               // the table's columns
  std::map<std::string, std::map<std::string, double>> document;  // metric -> case -> ratio
  std::vector<Rule> rules;
  std::vector<std::string> differences;  // where and why it may differ from the document

  [[nodiscard]] const Size& size(SizeName which) const {
    return which == SizeName::kScaled ? scaled : full;
  }
};

struct Experiment {
  std::string name;
  std::string title;
  std::string source;  // "source 000 (Park, Kim): ..."
  std::int64_t repeat = 5;
  std::vector<Part> parts;
};

// All mistakes at once, as `file:line:col: key: message`. `file` only names the text.
Result<Experiment> parse_experiment(const std::string& text, const std::string& file);

// Those of bench/experiments/.
const scenario::Builtins& builtin_experiments();

// A built-in experiment's name or the path of a YAML file.
Result<Experiment> load_experiment(const std::string& name_or_path);

}  // namespace rocktune::bench::experiment
