#include "daemon/config/load.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "files/text_file.h"

namespace rocktune::daemon {
namespace {

constexpr std::string_view kVariablePrefix = "ROCKTUNED_";
// What Kubernetes gives each container of a namespace with a Service called rocktuned.
constexpr std::string_view kServicePrefixes[] = {"ROCKTUNED_SERVICE_", "ROCKTUNED_PORT"};
constexpr std::size_t kLargestFile = std::size_t{4} << 20;

tl::expected<RawConfig, std::vector<std::string>> read_raw(const std::string& file) {
  const Result<std::string> text = read_text_file(file, kLargestFile);
  if (!text) {
    return tl::unexpected(
        std::vector<std::string>{"cannot read the config file " + text.error().message});
  }
  Result<RawConfig> raw = parse_yaml(*text, file);
  if (!raw) return tl::unexpected(std::vector<std::string>{raw.error().message});
  return *std::move(raw);
}

bool is_of_service(const std::string& variable) {
  return std::any_of(std::begin(kServicePrefixes), std::end(kServicePrefixes),
                     [&](std::string_view prefix) { return variable.starts_with(prefix); });
}

}  // namespace

std::string environment_name(const std::string& key) {
  std::string name(kVariablePrefix);
  for (const char c : key) {
    name += c == '.' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  return name;
}

std::map<std::string, std::string> environment_variables() {
  std::map<std::string, std::string> variables;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text(*entry);
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos ||
        text.substr(0, kVariablePrefix.size()) != kVariablePrefix)
      continue;
    variables.emplace(text.substr(0, equals), text.substr(equals + 1));
  }
  return variables;
}

bool has_no_file(const ConfigInputs& inputs) {
  std::error_code error;
  return inputs.file.empty() ||
         (inputs.optional && !std::filesystem::exists(inputs.file, error) && !error);
}

ConfigResult load_config(const ConfigInputs& inputs) {
  auto raw = has_no_file(inputs) ? RawConfig{} : read_raw(inputs.file);
  if (!raw) return tl::unexpected(raw.error());
  std::map<std::string, std::string> by_name;
  for (const std::string& key : config_keys()) by_name.emplace(environment_name(key), key);
  for (const auto& [name, value] : inputs.environment) {
    if (is_of_service(name)) continue;
    const auto known = by_name.find(name);
    // An unknown name is passed on as it is: finalize() reports it with the rest.
    raw->overrides.push_back(
        {known == by_name.end() ? name : known->second, value, "environment " + name});
  }
  raw->overrides.insert(raw->overrides.end(), inputs.command_line.begin(),
                        inputs.command_line.end());
  return finalize(*raw);
}

std::string print_config(const Config& config) {
  std::size_t width = 0;
  for (const Setting& setting : config.settings) {
    width = std::max(width, setting.key.size() + setting.value.size() + 2);
  }
  std::string text;
  for (const Setting& setting : config.settings) {
    std::string line = setting.key + ": " + setting.value;
    line.resize(std::max(line.size(), width), ' ');
    text += line + "  # " + setting.origin + "\n";
  }
  return text;
}

}  // namespace rocktune::daemon
