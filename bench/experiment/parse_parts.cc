#include "bench/experiment/parse_parts.h"

#include <algorithm>
#include <set>

#include "bench/experiment/metrics.h"
#include "bench/experiment/store.h"
#include "scenario/configuration.h"
#include "scenario/workload/workload.h"

namespace rocktune::bench::experiment {
namespace {

// What the cases of a part share unless they say otherwise.
struct Defaults {
  std::optional<YAML::Node> configuration;
  std::optional<YAML::Node> workload;
  std::string device = "none";
  OptionSet options;
};

// Whole values only: a nested map has no spelling as an option.
void read_options(scenario::MapReader& map, const std::string& key, OptionSet& out) {
  const auto node = map.node(key);
  if (!node) return;
  if (!node->IsMap()) {
    map.problem(key, "must be a map of option: value");
    return;
  }
  for (const auto& entry : *node) {
    if (!entry.first.IsScalar() || !entry.second.IsScalar()) {
      map.problem(key, "every option needs a single value");
      continue;
    }
    out[entry.first.Scalar()] = entry.second.Scalar();
  }
}

void read_size(scenario::MapReader& map, const std::string& key, const std::string& prefix,
               scenario::Problems& problems, Size& size) {
  const auto node = map.node(key);
  if (!node) {
    if (map.is_map()) map.missing(key);
    return;
  }
  scenario::MapReader sizes(*node, problems, prefix + key + ".");
  sizes.number("scale", size.scale, {0.001, 1e6});
  sizes.number("device_scale", size.device_scale, {0.001, 1e6});
  sizes.integer("records", size.records, {1, 10'000'000'000});
  if (!sizes.integer("threads", size.threads, {1, 1024}) && sizes.is_map() &&
      !sizes.node("threads")) {
    sizes.missing("threads");
  }
  if (!sizes.number("seconds", size.seconds, {0.5, 86400}) && sizes.is_map() &&
      !sizes.node("seconds")) {
    sizes.missing("seconds");
  }
  read_texts(sizes, "says", size.says);
  sizes.finish();
}

// An inline configuration is kept as text and goes through the configurations' own parser, so that
// its mistakes are found before anything is run.
void read_configuration(scenario::MapReader& map, const std::optional<YAML::Node>& node,
                        Case& one) {
  if (!node) {
    one.configuration_yaml = "{}";
  } else if (node->IsScalar()) {
    one.configuration = node->Scalar();
    if (auto found = scenario::load_configuration(one.configuration); !found) {
      map.problem("configuration", found.error().message);
    }
    return;
  } else {
    one.configuration_yaml = YAML::Dump(*node);
  }
  YAML::Node file;
  file[one.name] = YAML::Load(one.configuration_yaml);
  one.configuration_yaml = YAML::Dump(file);
  if (auto parsed = scenario::parse_configurations(one.configuration_yaml, "configuration");
      !parsed) {
    map.problem("configuration", parsed.error().message);
  }
}

// The part's workload with the case's keys in the place of its own.
void read_workload(scenario::MapReader& map, const std::optional<YAML::Node>& shared, Case& one) {
  const auto own = map.node("workload");
  YAML::Node merged(YAML::NodeType::Map);
  for (const auto& node : {shared, own}) {
    if (!node) continue;
    if (!node->IsMap()) {
      map.problem("workload", "must be a map, as in a workload's file");
      return;
    }
    for (const auto& entry : *node) merged[entry.first.Scalar()] = entry.second;
  }
  one.workload_yaml = YAML::Dump(merged);
  if (auto parsed = scenario::parse_workload(one.workload_yaml, "workload"); !parsed) {
    map.problem("workload", parsed.error().message);
  }
}

Case read_case(const YAML::Node& node, const std::string& prefix, const Defaults& defaults,
               PartKind kind, scenario::Problems& problems) {
  scenario::MapReader map(node, problems, prefix);
  Case one;
  if (!map.text("name", one.name) && map.is_map()) map.missing("name");
  one.device = defaults.device;
  map.text("device", one.device);
  if (kind == PartKind::kDevice) {
    if (!map.number("read_share", one.read_share, {0, 1}) && !map.node("read_share")) {
      map.missing("read_share");
    }
    if (one.device == "none") map.problem("device", "a device part needs an emulated device");
    map.finish();
    return one;
  }
  const auto own = map.node("configuration");
  read_configuration(map, own ? own : defaults.configuration, one);
  read_workload(map, defaults.workload, one);
  one.options = defaults.options;
  read_options(map, "set", one.options);
  read_options(map, "set_scaled", one.options_scaled);
  read_options(map, "set_full", one.options_full);
  map.finish();
  return one;
}

void read_cases(scenario::MapReader& map, const std::string& prefix, const Defaults& defaults,
                scenario::Problems& problems, Part& part) {
  const auto cases = map.node("cases");
  if (!cases || !cases->IsSequence() || cases->size() == 0) {
    if (map.is_map()) map.problem("cases", "a list of at least one case is required");
    return;
  }
  std::set<std::string> names;
  std::set<std::string> directories;
  for (std::size_t i = 0; i < cases->size(); ++i) {
    part.cases.push_back(read_case((*cases)[i], prefix + "cases[" + std::to_string(i) + "].",
                                   defaults, part.kind, problems));
    const std::string& name = part.cases.back().name;
    if (!name.empty() && !names.insert(name).second) {
      map.problem("cases", "'" + name + "' is the name of two cases");
    } else if (!name.empty() && !directories.insert(file_name(name)).second) {
      map.problem("cases", "'" + name + "' has the directory of another case, " + file_name(name));
    }
    if (name.find("..") != std::string::npos) {
      map.problem("cases", "'" + name + "' names a directory: it may not have '..' in it");
    }
  }
}

void read_metrics(scenario::MapReader& map, Part& part) {
  if (!read_texts(map, "metrics", part.metrics)) {
    if (map.is_map() && !map.node("metrics")) map.missing("metrics");
    return;
  }
  for (const std::string& name : part.metrics) {
    if (!find_metric(name)) {
      map.problem("metrics", "'" + name + "' is not known; known: " + known_metrics());
    }
  }
}

// metric -> case -> ratio over the reference.
void read_document(scenario::MapReader& map, const std::string& prefix,
                   scenario::Problems& problems, Part& part) {
  const auto node = map.node("document");
  if (!node) return;
  scenario::MapReader metrics(*node, problems, prefix + "document.");
  for (const std::string& metric : part.metrics) {
    const auto ratios = metrics.node(metric);
    if (!ratios) continue;
    std::string here = prefix;
    here.append("document.").append(metric).append(".");
    scenario::MapReader cases(*ratios, problems, here);
    for (const Case& one : part.cases) {
      double ratio = 0;
      if (cases.number(one.name, ratio, {0, 1e9})) part.document[metric][one.name] = ratio;
    }
    cases.finish();
  }
  metrics.finish();
}

void read_kind(scenario::MapReader& map, Part& part) {
  std::string kind = "rocksdb";
  map.text("kind", kind);
  if (kind == "device") {
    part.kind = PartKind::kDevice;
    map.bytes("request", part.request_bytes, {512, 16 << 20});
  } else if (kind != "rocksdb") {
    map.problem("kind", "'" + kind + "' is neither rocksdb nor device");
  }
}

}  // namespace

bool read_texts(scenario::MapReader& map, const std::string& key, std::vector<std::string>& out) {
  const auto node = map.node(key);
  if (!node) return false;
  const bool plain =
      node->IsSequence() && std::all_of(node->begin(), node->end(),
                                        [](const YAML::Node& entry) { return entry.IsScalar(); });
  if (!plain) {
    map.problem(key, "must be a list of texts");
    return false;
  }
  for (const auto& entry : *node) out.push_back(entry.Scalar());
  return true;
}

bool has_case(const Part& part, const std::string& name) {
  return std::any_of(part.cases.begin(), part.cases.end(),
                     [&name](const Case& one) { return one.name == name; });
}

std::string case_names(const Part& part) {
  std::string names;
  for (const Case& one : part.cases) names += (names.empty() ? "" : ", ") + one.name;
  return names;
}

Part read_part(const YAML::Node& node, const std::string& prefix, scenario::Problems& problems) {
  scenario::MapReader map(node, problems, prefix);
  Part part;
  if (!map.text("name", part.name) && map.is_map()) map.missing("name");
  map.text("question", part.question);
  read_kind(map, part);
  Defaults defaults;
  defaults.configuration = map.node("configuration");
  defaults.workload = map.node("workload");
  map.text("device", defaults.device);
  read_options(map, "set", defaults.options);
  read_size(map, "scaled", prefix, problems, part.scaled);
  read_size(map, "full", prefix, problems, part.full);
  read_cases(map, prefix, defaults, problems, part);
  read_metrics(map, part);
  if (!map.text("reference", part.reference)) {
    if (map.is_map()) map.missing("reference");
  } else if (!has_case(part, part.reference)) {
    map.problem("reference", "'" + part.reference + "' is no case; cases: " + case_names(part));
  }
  read_document(map, prefix, problems, part);
  read_rules(map, prefix, problems, part);
  read_texts(map, "differences", part.differences);
  map.finish();
  return part;
}

}  // namespace rocktune::bench::experiment
