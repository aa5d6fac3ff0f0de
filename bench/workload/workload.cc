#include "bench/workload/workload.h"

#include <cmath>

#include "bench/config/builtin.h"
#include "bench/config/located_yaml.h"

namespace rocktune::bench {
namespace {

void read_mix(MapReader& map, const YAML::Node& node, Problems& problems, Mix& mix) {
  MapReader shares(node, problems, "proportions.");
  const Range<double> share{0, 1};
  shares.number("read", mix.read, share);
  shares.number("update", mix.update, share);
  shares.number("read_modify_write", mix.read_modify_write, share);
  shares.finish();
  const double sum = mix.read + mix.update + mix.read_modify_write;
  if (shares.is_map() && std::abs(sum - 1) > 1e-6) {
    map.problem("proportions", "must add up to 1, not " + std::to_string(sum));
  }
}

Phase read_phase(const YAML::Node& node, std::size_t index, Problems& problems) {
  MapReader map(node, problems, "phases[" + std::to_string(index) + "].");
  Phase phase;
  if (!map.text("name", phase.name)) phase.name = "phase " + std::to_string(index + 1);
  if (map.is_map() && !map.node("seconds")) map.missing("seconds");
  map.number("seconds", phase.seconds, {0.1, 86400});
  map.number("ops_per_second", phase.ops_per_second, {0, 1e8});

  std::string letter;
  const bool has_letter = map.text("workload", letter);
  const auto proportions = map.node("proportions");
  if (has_letter && proportions) {
    map.problem("proportions", "give either workload or proportions, not both");
  } else if (has_letter) {
    if (auto mix = ycsb_mix(letter)) {
      phase.mix = *mix;
    } else {
      map.problem("workload", mix.error().message);
    }
  } else if (proportions) {
    read_mix(map, *proportions, problems, phase.mix);
  } else if (map.is_map()) {
    map.missing("workload");
  }

  std::string distribution = "zipfian";
  map.text("distribution", distribution);
  if (distribution == "uniform") {
    phase.distribution = Distribution::kUniform;
  } else if (distribution != "zipfian") {
    map.problem("distribution", "'" + distribution + "' is neither zipfian nor uniform");
  }
  map.finish();
  return phase;
}

void read_phases(MapReader& map, Problems& problems, Workload& workload) {
  const auto phases = map.node("phases");
  if (!phases) {
    if (map.is_map()) map.missing("phases");
    return;
  }
  if (!phases->IsSequence() || phases->size() == 0) {
    map.problem("phases", "must be a list of at least one phase");
    return;
  }
  for (std::size_t i = 0; i < phases->size(); ++i) {
    workload.phases.push_back(read_phase((*phases)[i], i, problems));
  }
}

}  // namespace

double Workload::seconds() const {
  double sum = 0;
  for (const Phase& phase : phases) sum += phase.seconds;
  return sum;
}

Result<Mix> ycsb_mix(const std::string& letter) {
  if (letter == "A" || letter == "a") return Mix{0.5, 0.5, 0};
  if (letter == "B" || letter == "b") return Mix{0.95, 0.05, 0};
  if (letter == "C" || letter == "c") return Mix{1, 0, 0};
  if (letter == "F" || letter == "f") return Mix{0.5, 0, 0.5};
  return fail(ErrorCode::kInvalidArgument,
              "'" + letter + "' is no YCSB workload that this knows: A, B, C or F");
}

Result<Workload> parse_workload(const std::string& text, const std::string& file) {
  Problems problems(file);
  Workload workload;
  if (const auto root = parse_yaml(text, problems)) {
    MapReader map(*root, problems);
    if (!map.text("name", workload.name)) workload.name = file;
    map.text("description", workload.description);
    map.integer("records", workload.records, {1, 10'000'000'000});
    map.bytes("value_size", workload.value_size, {1, 16 << 20});
    map.integer("threads", workload.threads, {1, 1024});
    map.integer("seed", workload.seed);
    read_phases(map, problems, workload);
    map.finish();
  }
  if (!problems.empty()) return tl::unexpected(problems.error());
  return workload;
}

Result<Workload> load_workload(const std::string& name_or_path) {
  auto text = builtin_or_file(BuiltinKind::kWorkload, name_or_path);
  if (!text) return tl::unexpected(text.error());
  return parse_workload(text->content, text->name);
}

}  // namespace rocktune::bench
