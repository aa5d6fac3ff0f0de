#include <set>

#include "bench/experiment/metrics.h"
#include "bench/experiment/parse_parts.h"

namespace rocktune::bench::experiment {
namespace {

void check_case(scenario::MapReader& map, const std::string& key, const std::string& name,
                const Part& part) {
  if (!has_case(part, name)) {
    map.problem(key, "'" + name + "' is no case; cases: " + case_names(part));
  }
}

void read_order(scenario::MapReader& map, const Part& part, Rule& rule) {
  rule.kind = Rule::Kind::kOrder;
  read_texts(map, "order", rule.order);
  if (rule.order.size() < 2) map.problem("order", "needs at least two cases, the largest first");
  std::set<std::string> seen;
  for (const std::string& name : rule.order) {
    check_case(map, "order", name, part);
    if (!seen.insert(name).second) map.problem("order", "'" + name + "' is given twice");
  }
}

// `at_least: 1.8` with `times: Baseline`; `at_most` likewise; `within: 0.05` with `of: CASE`.
void read_limit(scenario::MapReader& map, const Part& part, Rule& rule) {
  const scenario::Range<double> any{-1e12, 1e12};
  int limits = 0;
  if (map.number("at_least", rule.limit, any)) {
    rule.kind = Rule::Kind::kAtLeast;
    ++limits;
  }
  if (map.number("at_most", rule.limit, any)) {
    rule.kind = Rule::Kind::kAtMost;
    ++limits;
  }
  const bool within = map.number("within", rule.limit, {0, 1});
  if (within) {
    rule.kind = Rule::Kind::kWithin;
    ++limits;
  }
  if (limits != 1) map.problem("says", "give one of at_least, at_most, within or order");
  if (!map.text("case", rule.subject)) {
    map.missing("case");
  } else {
    check_case(map, "case", rule.subject, part);
  }
  const std::string key = within ? "of" : "times";
  if (map.text(key, rule.other)) {
    check_case(map, key, rule.other, part);
  } else if (within) {
    map.missing("of");
  }
}

Rule read_rule(const YAML::Node& node, const std::string& prefix, scenario::Problems& problems,
               const Part& part) {
  scenario::MapReader map(node, problems, prefix);
  Rule rule;
  if (!map.is_map()) return rule;
  if (!map.text("says", rule.says)) map.missing("says");
  if (!map.text("metric", rule.metric)) {
    map.missing("metric");
  } else if (!find_metric(rule.metric)) {
    map.problem("metric", "'" + rule.metric + "' is not known; known: " + known_metrics());
  }
  if (map.node("order")) {
    read_order(map, part, rule);
  } else {
    read_limit(map, part, rule);
  }
  map.finish();
  return rule;
}

}  // namespace

void read_rules(scenario::MapReader& map, const std::string& prefix, scenario::Problems& problems,
                Part& part) {
  const auto rules = map.node("rules");
  if (!rules) return;
  if (!rules->IsSequence()) {
    map.problem("rules", "must be a list of rules");
    return;
  }
  for (std::size_t i = 0; i < rules->size(); ++i) {
    part.rules.push_back(
        read_rule((*rules)[i], prefix + "rules[" + std::to_string(i) + "].", problems, part));
  }
}

}  // namespace rocktune::bench::experiment
