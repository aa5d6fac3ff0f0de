#include <algorithm>
#include <filesystem>

#include "daemon/config/load.h"
#include "model/knobs.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/support.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

ConfigResult parse(const std::string& text, std::vector<Override> overrides = {}) {
  Result<RawConfig> raw = parse_yaml(text, "r.yaml");
  if (!raw) return tl::unexpected(std::vector<std::string>{raw.error().message});
  raw->overrides = std::move(overrides);
  return finalize(*raw);
}

std::vector<std::string> errors(const std::string& text) {
  const ConfigResult config = parse(text);
  REQUIRE_FALSE(config.has_value());
  return config.error();
}

bool begins(const std::string& text, const std::string& start) {
  return text.compare(0, start.size(), start) == 0;
}

std::string origin_of(const Config& config, const std::string& key) {
  const auto found = std::find_if(config.settings.begin(), config.settings.end(),
                                  [&](const Setting& s) { return s.key == key; });
  return found == config.settings.end() ? "(none)" : found->value + " # " + found->origin;
}

}  // namespace

TEST_CASE("five mistakes are reported at once, each at its place", "[daemon][config]") {
  const auto all = errors(
      "daemon:\n"
      "  mode: advise\n"
      "  pol_interval: 500ms\n"
      "  mode: act\n"
      "  poll_interval: 500mb\n"
      "trace:\n"
      "  max_size: -5GiB\n"
      "defaults:\n"
      "  policy: hedroom\n");
  REQUIRE(all.size() == 5);
  CHECK(begins(all[0],
               "r.yaml:3:3: daemon.pol_interval: unknown key; did you mean "
               "'poll_interval'?"));
  CHECK(begins(all[1], "r.yaml:4:3: daemon.mode: duplicate key; it is given first in line 2"));
  CHECK(begins(all[2], "r.yaml:5:18: daemon.poll_interval: '500mb': 'mb' is no unit"));
  CHECK(begins(all[3], "r.yaml:7:13: trace.max_size: '-5GiB' is negative"));
  CHECK(begins(all[4], "r.yaml:9:11: defaults.policy: "));
  CHECK(all[4].find("hedroom") != std::string::npos);
  CHECK(all[4].find("headroom") != std::string::npos);
}

TEST_CASE("an empty file is the defaults", "[daemon][config]") {
  const ConfigResult config = parse("# nothing\n");
  REQUIRE(config);
  CHECK(config->mode == Mode::kAdvise);
  CHECK(config->poll_interval == 500ms);
  CHECK(config->http == HttpListen{"127.0.0.1", 9730});
  CHECK(config->lease_duration == 15s);
  CHECK(origin_of(*config, "daemon.mode") == "advise # default");
  CHECK(origin_of(*config, "defaults.budget.memory_max") == "unset # default");
}

TEST_CASE("shared budgets, and a target's weight", "[daemon][config]") {
  const ConfigResult config = parse(
      "shared: {memory_max: 8GiB, jobs_max: 12}\n"
      "targets:\n  - path: /data/orders\n    weight: 2.5\n");
  REQUIRE(config);
  CHECK(config->shared.memory_max == Bytes{std::int64_t{8} << 30});
  CHECK(config->shared.jobs_max == 12);
  CHECK(config->rule_for("/data/orders").weight == Approx(2.5));
  CHECK(config->rule_for("/other").weight == Approx(1));
  CHECK(origin_of(*config, "shared.jobs_max") == "12 # r.yaml:1");
  const ConfigResult none = parse("");
  REQUIRE(none);
  CHECK(none->shared == HostBudget{});
  CHECK_FALSE(parse("targets: [{path: /a, weight: 0}]\n"));
  CHECK_FALSE(parse("shared: {jobs_max: 1}\n"));
  CHECK(none->share_with == "own");
  CHECK(parse("shared: {users: all}\n")->share_with == "all");
  CHECK_FALSE(parse("shared: {users: bob}\n"));
}

TEST_CASE("values and their origins", "[daemon][config]") {
  const ConfigResult config = parse(
      "daemon:\n  mode: observe\n  poll_interval: 250 ms\nhttp: {listen: off}\n"
      "defaults:\n  objective: {read_p99: 2ms}\n  budget: {memory_max: 1.5GiB, jobs_max: 6}\n"
      "targets:\n"
      "  - path: /data/*\n    name: orders\n    mode: act\n    objective: {write_p99: 7ms}\n"
      "    freeze: [max_background_jobs]\n",
      {{"daemon.mode", "advise", "environment ROCKTUNED_DAEMON_MODE"},
       {"daemon.mode", "act", "command line --mode"},
       {"alert_log.file", "/tmp/a", "environment ROCKTUNED_ALERT_LOG_FILE"}});
  REQUIRE(config);
  CHECK(config->mode == Mode::kAct);
  CHECK(origin_of(*config, "daemon.mode") == "act # command line --mode");
  CHECK(origin_of(*config, "daemon.poll_interval") == "250ms # r.yaml:3");
  CHECK(origin_of(*config, "alert_log.file") == "/tmp/a # environment ROCKTUNED_ALERT_LOG_FILE");
  CHECK(origin_of(*config, "http.listen") == "off # r.yaml:4");
  CHECK_FALSE(config->http.has_value());
  CHECK(config->engine.budget.memory_max == Bytes{1610612736});
  CHECK(config->engine.budget.jobs_max == 6);

  const TargetRule rule = config->rule_for("/data/a/b");
  CHECK(rule.name == "orders");
  CHECK(rule.engine.objective.read_p99_seconds == Approx(0.002));   // from the defaults
  CHECK(rule.engine.objective.write_p99_seconds == Approx(0.007));  // its own
  CHECK(rule.freeze == std::vector<std::string>{"max_background_jobs"});
  CHECK(config->rule_for("/other").name.empty());
  CHECK(config->rule_for("/other").mode == Mode::kAct);
  CHECK(origin_of(*config, "targets[0].objective.read_p99") == "2ms # defaults");
}

TEST_CASE("pins and drift limits, by the knob's name", "[daemon][config]") {
  const ConfigResult config = parse(
      "defaults: {budget: {drift_max: 4, drift_max_of: {max_background_jobs: 2}}}\n"
      "targets:\n"
      "  - path: /a\n"
      "    budget: {drift_max: unlimited, drift_max_of: {block_cache_capacity_bytes: 8}}\n"
      "    pin: {max_background_jobs: 6, rate_limiter_bytes_per_second: unlimited}\n"
      "  - path: /b\n"
      "    pin: {rate_limiter_bytes_per_second: 100MiB/s, block_cache_capacity_bytes: 1GiB}\n");
  REQUIRE(config);
  CHECK(config->engine.budget.drift_max == 4);
  CHECK(config->engine.pins.empty());
  const EngineConfig a = config->rule_for("/a").engine;
  CHECK_FALSE(a.budget.drift_max);
  CHECK(a.budget.drift_max_of.at("max_background_jobs") == 2);
  CHECK(a.budget.drift_max_of.at("block_cache_capacity_bytes") == 8);
  CHECK(a.pins == Pins{{"max_background_jobs", 6},
                       {"rate_limiter_bytes_per_second", kUnlimitedBytesPerSecond}});
  const EngineConfig b = config->rule_for("/b").engine;
  CHECK(b.pins == Pins{{"rate_limiter_bytes_per_second", 100 << 20},
                       {"block_cache_capacity_bytes", 1 << 30}});
  CHECK(origin_of(*config, "targets[0].pin.max_background_jobs") == "6 # r.yaml:5");
  CHECK(origin_of(*config, "targets[1].budget.drift_max") == "4 # defaults");
}

TEST_CASE("wrong pins and drift limits", "[daemon][config]") {
  const auto all = errors(
      "defaults: {budget: {drift_max: 0.5, drift_max_of: {nonsense: 2}}}\n"
      "targets:\n"
      "  - path: /a\n"
      "    freeze: [max_background_jobs]\n"
      "    pin: {max_background_jobs: 6, block_cache_capacity_bytes: 100,\n"
      "          rate_limiter_bytes_per_second: 1KiB/s}\n");
  REQUIRE(all.size() == 5);
  CHECK(all[0].find("no factor of at least 1") != std::string::npos);
  CHECK(all[1].find("'nonsense' is not known; write one of ") != std::string::npos);
  CHECK(begins(all[2], "r.yaml:5:32: targets[0].pin.max_background_jobs: is in `freeze` as well"));
  CHECK(all[3].find("has no unit") != std::string::npos);
  CHECK(all[4].find("out of range") != std::string::npos);
}

TEST_CASE("pins in an order that RocksDB refuses", "[daemon][config]") {
  const auto all = errors(
      "targets:\n"
      "  - path: /a\n"
      "    pin: {level0_slowdown_writes_trigger: 40, level0_stop_writes_trigger: 20}\n"
      "  - path: /b\n"
      "    pin: {soft_pending_compaction_bytes_limit: 2GiB,\n"
      "          hard_pending_compaction_bytes_limit: 1GiB}\n");
  REQUIRE(all.size() == 2);
  CHECK(begins(all[0],
               "r.yaml:3:10: targets[0].pin: level0_slowdown_writes_trigger (40) has to be at most "
               "level0_stop_writes_trigger (20)"));
  CHECK(begins(all[1], "r.yaml:5:10: targets[1].pin: soft_pending_compaction_bytes_limit"));
  CHECK(
      parse("targets:\n"
            "  - path: /a\n"
            "    pin: {level0_slowdown_writes_trigger: 20, level0_stop_writes_trigger: 20}\n"));
}

TEST_CASE("a pin that would be held for ever", "[daemon][config]") {
  const auto all = errors("targets:\n  - path: /a\n    pin: {max_background_jobs: 1}\n");
  REQUIRE(all.size() == 1);
  CHECK(all[0].find("targets[0].pin: max_background_jobs (1) has to be at least 2") !=
        std::string::npos);
}

TEST_CASE("what is refused", "[daemon][config]") {
  const auto only = [](const std::string& text) {
    const auto all = errors(text);
    REQUIRE(all.size() == 1);
    return all[0];
  };
  CHECK(only("daemon: [unclosed\n").find("not valid YAML") != std::string::npos);
  CHECK(begins(only("daemon: 5\n"), "r.yaml:1:9: daemon: expected a section"));
  CHECK(begins(only("daemon:\n  mode:\n"), "r.yaml:2:3: daemon.mode: has no value"));
  CHECK(begins(only("daemon:\n  mode: [a]\n"), "r.yaml:2:9: daemon.mode: expected a single value"));
  CHECK(only("daemon: {mode: turbo}\n").find("observe, advise, act") != std::string::npos);
  CHECK(only("daemon: {poll_interval: 500}\n").find("has no unit; write for example 500ms") !=
        std::string::npos);
  CHECK(only("daemon: {poll_interval: 1ms}\n").find("write 10ms to 1m") != std::string::npos);
  CHECK(only("daemon: {agent_dir: run}\n").find("absolute path") != std::string::npos);
  CHECK(only("http: {listen: 'example.org:80'}\n").find("no address") != std::string::npos);
  CHECK(only("lease: {duration: 1s}\n").find("four times") != std::string::npos);
  CHECK(
      begins(only("daemon: {poll_interval: 6s}\n"),
             "r.yaml:1:25: daemon.poll_interval: may be at most a fourth of lease.duration (15s)"));
  CHECK(begins(only("daemon: {mode: act}\n---\ndaemon: {mode: observe}\n"),
               "r.yaml:3:1: a second document begins here"));
  CHECK(only("lease: {on_daemon_loss: panic}\n").find("restore, keep") != std::string::npos);
  CHECK(only("targets:\n  - mode: act\n").find("has no `path`") != std::string::npos);
  CHECK(only("targets: [{path: /a, freeze: [nonsense]}]\n").find("max_background_jobs") !=
        std::string::npos);
  CHECK(only("targets: [{path: /a, name: x}, {path: /b, name: x}]\n")
            .find("the name of another target already") != std::string::npos);
  CHECK(only("defaults: {policy_params: {nonsense: 1}}\n").find("nonsense") != std::string::npos);
  CHECK(only("defaults: {policy_params: {gain: high}}\n").find("not a number") !=
        std::string::npos);
  CHECK(only("defaults: {budget: {jobs_max: 8.5}}\n").find("whole number") != std::string::npos);
  CHECK(begins(only("deamon: {}\n"), "r.yaml:1:1: deamon: unknown key; did you mean 'daemon'?"));
  CHECK(only("foo: 1\n").find("unknown key; the keys here are ") != std::string::npos);
}

TEST_CASE("a target that is never reached is refused", "[daemon][config]") {
  const auto targets = [](const char* first, const char* second) {
    return std::string("targets: [{path: '") + first + "'}, {path: '" + second + "'}]\n";
  };
  const auto all = errors(targets("/data/*", "/data/x"));
  REQUIRE(all.size() == 1);
  CHECK(
      all[0].ends_with("targets[1].path: '/data/x' is matched by '/data/*' above, and the first "
                       "that matches counts: put this first"));
  CHECK(errors(targets("/a/x", "/a/x")).size() == 1);
  CHECK(errors(targets("/a/*", "/a/b*/?")).size() == 1);
  CHECK(parse(targets("/data/x", "/data/*")));
  CHECK(parse(targets("/data/?", "/data/*")));
  CHECK(parse(targets("/a*", "/[ab]*")));
  CHECK(parse(targets("/data/[x]", "/data/y")));
}

TEST_CASE("a bad override names where it was given", "[daemon][config]") {
  const ConfigResult config = parse("", {{"daemon.mode", "x", "environment ROCKTUNED_DAEMON_MODE"},
                                         {"daemon.mod", "act", "command line --set"}});
  REQUIRE_FALSE(config);
  REQUIRE(config.error().size() == 2);
  CHECK(begins(config.error()[0], "environment ROCKTUNED_DAEMON_MODE: daemon.mode: 'x'"));
  CHECK(begins(config.error()[1],
               "command line --set: daemon.mod: unknown key; did you mean "
               "'daemon.mode'?"));
}

TEST_CASE("aliases cannot make a file endless", "[daemon][config]") {
  std::string text = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 8; ++i) {
    const std::string before = "*a" + std::to_string(i - 1);
    text += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [";
    for (int k = 0; k < 10; ++k) text += (k == 0 ? "" : ", ") + before;
    text += "]\n";
  }
  const auto all = errors(text);
  REQUIRE(all.size() == 1);
  CHECK(all[0].find("too many values") != std::string::npos);
}

TEST_CASE("the shipped configuration is the defaults", "[daemon][config]") {
  ConfigInputs inputs;
  inputs.file = std::string(ROCKTUNE_SOURCE_DIR) + "/etc/rocktuned.yaml";
  const ConfigResult shipped = load_config(inputs);
  const ConfigResult built_in = load_config({});
  if (!shipped) FAIL(shipped.error().front());
  REQUIRE(built_in);
  REQUIRE(shipped->settings.size() == built_in->settings.size());
  for (std::size_t i = 0; i < shipped->settings.size(); ++i) {
    CHECK(shipped->settings[i].key == built_in->settings[i].key);
    CHECK(shipped->settings[i].value == built_in->settings[i].value);
    // Every value is shown in the file, and set there, but for what follows another one.
    const bool follows = shipped->settings[i].key == "model.state_directory";
    CHECK((shipped->settings[i].origin == "default") == follows);
  }
}

TEST_CASE("environment names", "[daemon][config]") {
  CHECK(environment_name("daemon.poll_interval") == "ROCKTUNED_DAEMON_POLL_INTERVAL");
  ConfigInputs inputs;
  inputs.environment = {{"ROCKTUNED_DAEMON_MODE", "act"}};
  const ConfigResult config = load_config(inputs);
  REQUIRE(config);
  CHECK(config->mode == Mode::kAct);
  inputs.environment = {{"ROCKTUNED_MOOD", "good"}};
  REQUIRE_FALSE(load_config(inputs));
  CHECK(begins(load_config(inputs).error()[0], "environment ROCKTUNED_MOOD: "));
  // What a Service called rocktuned in Kubernetes brings along is nobody's setting.
  inputs.environment = {{"ROCKTUNED_SERVICE_HOST", "10.0.0.1"},
                        {"ROCKTUNED_PORT", "tcp://10.0.0.1:9730"},
                        {"ROCKTUNED_PORT_9730_TCP_PROTO", "tcp"}};
  CHECK(load_config(inputs));
}

TEST_CASE("a file that is not there", "[daemon][config]") {
  const test::TempTree tree;
  ConfigInputs inputs;
  inputs.file = tree.path("rocktuned.yaml");
  REQUIRE_FALSE(load_config(inputs));
  CHECK(load_config(inputs).error()[0].find("rocktuned.yaml: No such file") != std::string::npos);
  inputs.optional = true;
  CHECK(has_no_file(inputs));
  REQUIRE(load_config(inputs));
  CHECK(load_config(inputs)->mode == Mode::kAdvise);
  tree.file("rocktuned.yaml", "daemon: {mode: act}\n");  // and a reload finds it
  CHECK_FALSE(has_no_file(inputs));
  CHECK(load_config(inputs)->mode == Mode::kAct);
  inputs.file = tree.path("loop");  // what cannot be looked at is not absent
  std::filesystem::create_symlink(inputs.file, inputs.file);
  CHECK_FALSE(has_no_file(inputs));
  CHECK_FALSE(load_config(inputs));
}

TEST_CASE("frozen knobs and numbers of a policy are printed with their target",
          "[daemon][config]") {
  const ConfigResult config = parse(
      "defaults: {policy: silk, policy_params: {device_bytes_per_second: 1e8}}\n"
      "targets:\n"
      "  - {path: /a, freeze: [max_background_jobs, write_buffer_size]}\n"
      "  - {path: /b, policy_params: {least_bytes_per_second: 65536}}\n"
      "  - {path: /c, policy: headroom}\n");
  REQUIRE(config);
  CHECK(origin_of(*config, "targets[0].freeze") ==
        "[max_background_jobs, write_buffer_size] # r.yaml:3");
  CHECK(origin_of(*config, "targets[1].freeze") == "(none)");
  const std::string device = "policy_params.device_bytes_per_second";
  CHECK(origin_of(*config, "defaults." + device) == "1e8 # r.yaml:1");
  CHECK(origin_of(*config, "targets[0]." + device) == "1e+08 # defaults");
  CHECK(origin_of(*config, "targets[1]." + device) == "(none)");
  CHECK(origin_of(*config, "targets[1].policy_params.least_bytes_per_second") ==
        "65536 # r.yaml:4");
  CHECK(origin_of(*config, "targets[2]." + device) == "(none)");

  const auto all = errors(
      "targets:\n"
      "  - {path: /a, policy_params: {gain: high}}\n"
      "  - {path: /b, freeze: [nonsense], policy_params: {nonsense: 1}}\n");
  REQUIRE(all.size() == 3);
  CHECK(begins(all[0], "r.yaml:2:38: targets[0].policy_params.gain: "));
  CHECK(begins(all[1], "r.yaml:3:25: targets[1].freeze: "));
  CHECK(begins(all[2], "r.yaml:3:51: targets[1].policy_params: "));
}
