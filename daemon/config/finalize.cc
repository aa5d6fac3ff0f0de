#include "daemon/config/finalize.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "daemon/config/knob_maps.h"
#include "daemon/config/policy_params.h"
#include "daemon/config/values.h"
#include "files/device_profile.h"
#include "files/units.h"
#include "model/indicators.h"
#include "model/knobs.h"
#include "policy/policy.h"
#include "prior/prior.h"

namespace rocktune::daemon {
namespace {

std::string same(const std::string& text) {
  return text;
}
std::string print_mode(const Mode& mode) {
  return std::string(to_string(mode));
}
std::string print_integer(const std::int64_t& value) {
  return std::to_string(value);
}

// A parser with a range: the value must lie in [low, high].
template <class T, class Parse, class Print>
auto within(Parse parse, Print print, T low, T high) {
  return [=](std::string_view text) -> Result<T> {
    Result<T> value = parse(text);
    if (!value || (*value >= low && *value <= high)) return value;
    return fail(ErrorCode::kInvalidArgument, "'" + std::string(text) + "' is out of range; write " +
                                                 print(low) + " to " + print(high));
  };
}

auto duration(Nanoseconds low, Nanoseconds high) {
  return within<Nanoseconds>(parse_duration, format_duration, low, high);
}

// A duration kept as seconds in a double.
void read_seconds(Section& section, std::string_view key, double& seconds,
                  const std::string& origin) {
  using namespace std::chrono_literals;
  Nanoseconds value(std::llround(seconds * 1e9));
  section.read(key, value, duration(1us, 1h), format_duration, origin);
  seconds = std::chrono::duration<double>(value).count();
}

template <class T, class Print>
auto or_unset(Print print) {
  return
      [=](const std::optional<T>& value) { return value ? print(*value) : std::string("unset"); };
}

Result<std::optional<Bytes>> parse_memory_max(std::string_view text) {
  if (text == "unset") return std::optional<Bytes>();
  const Result<Bytes> bytes =
      within<Bytes>(parse_bytes, format_bytes, 1_MiB, Bytes{std::int64_t{1} << 50})(text);
  if (!bytes) return tl::unexpected<Error>(bytes.error());
  return std::optional(*bytes);
}

Result<std::optional<double>> parse_amplification_max(std::string_view text) {
  if (text == "unset") return std::optional<double>();
  const auto most = within<double>(parse_number, format_number, 1, 1000)(text);
  if (!most) return tl::unexpected<Error>(most.error());
  return std::optional(*most);
}

Result<Priority> parse_priority(std::string_view text) {
  std::string known;
  for (const Priority one : kPriorities) {
    if (text == to_string(one)) return one;
    known += (known.empty() ? "" : ", ") + std::string(to_string(one));
  }
  return fail(ErrorCode::kInvalidArgument, "has to be one of " + known);
}

template <std::int64_t most>
Result<std::optional<std::int64_t>> parse_jobs_max(std::string_view text) {
  if (text == "unset") return std::optional<std::int64_t>();
  const auto jobs = within<std::int64_t>(parse_integer, print_integer, 2, most)(text);
  if (!jobs) return tl::unexpected<Error>(jobs.error());
  return std::optional(*jobs);
}
// Of all databases together.
constexpr std::int64_t kMostSharedJobs = 4096;

}  // namespace

// The one maker of Configs.
class Finalizer {
 public:
  explicit Finalizer(const RawConfig& raw) : raw_(raw), problems_(raw.file), config_({}) {}

  ConfigResult run() {
    Section root(reading_, &raw_.root, "");
    Section polls = daemon(root);
    files(root);
    model(root);
    lease_and_sources(root, polls);
    shared(root);
    Section defaults = root.section("defaults");
    engine(defaults, config_.engine, default_profile_, "defaults.", "default");
    defaults.finish();
    if (const RawNode* list = root.list("targets")) targets(*list);
    root.finish();
    overrides();
    std::vector<std::string> problems = problems_.sorted();
    if (!problems.empty()) return tl::unexpected(std::move(problems));
    config_.settings = std::move(settings_);
    return std::move(config_);
  }

  [[nodiscard]] const std::set<std::string>& known() const { return known_; }

 private:
  Section daemon(Section& root) {
    using namespace std::chrono_literals;
    Section section = root.section("daemon");
    section.read("name", config_.name, parse_name, same);
    section.read("mode", config_.mode, parse_mode, print_mode);
    section.read("poll_interval", config_.poll_interval, duration(10ms, 60s), format_duration);
    section.read("agent_dir", config_.agent_dir, parse_agent_dir, same);
    section.read("control_socket", config_.control_socket, parse_socket_path, same);
    section.read("freeze_file", config_.freeze_file, parse_path, same);
    section.finish();
    return section;
  }

  void files(Section& root) {
    using namespace std::chrono_literals;
    Section log = root.section("log");
    log.read(
        "level", config_.log_level,
        [](std::string_view text) {
          return parse_choice(text, {"trace", "debug", "info", "warn", "error"});
        },
        same);
    log.read(
        "file", config_.log_file,
        [](std::string_view text) -> Result<std::string> {
          if (text == "stderr") return std::string(text);
          return parse_path(text);
        },
        same);
    log.finish();
    Section alerts = root.section("alert_log");
    alerts.read("file", config_.alert_log_file, parse_path, same);
    alerts.finish();
    Section trace = root.section("trace");
    trace.read("directory", config_.trace_directory, parse_path, same);
    trace.read("max_size", config_.trace_max_size,
               within<Bytes>(parse_bytes, format_bytes, 8_MiB, Bytes{std::int64_t{1} << 50}),
               format_bytes);
    trace.read("max_age", config_.trace_max_age, duration(1min, 24h * 3650), format_duration);
    trace.read(
        "events", config_.trace_events,
        [](std::string_view text) { return parse_choice(text, {"notable", "all"}); }, same);
    trace.finish();
    Section http = root.section("http");
    http.read("listen", config_.http, parse_listen, print_listen);
    http.finish();
  }

  // What the early warnings begin with, and where they save what they learn.
  void model(Section& root) {
    using namespace std::chrono_literals;
    Section model = root.section("model");
    model.read("prior", config_.model_prior, parse_prior_choice, same);
    const auto prior = choose_prior(config_.model_prior);
    if (prior) {
      config_.engine.prior = *prior;
    } else {
      model.complain("prior", prior.error().message);
    }
    config_.model_state_directory = config_.trace_directory + "/learnt";
    model.read("state_directory", config_.model_state_directory, parse_state_directory,
               [](const std::string& path) { return path.empty() ? std::string("off") : path; });
    model.read("save_interval", config_.model_save_interval, duration(1s, 24h), format_duration);
    model.finish();
  }

  void lease_and_sources(Section& root, Section& polls) {
    using namespace std::chrono_literals;
    Section lease = root.section("lease");
    lease.read("duration", config_.lease_duration, duration(1s, 1h), format_duration);
    lease.read(
        "on_daemon_loss", config_.on_daemon_loss,
        [](std::string_view text) { return parse_choice(text, {"restore", "keep"}); }, same);
    if (config_.lease_duration < 4 * config_.poll_interval) {
      const std::string why = "), or one late poll gives the knobs back";
      if (lease.given("duration")) {
        lease.complain("duration", "must be at least four times daemon.poll_interval (" +
                                       format_duration(config_.poll_interval) + why);
      } else {
        polls.complain("poll_interval", "may be at most a fourth of lease.duration (" +
                                            format_duration(config_.lease_duration) + why);
      }
    }
    lease.finish();
    Section sources = root.section("sources");
    sources.read("proc_root", config_.proc_root, parse_path, same);
    sources.read("sys_root", config_.sys_root, parse_path, same);
    sources.finish();
  }

  // What databases that share may take together, and who shares.
  void shared(Section& root) {
    Section section = root.section("shared");
    section.read("memory_max", config_.shared.memory_max, parse_memory_max,
                 or_unset<Bytes>(format_bytes));
    section.read("jobs_max", config_.shared.jobs_max, parse_jobs_max<kMostSharedJobs>,
                 or_unset<std::int64_t>(print_integer));
    section.read(
        "users", config_.share_with,
        [](std::string_view text) { return parse_choice(text, {"own", "all"}); }, same);
    section.finish();
  }

  // policy, policy_params, objective, budget, device_profile: of the defaults and of each target.
  // `profile` is the path inherited, `path` the section's own in the file.
  void engine(Section& section, EngineConfig& engine, std::string& profile, const std::string& path,
              const std::string& origin) {
    const std::string inherited = engine.policy;
    section.read(
        "policy", engine.policy,
        [](std::string_view name) -> Result<std::string> {
          const auto policy = make_policy(name, {});
          if (!policy) return tl::unexpected<Error>(policy.error());
          return std::string(name);
        },
        same, origin);
    // Parameters belong to their policy: another policy does not inherit them.
    if (engine.policy != inherited) engine.policy_params.clear();
    read_policy_params(section, reading_, path, origin, engine);
    Section objective = section.section("objective");
    read_seconds(objective, "read_p99", engine.objective.read_p99_seconds, origin);
    read_seconds(objective, "write_p99", engine.objective.write_p99_seconds, origin);
    objective.read(
        "first", engine.objective.first, parse_priority,
        [](Priority priority) { return std::string(to_string(priority)); }, origin);
    read_seconds(objective, "horizon", engine.objective.horizon_seconds, origin);
    objective.read("device_queue_limit", engine.objective.device_queue_limit,
                   within<double>(parse_number, format_number, 0.1, 1e6), format_number, origin);
    read_seconds(objective, "device_await_limit", engine.objective.device_await_limit_seconds,
                 origin);
    false_alarms(objective, engine.objective, origin);
    objective.finish();
    budget(section, engine.budget, path, origin);
    device_profile(section, engine.objective.device_capacities, profile, origin);
  }

  static void device_profile(Section& section, DeviceCapacities& capacities, std::string& path,
                             const std::string& origin) {
    const std::string inherited = path;
    section.read(
        "device_profile", path,
        [](std::string_view text) -> Result<std::string> {
          if (text == "unset") return std::string();
          return parse_path(text);
        },
        [](const std::string& value) { return value.empty() ? std::string("unset") : value; },
        origin);
    if (path == inherited) return;
    capacities = {};
    if (path.empty()) return;
    Result<DeviceCapacities> read = load_device_profile(path);
    if (read) {
      capacities = *read;
    } else {
      section.complain("device_profile", read.error().message);
    }
  }

  // How many a day, for each indicator.
  static void false_alarms(Section& objective, Objective& out, const std::string& origin) {
    Section part = objective.section("false_alarms_per_day");
    constexpr std::array kKinds = {IndicatorKind::kP99, IndicatorKind::kCompactionBacklog,
                                   IndicatorKind::kDeviceSaturation};
    for (std::size_t i = 0; i < kKinds.size(); ++i) {
      part.read(std::string(to_string(kKinds.at(i))), out.false_alarms_per_day.at(i),
                within<double>(parse_number, format_number, 0.01, 1000), format_number, origin);
    }
    part.finish();
  }

  void budget(Section& section, Budget& budget, const std::string& path,
              const std::string& origin) {
    Section part = section.section("budget");
    part.read("memory_max", budget.memory_max, parse_memory_max, or_unset<Bytes>(format_bytes),
              origin);
    part.read("jobs_max", budget.jobs_max, parse_jobs_max<kMostJobs>,
              or_unset<std::int64_t>(print_integer), origin);
    part.read("device_share", budget.device_share,
              within<double>(parse_number, format_number, 0.05, 1), format_number, origin);
    part.read("write_amplification_max", budget.write_amplification_max, parse_amplification_max,
              or_unset<double>(format_number), origin);
    part.read("rate_limit_min", budget.rate_limit_min,
              within<BytesPerSecond>(parse_rate, format_rate, BytesPerSecond{65536},
                                     BytesPerSecond{static_cast<double>(kUnlimitedBytesPerSecond)}),
              format_rate, origin);
    std::int64_t changes = budget.changes_per_hour;
    part.read("changes_per_hour", changes,
              within<std::int64_t>(parse_integer, print_integer, 0, 3600), print_integer, origin);
    budget.changes_per_hour = static_cast<int>(changes);
    part.read("drift_max", budget.drift_max, parse_drift, print_drift, origin);
    read_drifts(part, "drift_max_of", reading_, path + "budget.", budget.drift_max_of);
    part.finish();
  }

  void targets(const RawNode& list) {
    for (std::size_t i = 0; i < list.items.size(); ++i) {
      const RawNode& item = list.items[i];
      const std::string path = "targets[" + std::to_string(i) + "].";
      Section section(reading_, &item, path);
      TargetRule rule;
      rule.mode = config_.mode;
      rule.engine = config_.engine;
      if (!section.has("path")) {
        problems_.add(item.mark, "targets[" + std::to_string(i) + "]",
                      "has no `path`: give the database's path, or a pattern such as /data/*");
      }
      section.read("path", rule.path, parse_path, same);
      for (const TargetRule& earlier : config_.targets) {
        if (rule.path.empty() || !covers(earlier.path, rule.path)) continue;
        if (earlier.path == rule.path) {
          section.complain("path", "'" + rule.path + "' is there twice: remove one");
          break;
        }
        section.complain("path", "'" + rule.path + "' is matched by '" + earlier.path +
                                     "' above, and the first that matches counts: put this first");
        break;
      }
      section.read("name", rule.name, parse_name, same);
      for (const TargetRule& other : config_.targets) {
        if (rule.name.empty() || other.name != rule.name) continue;
        section.complain("name", "'" + rule.name +
                                     "' is the name of another target already: alerts and metrics "
                                     "could not tell them apart");
        break;
      }
      section.read("mode", rule.mode, parse_mode, print_mode, "daemon.mode");
      section.read("device_stat", rule.device_stat, parse_path, same);
      section.read("weight", rule.weight, within<double>(parse_number, format_number, 0.01, 100),
                   format_number);
      read_frozen(section, "freeze", reading_, path, rule.freeze);
      read_pins(section, "pin", reading_, path, rule.freeze, rule.engine.pins);
      std::string profile = default_profile_;
      engine(section, rule.engine, profile, path, "defaults");
      section.finish();
      config_.targets.push_back(std::move(rule));
    }
  }

  void overrides() {
    const std::vector<std::string> keys(known_.begin(), known_.end());
    for (const Override& given : raw_.overrides) {
      if (known_.count(given.key) > 0) continue;
      const std::string guess = nearest(given.key, keys);
      problems_.add_elsewhere(
          given.origin, given.key,
          guess.empty() ? "unknown key" : "unknown key; did you mean '" + guess + "'?");
    }
  }

  const RawConfig& raw_;
  Problems problems_;
  std::vector<Setting> settings_;
  std::set<std::string> known_;
  Config config_;
  std::string default_profile_;  // path of the defaults' device profile; empty: none
  Reading reading_{raw_, problems_, settings_, known_};
};

ConfigResult finalize(const RawConfig& raw) {
  return Finalizer(raw).run();
}

std::set<std::string> config_keys() {
  const RawConfig nothing;
  Finalizer finalizer(nothing);
  static_cast<void>(finalizer.run());
  return finalizer.known();
}

}  // namespace rocktune::daemon
