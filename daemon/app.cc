#include "daemon/app.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/steady_timer.hpp>
#include <csignal>
#include <filesystem>
#include <optional>
#include <vector>

#include "daemon/config/policy_notes.h"
#include "daemon/config/values.h"
#include "daemon/daemon.h"
#include "daemon/http/control.h"
#include "daemon/name_lock.h"
#include "daemon/notify.h"
#include "daemon/trace_directory.h"
#include "daemon/version.h"
#include "files/units.h"
#include "trace/journal_json.h"

namespace rocktune::daemon {

namespace asio = boost::asio;

namespace {

std::string directory_of(const std::string& file) {
  return std::filesystem::path(file).parent_path().string();
}

// In the agents' directory, which is made where there is none. Where nobody can tell whether
// another one has it, it is taken for free.
Result<std::optional<NameLock>> take_name(const std::string& agent_dir, const std::string& name,
                                          Log& log) {
  const Result<void> made = make_agent_directory(agent_dir, log);
  if (!made) return tl::unexpected<Error>(made.error());
  Result<NameLock> taken = NameLock::take(agent_dir, name);
  if (taken) return std::optional(*std::move(taken));
  if (taken.error().code == ErrorCode::kConflict) return tl::unexpected<Error>(taken.error());
  log.warn(taken.error().message);
  return std::nullopt;
}

struct Servers {
  std::unique_ptr<HttpServer> control, http;  // none where http.listen is off
};

// What a second daemon would collide with: taken before anything is left behind on the disk.
Result<Servers> listen(const asio::any_io_executor& executor, const Config& config, Log& log) {
  const std::string& path = config.control_socket;
  const std::string directory = directory_of(path);
  const Result<void> made = directory == config.agent_dir  // as by default
                                ? make_agent_directory(directory, log)
                                : ensure_directory(directory, "the control socket", log);
  if (!made) return tl::unexpected<Error>(made.error());
  Result<UnixSocket> control = UnixSocket::listen(path);
  if (!control) return tl::unexpected<Error>(control.error());
  Servers servers;
  servers.control = HttpServer::serve_unix(executor, *std::move(control), log);
  if (!config.http) return servers;
  auto http = HttpServer::listen_tcp(executor, *config.http);
  if (!http) return tl::unexpected<Error>(http.error());
  servers.http = *std::move(http);
  return servers;
}

class App {
 public:
  App(asio::io_context& context, const Config& config, const ConfigInputs& inputs, Log& log,
      AlertLog& alerts, TraceWriter& trace, Servers servers, std::optional<NameLock> name)
      : context_(context),
        inputs_(inputs),
        name_(std::move(name)),
        log_(log),
        trace_(trace),
        journal_(alerts, trace, log, system_now),
        ticker_(context.get_executor()),
        daemon_(context.get_executor(), config, system_now, ticker_, journal_),
        servers_(std::move(servers)),
        signals_(context, SIGTERM, SIGINT, SIGHUP),
        notifier_(Notifier::from_environment()),
        watch_(context) {}

  void start() {
    expect_file();
    signals_.add(SIGUSR1);
    wait_for_signal();
    daemon_.on_poll([this] { polled(); });
    servers_.control->start(control_handler(daemon_, system_now));
    if (servers_.http) servers_.http->start(monitoring_handler(daemon_, system_now));
    trace_.remove_old_runs(daemon_.config());
    journal_.event("", 0, "daemon", "started",
                   "rocktuned " + std::string(kVersion) + " started, mode " + mode() + ", trace " +
                       trace_.path() + (trace_.is_there() ? "" : " (not there yet)"));
    note_settings();
    daemon_.start();
    notifier_.ready(status_line());
    last_poll_ = system_now().tick;
    watch_over_polls();
  }

 private:
  void note_settings() {
    for (const std::string& note : policy_notes(daemon_.config())) log_.warn(note);
    const std::string place = directory_of(daemon_.config().freeze_file);
    if (std::error_code error; std::filesystem::exists(place, error) || error) return;
    log_.warn("there is no directory " + place +
              " for daemon.freeze_file: nobody can `touch` it there; make it, or name another "
              "place in the config (`rocktune freeze` makes it where it may)");
  }

  void wait_for_signal() {
    signals_.async_wait([this](const boost::system::error_code& error, int signal) {
      if (error) return;
      if (signal == SIGTERM || signal == SIGINT) return stop(signal);
      if (signal == SIGHUP) {
        reload();
      } else {
        reopen();
      }
      wait_for_signal();
    });
  }

  void polled() {
    const Nanoseconds now = system_now().tick;
    last_poll_ = now;
    constexpr Nanoseconds kLookAtOldRuns = std::chrono::hours(1);
    if (now - last_look_ < kLookAtOldRuns) return;
    if (last_look_.count() != 0) trace_.remove_old_runs(daemon_.config());
    last_look_ = now;
  }

  // As often as systemd wants to hear of us, whatever the time between two polls; not when these do
  // not come.
  void watch_over_polls() {
    if (notifier_.every().count() == 0) return;
    watch_.expires_after(notifier_.every());
    watch_.async_wait([this](const boost::system::error_code& error) {
      if (error) return;
      constexpr Nanoseconds kLate = std::chrono::seconds(10);
      const Nanoseconds longest = 2 * daemon_.config().poll_interval + kLate;
      if (system_now().tick - last_poll_ <= longest) notifier_.alive();
      watch_over_polls();
    });
  }

  void stop(int signal) {
    notifier_.stopping();
    // Else one more would end the process once the set is gone, as where `timeout` signals its
    // child and then the child's group.
    sigset_t more;
    sigemptyset(&more);
    for (const int one : {SIGUSR1, SIGHUP, SIGTERM, SIGINT}) sigaddset(&more, one);
    pthread_sigmask(SIG_BLOCK, &more, nullptr);
    watch_.cancel();
    journal_.event("", 0, "daemon", "stopped",
                   std::string("stopping on ") + (signal == SIGINT ? "SIGINT" : "SIGTERM"));
    daemon_.stop();
    servers_ = {};
    context_.stop();
  }

  // A file that was there once has to be there from then on: without it a reload would drop all
  // that it says.
  void expect_file() { inputs_.optional = inputs_.optional && has_no_file(inputs_); }

  // The whole new configuration is read first; with any error the old one stays.
  void reload() {
    notifier_.reloading(system_now().tick);
    expect_file();
    ConfigResult config = with_name(load_config(inputs_));
    const bool refused = !config;
    if (refused) {
      reopen();
      daemon_.refuse(config.error());
    } else {
      take_over(*std::move(config));
    }
    notifier_.ready(status_line() + (refused ? "; the last reload was refused: see the log" : ""));
  }

  // Other agents may be another one's of our name.
  ConfigResult with_name(ConfigResult config) {
    const Config& now = daemon_.config();
    if (!config || config->agent_dir == now.agent_dir) return config;
    if (name_ && name_->is_in(config->agent_dir, now.name)) return config;  // by another path
    Result<std::optional<NameLock>> taken = take_name(config->agent_dir, now.name, log_);
    if (!taken) return tl::unexpected(std::vector{taken.error().message});
    name_ = *std::move(taken);
    return config;
  }

  void take_over(Config config) {
    const std::vector<std::string> fixed = daemon_.reconfigure(std::move(config));
    trace_.take_limits(daemon_.config());
    reopen();  // what is said from here on is in the files that it names
    for (const std::string& key : fixed) {
      log_.warn(key + " changed, but cannot change while rocktuned runs: restart to apply it");
    }
    journal_.event("", 0, "daemon", "reloaded", "configuration reloaded, mode " + mode());
    note_settings();
  }

  // After logrotate moved them away.
  void reopen() {
    const Config& config = daemon_.config();
    const Result<void> log = log_.open(config.log_level, config.log_file);
    if (!log) log_.error(log.error().message);
    journal_.open_alerts(config.alert_log_file);
  }

  std::string mode() const { return std::string(to_string(daemon_.config().mode)); }

  std::string status_line() const {
    return "mode " + mode() + ", poll every " + format_duration(daemon_.config().poll_interval);
  }

  asio::io_context& context_;
  ConfigInputs inputs_;
  std::optional<NameLock> name_;  // none where nobody can tell
  Log& log_;
  TraceWriter& trace_;
  Journal journal_;
  AsioTicker ticker_;
  Daemon daemon_;
  Servers servers_;
  asio::signal_set signals_;
  Notifier notifier_;
  asio::steady_timer watch_;
  Nanoseconds last_poll_{0}, last_look_{0};  // last_look_: at old runs
};

Result<void> run_app(const Config& config, const ConfigInputs& inputs, Log& log) {
  if (Result<void> opened = log.open(config.log_level, config.log_file); !opened) return opened;
  // A file size limit must be a failed write, not the daemon's death.
  std::signal(SIGXFSZ, SIG_IGN);
  std::signal(SIGPIPE, SIG_IGN);
  asio::io_context context(1);
  Result<Servers> servers = listen(context.get_executor(), config, log);
  if (!servers) return tl::unexpected<Error>(servers.error());
  Result<std::optional<NameLock>> name = take_name(config.agent_dir, config.name, log);
  if (!name) return tl::unexpected<Error>(name.error());
  if (Result<void> made =
          ensure_directory(directory_of(config.alert_log_file), "the alert log", log);
      !made) {
    return made;
  }
  AlertLog alerts(config.alert_log_file);
  if (Result<void> opened = alerts.open(); !opened) return opened;
  Result<TraceWriter> trace = TraceWriter::create(config, system_now(), system_now, log);
  if (!trace) return tl::unexpected<Error>(trace.error());
  // Destroyed before the context, whose pending work refers to it but no longer runs by then.
  App app(context, config, inputs, log, alerts, *trace, *std::move(servers), *std::move(name));
  app.start();
  context.run();
  return {};
}

}  // namespace

int run(const Config& config, const ConfigInputs& inputs, Log& log) {
  const Result<void> ended = run_app(config, inputs, log);
  if (ended) return 0;
  log.error(ended.error().message);
  return 1;
}

}  // namespace rocktune::daemon
