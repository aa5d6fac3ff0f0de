#include "scenario/workload/workload.h"

#include <algorithm>
#include <set>

#include "scenario/builtin.h"
#include "scenario/located_yaml.h"

namespace rocktune::scenario {
namespace {

constexpr Range<std::int64_t> kValueSizes{1, 16 << 20};
constexpr Range<std::int64_t> kScanLengths{1, 1'000'000};

// The mix, from `workload` or `proportions`; says whether it is YCSB's D.
bool read_mix(MapReader& map, Problems& problems, Mix& mix) {
  std::string letter;
  const bool has_letter = map.text("workload", letter);
  const bool has_proportions = map.node("proportions").has_value();
  if (has_letter && has_proportions) {
    map.problem("proportions", "give either workload or proportions, not both");
  } else if (has_letter) {
    if (auto known = ycsb_mix(letter)) {
      mix = *known;
    } else {
      map.problem("workload", known.error().message);
    }
  } else if (has_proportions) {
    read_proportions(map, "proportions", problems, mix);
  } else if (map.is_map()) {
    map.missing("workload");
  }
  return letter == "D" || letter == "d";
}

Phase read_phase(const YAML::Node& node, const std::string& prefix, std::size_t index,
                 const Workload& workload, Problems& problems) {
  MapReader map(node, problems, prefix + "phases[" + std::to_string(index) + "].");
  Phase phase;
  if (!map.text("name", phase.name)) phase.name = "phase " + std::to_string(index + 1);
  if (map.is_map() && !map.node("seconds")) map.missing("seconds");
  map.number("seconds", phase.seconds, {0.1, 86400});
  read_rate(map, "ops_per_second", problems, phase.rate);
  KeyPlan keys;
  if (read_mix(map, problems, phase.mix)) keys.kind = KeyKind::kLatest;
  phase.keys = read_keys(map, "distribution", problems, keys);
  phase.value_size = workload.value_size;
  read_sizes(map, "value_size", problems, kValueSizes, phase.value_size);
  read_sizes(map, "scan_length", problems, kScanLengths, phase.scan_length);
  map.finish();
  return phase;
}

void read_phases(MapReader& map, const std::string& prefix, Problems& problems,
                 Workload& workload) {
  const auto phases = map.node("phases");
  if (!phases) {
    if (map.is_map()) map.missing("phases");
    return;
  }
  if (!phases->IsSequence() || phases->size() == 0) {
    map.problem("phases", "must be a list of at least one phase");
    return;
  }
  std::set<std::string> names;
  for (std::size_t i = 0; i < phases->size(); ++i) {
    workload.phases.push_back(read_phase((*phases)[i], prefix, i, workload, problems));
    const std::string& name = workload.phases.back().name;
    if (!names.insert(name).second) map.problem("phases", "'" + name + "' is given twice");
  }
}

void read_wal(MapReader& map, Wal& out) {
  std::string name;
  if (!map.text("wal", name)) return;
  for (const Wal wal : {Wal::kOn, Wal::kOff, Wal::kSync}) {
    if (name != wal_name(wal)) continue;
    out = wal;
    return;
  }
  map.problem("wal", "'" + name + "' is none of on, off and sync");
}

void read_load_order(MapReader& map, LoadOrder& out) {
  std::string name;
  if (!map.text("load_order", name)) return;
  for (const LoadOrder order : {LoadOrder::kKey, LoadOrder::kSpread}) {
    if (name != load_order_name(order)) continue;
    out = order;
    return;
  }
  map.problem("load_order", "'" + name + "' is neither key nor spread");
}

}  // namespace

std::string load_order_name(LoadOrder order) {
  return order == LoadOrder::kKey ? "key" : "spread";
}

std::string wal_name(Wal wal) {
  return wal == Wal::kOn ? "on" : wal == Wal::kOff ? "off" : "sync";
}

double Workload::seconds() const {
  double sum = 0;
  for (const Phase& phase : phases) sum += phase.seconds;
  return sum;
}

void Workload::stretch(double factor) {
  for (Phase& phase : phases) {
    phase.seconds *= factor;
    phase.keys.shift_at_seconds *= factor;
    phase.keys.shift_every_seconds *= factor;
    if (phase.rate.sine) phase.rate.sine->b /= factor;  // as many periods as before
  }
}

void Workload::set_value_size(const Sizes& sizes) {
  for (Phase& phase : phases) {
    if (phase.value_size == value_size) phase.value_size = sizes;
  }
  value_size = sizes;
}

bool Workload::may_miss() const {
  return std::any_of(phases.begin(), phases.end(), [](const Phase& phase) {
    return phase.mix[Operation::kInsert] > 0 || phase.mix[Operation::kDelete] > 0;
  });
}

Workload read_workload(const YAML::Node& node, Problems& problems, const std::string& prefix) {
  Workload workload;
  MapReader map(node, problems, prefix);
  map.text("name", workload.name);
  map.text("description", workload.description);
  map.integer("records", workload.records, {1, 10'000'000'000});
  read_sizes(map, "value_size", problems, kValueSizes, workload.value_size);
  map.integer("threads", workload.threads, {1, 1024});
  map.integer("seed", workload.seed);
  read_wal(map, workload.wal);
  read_load_order(map, workload.load_order);
  read_families(map, "families", problems, workload.families);
  read_backlog(map, "backlog", problems, workload.backlog);
  if (workload.backlog.level0_files > 0 && workload.families.size() > 1) {
    map.problem("backlog", "level0_files needs a workload of one column family");
  }
  read_phases(map, prefix, problems, workload);
  map.finish();
  return workload;
}

Result<Workload> parse_workload(const std::string& text, const std::string& file) {
  Problems problems(file);
  Workload workload;
  if (const auto root = parse_yaml(text, problems)) workload = read_workload(*root, problems, "");
  if (!problems.empty()) return tl::unexpected(problems.error());
  if (workload.name.empty()) workload.name = file;
  return workload;
}

Result<Workload> load_workload(const std::string& name_or_path) {
  auto text = builtin_or_file(builtin_workloads(), name_or_path);
  if (!text) return tl::unexpected(text.error());
  return parse_workload(text->content, text->name);
}

}  // namespace rocktune::scenario
