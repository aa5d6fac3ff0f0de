#include "bench/trial/trial.h"

#include <filesystem>

#include "bench/cli/stop.h"
#include "bench/cli/temporary.h"
#include "bench/text_file.h"
#include "bench/time/rfc3339.h"
#include "bench/trial/clone.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// A Unix socket's path has at most 107 characters; an agent's is "/agent.<pid>.sock" in it.
constexpr std::size_t kLongestSocketDirectory = 107 - sizeof("/agent.4194304.sock") + 1;

// The copy that the run works on, and what the emulated device keeps beside it.
class Copy {
 public:
  explicit Copy(std::string path) : path_(std::move(path)) {}
  ~Copy() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
    fs::remove_all(path_ + ".device", ignored);
  }
  Copy(const Copy&) = delete;
  Copy& operator=(const Copy&) = delete;
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Result<TemporaryDirectory> make_socket_directory() {
  auto sockets = TemporaryDirectory::create("rocktune");
  if (sockets && sockets->path().size() > kLongestSocketDirectory) {
    return fail(
        ErrorCode::kInvalidArgument,
        sockets->path() + " is too long for the Unix sockets in it: set TMPDIR to a shorter path");
  }
  return sockets;
}

// When the first phase began: a second's event comes as soon as that second is over.
std::string first_phase_of(const json& event) {
  const double at = event.value("start_seconds", 0.0) + event.value("seconds", 0.0);
  return rfc3339(std::chrono::system_clock::now() -
                 std::chrono::milliseconds(static_cast<std::int64_t>(at * 1e3)));
}

// Nothing measured before a stop is no error; a run that ended without a result is.
Result<void> read_run(const std::string& path, TrialOutcome& outcome) {
  auto text = read_text_file(path);
  if ((!text || text->empty()) && outcome.partial) return {};
  if (!text) return tl::unexpected(text.error());
  outcome.run = json::parse(*text, nullptr, false);
  if (!outcome.run.is_object()) {
    if (!outcome.partial) return fail(ErrorCode::kCorrupt, path + ": is not a JSON object");
    outcome.run = nullptr;
    return {};
  }
  // A stop that came just as the run was over took nothing from it.
  outcome.partial = outcome.run.value("partial", false);
  return {};
}

Result<void> run_child(const TrialPlan& plan, const std::string& database,
                       const std::string& sockets, const Watcher& watcher, TrialOutcome& outcome) {
  const std::string log = plan.directory + "/run.log";
  const std::string result = plan.directory + "/run.json";
  auto arguments =
      plan.command ? plan.command(database, result) : run_arguments(plan.subject, database, result);
  auto child = Child::start({std::move(arguments),
                             {{"ROCKTUNE_AGENT_DIR", sockets}, {"ROCKTUNE_AGENT_MODE", "rw"}},
                             log});
  if (!child) return tl::unexpected(child.error());
  Watcher noting = watcher;
  noting.event = [&](const json& event) {
    if (outcome.first_phase.empty() && event.value("event", "") == "second") {
      outcome.first_phase = first_phase_of(event);
    }
    if (watcher.event) watcher.event(event);
  };
  const auto watched = watch_child(*child, "the run", log, noting);
  if (!watched) return tl::unexpected(watched.error());
  outcome.partial = *watched == Watched::kStopped;
  return read_run(result, outcome);
}

}  // namespace

Result<TrialOutcome> run_trial(const TrialPlan& plan, const Watcher& watcher) {
  std::error_code error;
  if (!fs::create_directories(plan.directory, error)) {
    return fail(ErrorCode::kIo, plan.directory + ": cannot be created: " +
                                    (error ? error.message() : std::string("it exists")));
  }
  auto sockets = make_socket_directory();
  if (!sockets) return tl::unexpected(sockets.error());
  const Copy copy(plan.directory + "/db");
  if (auto cloned = clone_database(plan.loaded, copy.path()); !cloned) {
    return tl::unexpected(cloned.error());
  }
  TrialOutcome outcome;
  std::optional<Daemon> daemon;
  if (plan.daemon) {
    auto started = Daemon::start(*plan.daemon, plan.directory, sockets->path());
    if (!started) return tl::unexpected(started.error());
    daemon.emplace(std::move(*started));
  }
  outcome.partial = stop_requested();
  if (!outcome.partial) {
    auto done = run_child(plan, copy.path(), sockets->path(), watcher, outcome);
    if (!done) return tl::unexpected(done.error());
  }
  if (daemon) {
    auto use = daemon->stop();
    if (!use) return tl::unexpected(use.error());
    outcome.daemon = *use;
  }
  return outcome;
}

}  // namespace rocktune::bench
