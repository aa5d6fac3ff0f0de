#include <set>

#include "bench/experiment/experiment.h"
#include "bench/experiment/metrics.h"
#include "bench/experiment/parse_parts.h"
#include "bench/experiment/store.h"
#include "scenario/builtin.h"
#include "scenario/located_yaml.h"

namespace rocktune::bench::experiment {
namespace {

void read_parts(scenario::MapReader& map, scenario::Problems& problems, Experiment& experiment) {
  const auto parts = map.node("parts");
  if (!parts) {
    if (map.is_map()) map.missing("parts");
    return;
  }
  if (!parts->IsSequence() || parts->size() == 0) {
    map.problem("parts", "must be a list of at least one part");
    return;
  }
  std::set<std::string> directories;
  for (std::size_t i = 0; i < parts->size(); ++i) {
    experiment.parts.push_back(
        read_part((*parts)[i], "parts[" + std::to_string(i) + "].", problems));
    const std::string& name = experiment.parts.back().name;
    if (!name.empty() && !directories.insert(file_name(name)).second) {
      problems.add((*parts)[i].Mark(), "parts",
                   "'" + name + "' is the name of two parts, or of their directories");
    }
    if (name.find("..") != std::string::npos) {
      problems.add((*parts)[i].Mark(), "parts",
                   "'" + name + "' names a directory: it may not have '..' in it");
    }
  }
}

}  // namespace

Result<Experiment> parse_experiment(const std::string& text, const std::string& file) {
  scenario::Problems problems(file);
  Experiment experiment;
  if (const auto root = scenario::parse_yaml(text, problems)) {
    scenario::MapReader map(*root, problems);
    if (map.is_map()) {
      if (!map.text("name", experiment.name)) map.missing("name");
      if (!map.text("title", experiment.title)) map.missing("title");
      if (!map.text("source", experiment.source)) map.missing("source");
    }
    map.integer("repeat", experiment.repeat, {1, 1000});
    read_parts(map, problems, experiment);
    map.finish();
  }
  if (!problems.empty()) return tl::unexpected(problems.error());
  return experiment;
}

Result<Experiment> load_experiment(const std::string& name_or_path) {
  auto text = scenario::builtin_or_file(builtin_experiments(), name_or_path);
  if (!text) return tl::unexpected(text.error());
  return parse_experiment(text->content, text->name);
}

}  // namespace rocktune::bench::experiment
