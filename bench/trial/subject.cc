#include "bench/trial/subject.h"

#include <cstdio>
#include <filesystem>

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;

// Shortest text that reads back as the same number.
std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.17g", value);
  return text;
}

void add_options(const std::vector<std::string>& options, std::vector<std::string>& arguments) {
  for (const std::string& option : options) {
    arguments.emplace_back("--config");
    arguments.push_back(option);
  }
}

std::vector<std::string> common_arguments(const TrialSubject& subject, const std::string& command,
                                          const std::string& database) {
  std::vector<std::string> arguments = {
      program_path("rocktune-bench"), command, "--db", database, "--progress", "json"};
  const auto add = [&arguments](const char* option, const std::string& value) {
    arguments.insert(arguments.end(), {option, value});
  };
  if (!subject.scenario.empty()) {
    add("--scenario", subject.scenario);
    if (subject.full) arguments.emplace_back("--full");
    if (!subject.configuration.empty()) add("--configuration", subject.configuration);
  } else {
    add("--workload", subject.workload);
    add("--configuration", subject.configuration);
    add("--scale", number(subject.scale));
    if (subject.records > 0) add("--records", std::to_string(subject.records));
    if (subject.threads > 0) add("--threads", std::to_string(subject.threads));
  }
  add_options(subject.load_options, arguments);
  return arguments;
}

}  // namespace

std::string program_path(const std::string& name) {
  return fs::read_symlink("/proc/self/exe").parent_path() / name;
}

std::vector<std::string> load_arguments(const TrialSubject& subject, const std::string& database) {
  return common_arguments(subject, "load", database);
}

std::vector<std::string> run_arguments(const TrialSubject& subject, const std::string& database,
                                       const std::string& result) {
  auto arguments = common_arguments(subject, "run", database);
  add_options(subject.options, arguments);
  const bool own_device = !subject.scenario.empty() && subject.device.empty();
  if (!own_device) {
    arguments.insert(arguments.end(),
                     {"--device", subject.device.empty() ? "none" : subject.device});
    if (subject.device_scale > 0) {
      arguments.insert(arguments.end(), {"--device-scale", number(subject.device_scale)});
    }
  }
  if (subject.seconds > 0) {
    arguments.insert(arguments.end(), {"--seconds", number(subject.seconds)});
  }
  arguments.insert(arguments.end(), {"--json", result});
  return arguments;
}

}  // namespace rocktune::bench
