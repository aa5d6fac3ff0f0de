#include "scenario/scenario.h"

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "scenario/builtin.h"
#include "scenario/device/spec.h"
#include "scenario/overlay.h"

namespace rocktune::scenario {
namespace {

// Reads one scenario's map; the files that it names lie beside its own.
class ScenarioReader {
 public:
  ScenarioReader(const std::string& file, Problems& problems)
      : directory_(std::filesystem::path(file).parent_path()), problems_(problems) {}

  Scenario read(const YAML::Node& root) {
    MapReader map(root, problems_);
    Scenario scenario;
    map.text("name", scenario.name);
    map.text("description", scenario.description);
    if (const auto node = map.node("objective")) {
      scenario.objective = read_objective(*node, problems_);
    }
    map.number("scale", scenario.scale, {0.001, 1e6});
    read_device(map, scenario);
    read_databases(map, scenario);
    double seconds = 0;
    if (map.number("seconds", seconds, {0.5, 1e6}) && problems_.empty()) {
      scenario.stretch_to(seconds);
    }
    map.node("full");
    map.finish();
    scenario.files = std::move(files_);
    return scenario;
  }

 private:
  // A relative path of a file counts from where the scenario's own file lies.
  [[nodiscard]] std::string beside(const std::string& text) const {
    const bool path =
        text.find('/') != std::string::npos || text.find(".yaml") != std::string::npos;
    if (!path || directory_.empty() || text.front() == '/') return text;
    return (directory_ / text).string();
  }

  void note(const std::string& name_or_path) {
    if (is_file(name_or_path)) files_.push_back(name_or_path);
  }

  void read_device(MapReader& map, Scenario& scenario) {
    if (!map.text("device", scenario.device)) return;
    constexpr std::string_view kLoop = "loop:";
    const bool loop = scenario.device.starts_with(kLoop);
    const std::string profile =
        beside(loop ? scenario.device.substr(kLoop.size()) : scenario.device);
    scenario.device = (loop ? std::string(kLoop) : "") + profile;
    if (auto spec = parse_device_spec(scenario.device, scenario.scale); !spec) {
      map.problem("device", spec.error().message);
    }
  }

  void read_databases(MapReader& map, Scenario& scenario) {
    const auto list = map.node("databases");
    if (!list) {
      if (map.is_map()) map.missing("databases");
      return;
    }
    if (!list->IsSequence() || list->size() == 0) {
      map.problem("databases", "must be a list of at least one database");
      return;
    }
    std::set<std::string> names;
    for (std::size_t i = 0; i < list->size(); ++i) {
      const std::string prefix = "databases[" + std::to_string(i) + "].";
      MapReader entry((*list)[i], problems_, prefix);
      ScenarioDatabase database = read_database(entry, prefix, scenario.scale);
      if (!names.insert(database.name).second) entry.problem("name", "is given twice");
      scenario.databases.push_back(std::move(database));
    }
  }

  ScenarioDatabase read_database(MapReader& map, const std::string& prefix, double scale) {
    ScenarioDatabase database;
    if (!map.text("name", database.name) && map.is_map()) map.missing("name");
    const auto plain = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    };
    if (!std::all_of(database.name.begin(), database.name.end(), plain)) {
      map.problem("name",
                  "'" + database.name + "' names a directory: use small letters, digits, - and _");
    }
    read_workload_of(map, prefix, database.workload);
    read_configuration_of(map, prefix, scale, database);
    map.finish();
    return database;
  }

  void read_workload_of(MapReader& map, const std::string& prefix, Workload& workload) {
    const auto node = map.node("workload");
    if (!node) {
      if (map.is_map()) map.missing("workload");
    } else if (node->IsMap()) {
      workload = read_workload(*node, problems_, prefix + "workload.");
      if (workload.name.empty()) workload.name = "inline";
    } else {
      std::string name;
      map.text("workload", name);
      name = beside(name);
      note(name);
      if (auto loaded = load_workload(name)) {
        workload = std::move(*loaded);
      } else {
        map.problem("workload", loaded.error().message);
      }
    }
    map.integer("records", workload.records, {1, 10'000'000'000});
    map.integer("threads", workload.threads, {1, 1024});
    map.integer("seed", workload.seed);
    Sizes sizes = workload.value_size;
    read_sizes(map, "value_size", problems_, {1, 16 << 20}, sizes);
    workload.set_value_size(sizes);
  }

  void read_configuration_of(MapReader& map, const std::string& prefix, double scale,
                             ScenarioDatabase& database) {
    const auto node = map.node("configuration");
    if (!node) {
      if (map.is_map()) map.missing("configuration");
    } else if (node->IsMap()) {
      database.configuration = read_configuration(*node, problems_, prefix + "configuration.");
      database.configuration.name = database.name;
    } else {
      std::string name;
      map.text("configuration", name);
      name = beside(name);
      if (const auto end = name.rfind(".yaml:"); end != std::string::npos) {
        note(name.substr(0, end + 5));
      }
      if (auto loaded = load_configuration(name)) {
        database.configuration = std::move(*loaded);
      } else {
        map.problem("configuration", loaded.error().message);
      }
    }
    database.configuration = database.configuration.scaled(scale);
    read_options(map, prefix, database.configuration);
  }

  void read_options(MapReader& map, const std::string& prefix, HostConfiguration& configuration) {
    const auto options = map.node("options");
    if (!options) return;
    if (!options->IsMap()) {
      map.problem("options", "must be a map of option: value");
      return;
    }
    for (const auto& entry : *options) {
      const std::string key = entry.first.Scalar();
      std::string qualified = prefix;
      qualified.append("options.").append(key);
      if (!entry.second.IsScalar()) {
        problems_.add(entry.second.Mark(), qualified, "must be a single value");
      } else if (auto set = configuration.set(key + "=" + entry.second.Scalar()); !set) {
        problems_.add(entry.second.Mark(), qualified, set.error().message);
      }
    }
  }

  const std::filesystem::path directory_;
  Problems& problems_;
  std::vector<std::string> files_;
};

}  // namespace

double Scenario::seconds() const {
  double longest = 0;
  for (const ScenarioDatabase& database : databases) {
    longest = std::max(longest, database.workload.seconds());
  }
  return longest;
}

void Scenario::stretch_to(double wanted) {
  const double factor = wanted / seconds();
  for (ScenarioDatabase& database : databases) database.workload.stretch(factor);
}

Result<Scenario> parse_scenario(const std::string& text, const std::string& file, bool full) {
  Problems problems(file);
  Scenario scenario;
  // Both sizes are read whichever is asked for, so that no mistake waits for the long run.
  for (const bool life_size : {!full, full}) {
    const auto root = parse_yaml(text, problems);
    if (!root) break;
    if (life_size && root->IsMap()) {
      const YAML::Node over = YAML::Node(*root)["full"];
      if (over.IsDefined() && !over.IsMap()) {
        problems.add(over.Mark(), "full", "must be a map of what changes");
      } else if (over.IsDefined()) {
        overlay(*root, over, problems);
      }
    }
    scenario = ScenarioReader(file, problems).read(*root);
    scenario.full = life_size;
  }
  if (!problems.empty()) return tl::unexpected(problems.error());
  if (scenario.name.empty()) scenario.name = file;
  return scenario;
}

Result<Scenario> load_scenario(const std::string& name_or_path, bool full) {
  auto text = builtin_or_file(builtin_scenarios(), name_or_path);
  if (!text) return tl::unexpected(text.error());
  const bool built_in = text->name != name_or_path;
  auto scenario = parse_scenario(text->content, text->name, full);
  if (scenario && built_in && scenario->name == text->name) scenario->name = name_or_path;
  return scenario;
}

Result<Scenario> with_configuration(Scenario scenario, const std::string& configuration) {
  const auto loaded = load_configuration(configuration);
  if (!loaded) return tl::unexpected(loaded.error());
  for (ScenarioDatabase& database : scenario.databases) {
    database.configuration = loaded->scaled(scenario.scale);
  }
  return scenario;
}

Result<Scenario> scenario_of(const std::string& workload, const std::string& configuration,
                             double scale) {
  auto loaded = load_workload(workload);
  if (!loaded) return tl::unexpected(loaded.error());
  auto configured = load_configuration(configuration);
  if (!configured) return tl::unexpected(configured.error());
  Scenario scenario;
  scenario.name = loaded->name;
  scenario.description = loaded->description;
  scenario.scale = scale;
  scenario.databases.push_back({scenario.name, std::move(*loaded), configured->scaled(scale)});
  return scenario;
}

}  // namespace rocktune::scenario
