// rocktune-bench: workloads on an embedded RocksDB with the rocktune agent linked in.
#include <exception>
#include <iostream>

#include "bench/cli/commands.h"

int main(int argc, char** argv) {
  CLI::App app{"Workloads on a RocksDB of its own, with the rocktune agent linked in.",
               "rocktune-bench"};
  app.require_subcommand(1);
  app.set_version_flag("--version", ROCKTUNE_VERSION);

  namespace bench = rocktune::bench;
  bench::Action chosen;
  for (const auto add :
       {bench::add_run, bench::add_load, bench::add_demo, bench::add_experiment, bench::add_compare,
        bench::add_replay_ops, bench::add_replay_ops_host, bench::add_standings,
        bench::add_validate_order, bench::add_no_harm, bench::add_overhead,
        bench::add_overhead_host, bench::add_replay_speed, bench::add_device}) {
    add(app, chosen);
  }
  app.footer(  // last: commands take over the footer that is there when they are added
      "Exit codes: 0 ok, 1 failed (no-harm: or there is harm), 2 usage, 130 stopped.\n"
      "`rocktune-bench COMMAND --help` says more.");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  }
  try {
    return chosen();
  } catch (const std::exception& error) {
    std::cerr << "rocktune-bench: " << error.what() << '\n';
    return 1;
  }
}
