// rocktuned: exit code 0 when stopped, 1 when it could not run, 2 for usage and configuration.
#include <csignal>
#include <exception>
#include <iostream>

#include "daemon/app.h"
#include "daemon/config/policy_notes.h"
#include "daemon/options.h"
#include "files/printable.h"

namespace {

using rocktune::printable;
using rocktune::daemon::ConfigResult;
using rocktune::daemon::Options;

int main_with(Options options, rocktune::daemon::Log& log) {
  if (!options.config_named) {
    options.inputs.file = rocktune::daemon::kDefaultConfigFile;
    options.inputs.optional = true;
  }
  options.inputs.environment = rocktune::daemon::environment_variables();
  ConfigResult config = rocktune::daemon::load_config(options.inputs);
  if (!config) {
    for (const std::string& problem : config.error()) std::cerr << printable(problem) << "\n";
    const std::size_t count = config.error().size();
    std::cerr << "rocktuned: " << count << (count == 1 ? " error" : " errors")
              << " in the configuration\n";
    return 2;
  }
  if (options.print) {
    std::cout << rocktune::daemon::print_config(*config);
    return 0;
  }
  if (options.check) {
    for (const std::string& note : rocktune::daemon::policy_notes(*config)) {
      std::cout << options.inputs.file << ": note: " << printable(note) << "\n";
    }
    std::cout << options.inputs.file << ": ok\n";
    return 0;
  }
  if (rocktune::daemon::has_no_file(options.inputs)) {
    log.info("there is no " + options.inputs.file + ": running on built-in defaults");
  }
  return rocktune::daemon::run(*config, options.inputs, log);
}

}  // namespace

int main(int argc, char** argv) {
  // Until the app is there: a rotation of logs is no reason to die.
  std::signal(SIGUSR1, SIG_IGN);
  try {
    auto options = rocktune::daemon::parse_options(argc, argv);
    if (const int* exit_code = std::get_if<int>(&options)) return *exit_code;
    rocktune::daemon::Log log;
    return main_with(std::get<Options>(std::move(options)), log);
  } catch (const std::exception& error) {
    std::cerr << "rocktuned: " << printable(error.what()) << "\n";
    return 1;
  }
}
