#include "tools/sweep_grid.h"

#include <algorithm>
#include <filesystem>
#include <initializer_list>
#include <optional>
#include <set>

#include "files/tree_reader.h"
#include "policy/policy.h"
#include "tools/claims.h"

namespace rocktune::tools {
namespace {

constexpr const char* kGridRemedy = "; docs/sweep.md shows a whole grid";
// More are a slip of the pen: a result of so many policies is of no use to anybody.
constexpr std::size_t kMostSteps = 1000;
constexpr std::size_t kMostPolicies = 10'000;
constexpr std::size_t kMostSeeds = 1000;  // as of rocktune simulate
const std::initializer_list<std::string_view> kClosedLoopKeys = {"seeds", "calibrate_until",
                                                                 "whole", "device"};

struct GridParam {
  std::string name;
  std::vector<double> values;
};

bool is_there(const RawNode& node) {
  return node.mark.line > 0;
}

// 0 where it is not from `least`, which is at least 1, to `most`.
std::size_t count_in(TreeReader& reader, const RawNode& node, std::size_t least, std::size_t most) {
  const auto count = reader.number<std::size_t>(node, least);
  if (count <= most) return count;
  reader.complain(node, "'" + node.text + "' is more than " + std::to_string(most));
  return 0;
}

// A value that the policy takes.
std::optional<double> param_value(TreeReader& reader, const RawNode& node,
                                  const std::string& policy, const std::string& param) {
  const std::size_t before = reader.mistakes();
  const auto value = reader.number<double>(node);
  if (reader.mistakes() > before) return std::nullopt;
  const auto made = make_policy(policy, {{param, value}});
  if (made) return value;
  reader.complain(node, made.error().message);
  return std::nullopt;
}

std::vector<double> param_range(TreeReader& reader, const RawNode& node, const std::string& policy,
                                const std::string& param) {
  if (!reader.map(node, {"from", "to", "steps"})) return {};
  const auto from = param_value(reader, TreeReader::at(node, "from"), policy, param);
  const auto to = param_value(reader, TreeReader::at(node, "to"), policy, param);
  const std::size_t steps = count_in(reader, TreeReader::at(node, "steps"), 2, kMostSteps);
  if (!from || !to || steps == 0) return {};
  if (*from == *to) reader.complain(node, "'from' and 'to' are the same");
  std::vector<double> values;
  const auto last = static_cast<double>(steps - 1);
  for (std::size_t i = 0; i < steps; ++i) {
    const auto step = static_cast<double>(i);
    values.push_back((*from * (last - step) + *to * step) / last);  // both ends exactly
  }
  return values;
}

std::vector<double> param_values(TreeReader& reader, const RawNode& node, const std::string& policy,
                                 const std::string& param) {
  if (node.kind == RawNode::Kind::kMap) return param_range(reader, node, policy, param);
  std::vector<double> values;
  const auto add = [&](const RawNode& one) {
    if (const auto value = param_value(reader, one, policy, param)) values.push_back(*value);
  };
  if (node.kind == RawNode::Kind::kScalar) {
    add(node);
  } else if (node.kind == RawNode::Kind::kList && !node.items.empty()) {
    std::for_each(node.items.begin(), node.items.end(), add);
  } else {
    reader.complain(node, "'" + param + "' has no values: a number, [1, 2] or {from, to, steps}");
  }
  return values;
}

std::vector<GridParam> params_of(TreeReader& reader, const RawNode& node,
                                 const std::string& policy) {
  std::vector<GridParam> params;
  if (!is_there(node)) return params;
  if (node.kind != RawNode::Kind::kMap) {
    reader.complain(node, "a map of parameter: values was expected");
    return params;
  }
  for (const RawEntry& entry : node.entries) {
    const bool twice = std::any_of(params.begin(), params.end(),
                                   [&](const GridParam& one) { return one.name == entry.key; });
    if (twice) reader.complain(entry.mark, "'" + entry.key + "' is given twice");
    params.push_back({entry.key, param_values(reader, entry.value, policy, entry.key)});
  }
  return params;
}

// Every combination of the values.
std::vector<PolicyParams> combined(TreeReader& reader, const RawNode& node,
                                   const std::vector<GridParam>& params) {
  std::vector<PolicyParams> all(1);
  for (const GridParam& param : params) {
    if (all.size() * param.values.size() > kMostPolicies) {
      reader.complain(node, "these are more than " + std::to_string(kMostPolicies) +
                                " combinations of parameters");
      return {};
    }
    std::vector<PolicyParams> more;
    for (const PolicyParams& one : all) {
      for (const double value : param.values) {
        more.push_back(one);
        more.back()[param.name] = value;
      }
    }
    all = std::move(more);
  }
  return all;
}

void add_policy(TreeReader& reader, const RawNode& node, SweepGrid& grid) {
  const std::size_t before = reader.mistakes();
  const bool is_map = node.kind == RawNode::Kind::kMap;
  if (is_map) reader.map(node, {"name"}, {"params"});
  const RawNode& name_node = is_map ? TreeReader::at(node, "name") : node;
  if (!is_there(name_node)) return;
  const std::string name = reader.text(name_node);
  if (name_node.kind != RawNode::Kind::kScalar) return;
  if (auto made = make_policy(name, {}); !made) {
    return reader.complain(name_node, made.error().message);
  }
  const auto params =
      is_map ? params_of(reader, TreeReader::at(node, "params"), name) : std::vector<GridParam>();
  if (reader.mistakes() > before) return;
  for (const PolicyParams& one : combined(reader, node, params)) {
    PolicyChoice choice{choice_text(name, one), name, one};
    const bool twice =
        std::any_of(grid.policies.begin(), grid.policies.end(),
                    [&](const PolicyChoice& other) { return other.label == choice.label; });
    if (twice) reader.complain(node, choice.label + " is given twice");
    grid.policies.push_back(std::move(choice));
  }
}

void read_policies(TreeReader& reader, const RawNode& node, SweepGrid& grid) {
  if (!is_there(node)) return;
  const std::size_t before = reader.mistakes();
  for (const RawNode& one : reader.list(node)) {
    add_policy(reader, one, grid);
    if (grid.policies.size() <= kMostPolicies) continue;
    return reader.complain(one,
                           "these are more than " + std::to_string(kMostPolicies) + " policies");
  }
  if (grid.policies.empty() && reader.mistakes() == before) {
    reader.complain(node, "there is no policy in it");
  }
}

// Nothing where it is none; that is told.
std::optional<SweepRung> rung_of(TreeReader& reader, const RawNode& node) {
  if (!is_there(node)) return std::nullopt;
  for (const SweepRung rung : {SweepRung::kOpenLoop, SweepRung::kClosedLoop}) {
    if (node.text == to_string(rung)) return rung;
  }
  reader.complain(node, "there is no rung '" + node.text.substr(0, 40) +
                            "' to sweep on; there are open_loop and closed_loop");
  return std::nullopt;
}

bool flag_in(TreeReader& reader, const RawNode& node) {
  if (node.text == "true" || node.text == "false") return node.text == "true";
  reader.complain(node, "'" + node.text.substr(0, 40) + "' is neither true nor false");
  return false;
}

void read_calibration(TreeReader& reader, const RawNode& root, SimulationSource& source) {
  const RawNode& whole = TreeReader::at(root, "whole");
  if (is_there(whole)) source.whole = flag_in(reader, whole);
  const RawNode& calibrate = TreeReader::at(root, "calibrate_until");
  if (!is_there(calibrate)) return;
  const std::size_t before = reader.mistakes();
  source.calibrate_seconds = reader.number<double>(calibrate);
  if (reader.mistakes() > before) return;
  if (!(source.calibrate_seconds >= 1 && source.calibrate_seconds <= 1e9)) {
    reader.complain(calibrate, "it has to be 1 to 1e9 seconds");
  }
  if (source.whole) {
    reader.complain(calibrate, "with 'whole' all of the run calibrates: leave one of them out");
  }
}

void read_closed_loop(TreeReader& reader, const RawNode& root, SweepGrid& grid) {
  const RawNode& seeds = TreeReader::at(root, "seeds");
  if (is_there(seeds)) grid.seeds = count_in(reader, seeds, 1, kMostSeeds);
  read_calibration(reader, root, grid.source);
  const RawNode& device = TreeReader::at(root, "device");
  if (!is_there(device)) return;
  grid.device_file = reader.text(device);
  if (device.kind == RawNode::Kind::kScalar && grid.device_file.empty()) {
    reader.complain(device, "it has to be a file that rocktune probe-device wrote");
  }
}

void read_open_loop(TreeReader& reader, const RawNode& root, SweepGrid& grid) {
  for (const std::string_view key : kClosedLoopKeys) {
    const RawNode& node = TreeReader::at(root, key);
    if (!is_there(node)) continue;
    reader.complain(node,
                    "open_loop has no '" + std::string(key) + "': nothing is simulated there");
  }
  grid.seeds = 1;
}

SweepGrid read_grid(TreeReader& reader, const RawNode& root) {
  SweepGrid grid;
  reader.map(root, {"rung", "policies"}, kClosedLoopKeys);
  const auto rung = rung_of(reader, TreeReader::at(root, "rung"));
  grid.rung = rung.value_or(SweepRung::kClosedLoop);
  if (grid.rung == SweepRung::kClosedLoop) {
    read_closed_loop(reader, root, grid);
  } else {
    read_open_loop(reader, root, grid);
  }
  read_policies(reader, TreeReader::at(root, "policies"), grid);
  std::set<std::string> names;
  for (const PolicyChoice& policy : grid.policies) {
    for (const auto& [name, value] : policy.params) names.insert(name);
  }
  grid.params.assign(names.begin(), names.end());
  return grid;
}

}  // namespace

std::string_view to_string(SweepRung rung) {
  return rung == SweepRung::kOpenLoop ? "open_loop" : "closed_loop";
}

const char* claims_of(SweepRung rung) {
  return rung == SweepRung::kOpenLoop ? kReplayClaims : kSimulationClaims;
}

Result<SweepGrid> parse_sweep_grid(std::string_view text, const std::string& file) {
  const auto root = parse_yaml_tree(text, file);
  if (!root) return tl::unexpected(root.error());
  TreeReader reader(file, kGridRemedy);
  SweepGrid grid = read_grid(reader, *root);
  if (reader.mistakes() > 0) return tl::unexpected(reader.problems());
  if (!grid.device_file.empty()) {
    grid.device_file = (std::filesystem::path(file).parent_path() / grid.device_file).string();
  }
  return grid;
}

}  // namespace rocktune::tools
