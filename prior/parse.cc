// A prior from text.
#include <algorithm>

#include "files/tree_reader.h"
#include "prior/format.h"
#include "prior/prior.h"

namespace rocktune {
namespace {

using prior_format::kBias;
using prior_format::kKinds;

// A text whose %XX are decoded.
std::string any_text(TreeReader& reader, const RawNode& node) {
  const auto bytes = prior_format::unquoted(reader.text(node));
  if (bytes) return *bytes;
  reader.complain(node, "a text was expected, with %XX for what is not plain ASCII");
  return {};
}

// Calls use(place, value) for each input of a map by input; use(kHeadInputs, value) for the bias.
template <class Use>
void by_input(TreeReader& reader, const RawNode& node, bool with_bias, Use use) {
  if (node.kind != RawNode::Kind::kMap) {
    reader.complain(node, "a map by the names of inputs was expected");
    return;
  }
  std::array<bool, kHeadInputs + 1> seen{};
  seen.at(kHeadInputs) = !with_bias;
  const auto& specs = head_input_specs();
  for (const RawEntry& entry : node.entries) {
    const auto spec = std::find_if(specs.begin(), specs.end(),
                                   [&](const auto& one) { return one.name == entry.key; });
    const auto place = static_cast<std::size_t>(spec - specs.begin());
    if (spec == specs.end() && (!with_bias || entry.key != kBias)) {
      reader.complain(entry.mark, "there is no input '" + entry.key.substr(0, 40) + "'");
    } else if (std::exchange(seen.at(place), true)) {
      reader.complain(entry.mark, "'" + entry.key + "' is given twice");
    } else {
      use(place, entry.value);
    }
  }
  const auto missing =
      static_cast<std::size_t>(std::find(seen.begin(), seen.end(), false) - seen.begin());
  if (missing < kHeadInputs) {
    reader.complain(node, "input '" + std::string(specs.at(missing).name) + "' is missing");
  } else if (missing == kHeadInputs) {
    reader.complain(node, "'bias' is missing");
  }
}

void read_moments(TreeReader& reader, const RawNode& node, LearntIndicator& out) {
  by_input(reader, node, false, [&](std::size_t place, const RawNode& value) {
    const auto& numbers = reader.list(value, 3);
    if (numbers.empty()) return;
    out.moments.at(place) = {reader.number<double>(numbers[0], 0),
                             reader.number<double>(numbers[1]),
                             reader.number<double>(numbers[2], 0)};
  });
}

void read_heads(TreeReader& reader, const RawNode& node, const std::vector<HeadWeights*>& heads) {
  if (!reader.map(node, {"weights", "squares"})) return;
  const auto read = [&](const char* part, float least, auto place_in) {
    by_input(reader, TreeReader::at(node, part), true,
             [&](std::size_t place, const RawNode& value) {
               const auto& numbers = reader.list(value, heads.size());
               for (std::size_t i = 0; i < numbers.size(); ++i) {
                 place_in(*heads[i], place) = reader.number<float>(numbers[i], least);
               }
             });
  };
  read("weights", std::numeric_limits<float>::lowest(),
       [](HeadWeights& head, std::size_t place) -> float& {
         return place == kHeadInputs ? head.bias : head.weights.at(place);
       });
  read("squares", 0, [](HeadWeights& head, std::size_t place) -> float& {
    return place == kHeadInputs ? head.bias_squares : head.squares.at(place);
  });
}

void read_indicator(TreeReader& reader, const RawNode& node, LearntIndicator& out) {
  if (!reader.map(node, {"seconds", "onsets", "threshold_log_odds", "moments", "event", "values"}))
    return;
  out.seconds = reader.number<std::uint64_t>(TreeReader::at(node, "seconds"));
  out.onsets = reader.number<std::uint64_t>(TreeReader::at(node, "onsets"));
  out.threshold_log_odds = reader.number<double>(TreeReader::at(node, "threshold_log_odds"));
  read_moments(reader, TreeReader::at(node, "moments"), out);
  std::vector<HeadWeights*> heads;
  heads.reserve(out.events.size());
  for (HeadWeights& head : out.events) heads.push_back(&head);
  read_heads(reader, TreeReader::at(node, "event"), heads);
  const auto& values = reader.list(TreeReader::at(node, "values"), out.values.size());
  for (std::size_t i = 0; i < values.size(); ++i) {
    heads.clear();
    for (auto& of_horizon : out.values.at(i)) {
      for (HeadWeights& head : of_horizon) heads.push_back(&head);
    }
    read_heads(reader, values[i], heads);
  }
}

TrainedOn read_trained_on(TreeReader& reader, const RawNode& node) {
  TrainedOn out;
  if (!reader.map(node, {"trace", "seconds", "onsets"})) return out;
  out.trace = any_text(reader, TreeReader::at(node, "trace"));
  out.seconds = reader.number<std::uint64_t>(TreeReader::at(node, "seconds"));
  const RawNode& onsets = TreeReader::at(node, "onsets");
  if (!reader.map(onsets, {to_string(kKinds[0]), to_string(kKinds[1]), to_string(kKinds[2])})) {
    return out;
  }
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    out.onsets.at(i) =
        reader.number<std::uint64_t>(TreeReader::at(onsets, to_string(kKinds.at(i))));
  }
  return out;
}

PriorScore read_scored(TreeReader& reader, const RawNode& node) {
  PriorScore out;
  if (!reader.map(node, {"indicator", "horizon_seconds", "detector", "events",
                         "false_alarms_per_hour", "recall_10", "recall_20", "brier_skill"})) {
    return out;
  }
  const RawNode& indicator = TreeReader::at(node, "indicator");
  const auto kind = std::find_if(kKinds.begin(), kKinds.end(), [&](IndicatorKind one) {
    return to_string(one) == indicator.text;
  });
  if (kind == kKinds.end()) {
    reader.complain(indicator, "there is no such indicator");
    return out;
  }
  out.kind = *kind;
  out.horizon_seconds = reader.number<std::uint64_t>(TreeReader::at(node, "horizon_seconds"));
  out.detector = any_text(reader, TreeReader::at(node, "detector"));
  out.events = reader.number<std::uint64_t>(TreeReader::at(node, "events"));
  out.false_alarms_per_hour = reader.number_or_null(TreeReader::at(node, "false_alarms_per_hour"));
  out.recall_10 = reader.number_or_null(TreeReader::at(node, "recall_10"));
  out.recall_20 = reader.number_or_null(TreeReader::at(node, "recall_20"));
  out.brier_skill = reader.number_or_null(TreeReader::at(node, "brier_skill"));
  return out;
}

// Before everything else: another version's inputs would only read as mistakes.
bool has_our_version(TreeReader& reader, const RawNode& root) {
  if (root.kind != RawNode::Kind::kMap || TreeReader::at(root, "version").text.empty()) {
    reader.complain(root, "this is no model file of rocktune: it has no version");
    return false;
  }
  const RawNode& version = TreeReader::at(root, "version");
  if (version.text == std::to_string(Learnt::kVersion)) return true;
  reader.complain(version, "version '" + version.text.substr(0, 20) +
                               "' is of other inputs than this rocktune has (version " +
                               std::to_string(Learnt::kVersion) + ")");
  return false;
}

Prior read_root(TreeReader& reader, const RawNode& root) {
  Prior prior;
  if (!has_our_version(reader, root)) return prior;
  if (!reader.map(root, {"version", "made_by", "trained_on", "scored", "indicators"},
                  {"database"})) {
    return prior;
  }
  prior.notes.made_by = any_text(reader, TreeReader::at(root, "made_by"));
  const RawNode& database = TreeReader::at(root, "database");
  if (database.mark.line > 0) prior.notes.database = any_text(reader, database);
  for (const RawNode& one : reader.list(TreeReader::at(root, "trained_on"))) {
    prior.notes.trained_on.push_back(read_trained_on(reader, one));
  }
  for (const RawNode& one : reader.list(TreeReader::at(root, "scored"))) {
    prior.notes.scored.push_back(read_scored(reader, one));
  }
  const RawNode& indicators = TreeReader::at(root, "indicators");
  if (!reader.map(indicators, {to_string(kKinds[0]), to_string(kKinds[1]), to_string(kKinds[2])})) {
    return prior;
  }
  for (std::size_t i = 0; i < kKinds.size(); ++i) {
    read_indicator(reader, TreeReader::at(indicators, to_string(kKinds.at(i))),
                   prior.learnt.indicators.at(i));
  }
  return prior;
}

}  // namespace

Result<Prior> parse_prior(std::string_view text, const std::string& name,
                          const std::string& remedy) {
  const auto root = parse_yaml_tree(text, name);
  if (!root) return tl::unexpected(root.error());
  TreeReader reader(name, remedy);
  Prior prior = read_root(reader, *root);
  if (reader.problem()) return tl::unexpected(*reader.problem());
  if (!is_sound(prior.learnt)) {
    reader.complain(root->mark, "what was learnt is not sound");
    return tl::unexpected(*reader.problem());
  }
  return prior;
}

}  // namespace rocktune
