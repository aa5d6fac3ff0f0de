#include "tools/sweep_grid.h"

#include <algorithm>
#include <set>

#include "files/tree_reader.h"
#include "policy/policy.h"

namespace rocktune::tools {
namespace {

constexpr const char* kGridRemedy = "; docs/sweep.md shows a whole grid";
// More are a slip of the pen: a result of so many policies is of no use to anybody.
constexpr std::size_t kMostSteps = 1000;
constexpr std::size_t kMostPolicies = 10'000;
constexpr std::size_t kMostSeeds = 1000;  // as of rocktune simulate

struct GridParam {
  std::string name;
  std::vector<double> values;
};

std::size_t count_in(TreeReader& reader, const RawNode& node, std::size_t least, std::size_t most) {
  const auto count = reader.number<std::size_t>(node, least);
  if (!reader.problem() && count > most) {
    reader.complain(node, "'" + node.text + "' is more than " + std::to_string(most));
  }
  return count;
}

// A value that the policy takes.
double param_value(TreeReader& reader, const RawNode& node, const std::string& policy,
                   const std::string& param) {
  const auto value = reader.number<double>(node);
  if (reader.problem()) return value;
  if (auto made = make_policy(policy, {{param, value}}); !made) {
    reader.complain(node, made.error().message);
  }
  return value;
}

std::vector<double> param_range(TreeReader& reader, const RawNode& node, const std::string& policy,
                                const std::string& param) {
  if (!reader.map(node, {"from", "to", "steps"})) return {};
  const double from = param_value(reader, TreeReader::at(node, "from"), policy, param);
  const double to = param_value(reader, TreeReader::at(node, "to"), policy, param);
  const std::size_t steps = count_in(reader, TreeReader::at(node, "steps"), 2, kMostSteps);
  if (reader.problem()) return {};
  if (from == to) reader.complain(node, "'from' and 'to' are the same");
  std::vector<double> values;
  const auto last = static_cast<double>(steps - 1);
  for (std::size_t i = 0; i < steps; ++i) {
    const auto step = static_cast<double>(i);
    values.push_back((from * (last - step) + to * step) / last);  // both ends exactly
  }
  return values;
}

std::vector<double> param_values(TreeReader& reader, const RawNode& node, const std::string& policy,
                                 const std::string& param) {
  if (node.kind == RawNode::Kind::kMap) return param_range(reader, node, policy, param);
  if (node.kind == RawNode::Kind::kScalar) return {param_value(reader, node, policy, param)};
  std::vector<double> values;
  for (const RawNode& item : reader.list(node)) {
    values.push_back(param_value(reader, item, policy, param));
  }
  if (values.empty()) {
    reader.complain(node, "'" + param + "' has no values: a number, [1, 2] or {from, to, steps}");
  }
  return values;
}

std::vector<GridParam> params_of(TreeReader& reader, const RawNode& node,
                                 const std::string& policy) {
  std::vector<GridParam> params;
  if (node.mark.line == 0) return params;  // there is no such key
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
  const bool is_map = node.kind == RawNode::Kind::kMap;
  if (is_map && !reader.map(node, {"name"}, {"params"})) return;
  const RawNode& name_node = is_map ? TreeReader::at(node, "name") : node;
  const std::string name = reader.text(name_node);
  if (reader.problem()) return;
  if (auto made = make_policy(name, {}); !made) reader.complain(name_node, made.error().message);
  const auto params =
      is_map ? params_of(reader, TreeReader::at(node, "params"), name) : std::vector<GridParam>();
  if (reader.problem()) return;
  for (const PolicyParams& one : combined(reader, node, params)) {
    PolicyChoice choice{choice_text(name, one), name, one};
    const bool twice =
        std::any_of(grid.policies.begin(), grid.policies.end(),
                    [&](const PolicyChoice& other) { return other.label == choice.label; });
    if (twice) reader.complain(node, choice.label + " is given twice");
    grid.policies.push_back(std::move(choice));
  }
  if (grid.policies.size() > kMostPolicies) {
    reader.complain(node, "these are more than " + std::to_string(kMostPolicies) + " policies");
  }
}

SweepRung rung_of(TreeReader& reader, const RawNode& node) {
  for (const SweepRung rung : {SweepRung::kOpenLoop, SweepRung::kClosedLoop}) {
    if (node.text == to_string(rung)) return rung;
  }
  reader.complain(node, "there is no rung '" + node.text.substr(0, 40) +
                            "' to sweep on; there are open_loop and closed_loop");
  return {};
}

void read_closed_loop(TreeReader& reader, const RawNode& root, SweepGrid& grid) {
  const RawNode& seeds = TreeReader::at(root, "seeds");
  if (seeds.mark.line > 0) grid.seeds = count_in(reader, seeds, 1, kMostSeeds);
  const RawNode& calibrate = TreeReader::at(root, "calibrate_until");
  if (calibrate.mark.line == 0) return;
  grid.calibrate_seconds = reader.number<double>(calibrate);
  if (grid.calibrate_seconds <= 0) reader.complain(calibrate, "it has to be above 0 seconds");
}

void read_open_loop(TreeReader& reader, const RawNode& root, SweepGrid& grid) {
  for (const char* key : {"seeds", "calibrate_until"}) {
    const RawNode& node = TreeReader::at(root, key);
    if (node.mark.line == 0) continue;
    reader.complain(node,
                    std::string("open_loop has no '") + key + "': nothing is simulated there");
  }
  grid.seeds = 1;
}

SweepGrid read_grid(TreeReader& reader, const RawNode& root) {
  SweepGrid grid;
  if (!reader.map(root, {"rung", "policies"}, {"seeds", "calibrate_until"})) return grid;
  grid.rung = rung_of(reader, TreeReader::at(root, "rung"));
  if (grid.rung == SweepRung::kClosedLoop) {
    read_closed_loop(reader, root, grid);
  } else {
    read_open_loop(reader, root, grid);
  }
  const RawNode& policies = TreeReader::at(root, "policies");
  for (const RawNode& one : reader.list(policies)) {
    add_policy(reader, one, grid);
    if (reader.problem()) return grid;
  }
  if (grid.policies.empty()) reader.complain(policies, "there is no policy in it");
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

Result<SweepGrid> parse_sweep_grid(std::string_view text, const std::string& file) {
  const auto root = parse_yaml_tree(text, file);
  if (!root) return tl::unexpected(root.error());
  TreeReader reader(file, kGridRemedy);
  SweepGrid grid = read_grid(reader, *root);
  if (reader.problem()) return tl::unexpected(*reader.problem());
  return grid;
}

}  // namespace rocktune::tools
