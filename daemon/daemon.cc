#include "daemon/daemon.h"

#include <unistd.h>

#include <algorithm>
#include <boost/asio/co_spawn.hpp>
#include <cmath>
#include <filesystem>
#include <utility>

#include "daemon/clock_step.h"
#include "daemon/trace_directory.h"
#include "daemon/version.h"
#include "files/peer_process.h"
#include "files/units.h"
#include "model/text.h"

namespace rocktune::daemon {
namespace {

// Backwards or forwards; by a suspended machine's pause, too.
std::string clock_step_text(double seconds) {
  return "the wall clock went " + text::duration(std::fabs(seconds)) +
         (seconds > 0 ? " forward" : " back") +
         " beside the monotonic one: it was set, or the machine was suspended; nothing that is " +
         "timed here ends early for it";
}

// Rows for polls that were missed in one go: after a long stop (SIGSTOP, a suspended machine) the
// gap is told by the sequence numbers, not by hours of empty rows.
constexpr std::uint64_t kMostMissedRows = 120;
// A standstill that is worth a line: as long as breaks what loops and windows count
// (policy/gaps.h).
constexpr double kStandstillSeconds = 10;
// A database that nobody has opened for longest is forgotten when there are more than this.
constexpr std::size_t kMostTargets = 256;

// Of an agent whose socket is there no more. A process of a container may have another number here.
std::string why_vanished(const Peer& peer) {
  const std::int64_t pid = peer.socket.pid;
  if (peer.session.peer().value_or(PeerProcess{}).pid == pid && is_gone(pid)) {
    return "agent left: its process " + std::to_string(pid) + " has ended";
  }
  return "agent lost: its socket is gone: the host has ended, or the file was removed";
}

}  // namespace

Daemon::Daemon(boost::asio::any_io_executor executor, Config config, Clock clock, Ticker& ticker,
               Journal& journal)
    : executor_(std::move(executor)),
      config_(std::move(config)),
      clock_(std::move(clock)),
      ticker_(ticker),
      journal_(journal),
      started_(clock_()),
      run_(std::to_string(started_.wall.count() / 1'000'000) + "-" + std::to_string(::getpid())),
      schedule_(config_.poll_interval, started_.tick),
      learnt_(config_.model_state_directory, config_.model_save_interval, journal.log()),
      sharing_(journal, config_.proc_root) {}

Daemon::~Daemon() = default;

void Daemon::start() {
  arm();
}

void Daemon::stop() {
  if (stopped_) return;
  stopped_ = true;
  ticker_.cancel();
  // Of an agent that does not answer nobody knows what stands changed.
  bool left = std::ranges::any_of(peers_, [](const auto& one) { return !one.second->answers; });
  for (const auto& [path, peer] : peers_) {
    peer->gone = true;
    peer->session.close();
  }
  for (const auto& [key, target] : targets_) {
    left = target->note_left() || left;
    target->finish();
  }
  if (left) return;
  journal_.event("", 0, "daemon", "left", "no knob stands changed by rocktuned, as last read");
}

void Daemon::arm() {
  ticker_.wake_at(schedule_.next(), [this] {
    if (stopped_) return;
    const Instant now = clock_();
    if (now.tick >= schedule_.next()) tick();
    arm();
  });
}

void Daemon::tick() {
  const Instant now = clock_();
  const Schedule::Poll poll = schedule_.take(now.tick);
  counters_.polls_due += poll.missed + 1;
  ++counters_.polls_done;
  if (poll.late) ++counters_.polls_late;
  note_clock_step(now);
  last_poll_ = now;
  look_for_freeze();
  give_missed(poll, now);
  discover();
  renew_allowances();
  sharing_.update(now.tick, config_.shared, config_.share_with == "all", targets_);
  const Nanoseconds deadline = now.tick + schedule_.interval() / 2;
  for (const auto& [path, peer] : peers_) {
    const bool paused = peer->pause.lasts(now.tick);
    if (!peer->reading && !paused) {
      boost::asio::co_spawn(executor_, poll_agent(peer, now, deadline), end_of_task());
      continue;
    }
    for (const auto& [id, target] : peer->targets) {
      target->missed(now, paused ? Pause::kWhy : "the agent has not answered the request before");
    }
  }
  forget_old_targets();
  journal_.retry();
  const auto unmatched = unmatched_.to_say(config_, targets_, now.tick);
  if (unmatched) journal_.trouble("", 0, "daemon", "unmatched", *unmatched);
  publish();
  if (poll_hook_) poll_hook_();
}

// Nothing in a task throws by design; what does all the same must not go unseen.
std::function<void(std::exception_ptr)> Daemon::end_of_task() {
  return [this](const std::exception_ptr& thrown) {
    if (!thrown || stopped_) return;
    try {
      std::rethrow_exception(thrown);
    } catch (const std::exception& error) {
      journal_.log().error(std::string("a poll failed: ") + error.what());
    }
  };
}

void Daemon::give_missed(const Schedule::Poll& poll, const Instant& now) {
  const double stood = seconds_between(poll.first_missed, now.tick);
  if (poll.missed > 0 && stood >= kStandstillSeconds) {
    journal_.event("", 0, "daemon", "standstill",
                   std::to_string(poll.missed) +
                       " polls were missed: rocktuned itself, or the machine, stood still for " +
                       text::duration(stood));
  }
  const std::uint64_t rows = std::min(poll.missed, kMostMissedRows);
  for (std::uint64_t i = 0; i < rows; ++i) {
    const Nanoseconds due = poll.first_missed + static_cast<std::int64_t>(i) * schedule_.interval();
    const Instant at{now.wall - (now.tick - due), due};
    for (const auto& [key, target] : targets_) {
      target->missed(at, "not polled: rocktuned itself was held up");
    }
  }
  for (const auto& [key, target] : targets_) target->skip(poll.missed - rows);
}

void Daemon::note_clock_step(const Instant& now) {
  const Instant& before = last_poll_.tick.count() != 0 ? last_poll_ : started_;
  const auto step = clock_step(before, now);
  if (step) journal_.event("", 0, "daemon", "clock_step", clock_step_text(*step));
}

void Daemon::look_for_freeze() {
  const Freeze* const last = std::exchange(looked_for_freeze_, true) ? &freeze_ : nullptr;
  const Freeze before =
      std::exchange(freeze_, read_freeze_file(config_.freeze_file, clock_(), last));
  // Or the empty file that somebody touches next would have ended already.
  if (freeze_.expired) {
    const Result<void> removed = remove_freeze_file(config_.freeze_file);
    if (!removed && !before.expired) journal_.log().warn(removed.error().message);
  }
  if (freeze_.problem != before.problem && !freeze_.problem.empty()) {
    journal_.log().warn(freeze_.problem);
  }
  for (const auto& [key, target] : targets_) target->set_frozen(frozen_reason());
  if (freeze_.frozen == before.frozen && freeze_.until == before.until) return;
  std::string message = config_.freeze_file + " is gone: changes are made again";
  if (freeze_.frozen) {
    message = "nothing is changed while " + config_.freeze_file + " is there" +
              (freeze_.until ? ", until " + text::rfc3339(*freeze_.until) : "");
  } else if (freeze_.expired) {
    message = "the time of " + config_.freeze_file + " is over: changes are made again";
  }
  journal_.event("", 0, "daemon", "freeze", message);
}

std::string Daemon::frozen_reason() const {
  return freeze_.frozen ? "frozen by the file " + config_.freeze_file : std::string();
}

std::optional<Nanoseconds> Daemon::frozen_until() const {
  return freeze_.ends(clock_());
}

Result<void> Daemon::freeze(std::optional<double> seconds) {
  std::optional<Nanoseconds> until;
  const Instant now = clock_();
  if (seconds) {
    until =
        now.wall + std::chrono::duration_cast<Nanoseconds>(std::chrono::duration<double>(*seconds));
  }
  look_for_freeze();
  // One that lasts longer stays: somebody else may have made it.
  const bool outlasts = until && freeze_.frozen && (!freeze_.until || *freeze_.ends(now) > *until);
  if (outlasts) return {};
  const std::string place = std::filesystem::path(config_.freeze_file).parent_path().string();
  Result<void> written = ensure_directory(place, "the freeze file", journal_.log());
  if (written) written = write_freeze_file(config_.freeze_file, until);
  if (!written) return written;
  look_for_freeze();
  publish();
  if (freeze_.frozen) return {};
  return fail(ErrorCode::kIo, config_.freeze_file + " was written and is not heeded: " +
                                  (freeze_.problem.empty() ? "its time is over" : freeze_.problem));
}

Result<void> Daemon::unfreeze() {
  Result<void> removed = remove_freeze_file(config_.freeze_file);
  if (!removed) return removed;
  look_for_freeze();
  publish();
  return {};
}

void Daemon::discover() {
  const Result<AgentList> found = list_agents(config_.agent_dir);
  const std::string error = found ? std::string() : found.error().message;
  if (error != discovery_error_) {
    if (!error.empty()) journal_.log().warn("cannot look for agents: " + error);
    discovery_error_ = error;
  }
  if (!found) return;
  for (const auto& [user, count] : found->too_many) {
    note_once("too many\n" + std::to_string(user),
              "uid " + std::to_string(user) + " has " + std::to_string(count) +
                  " agents or more in " + config_.agent_dir + ": only the first " +
                  std::to_string(kMostSocketsOfUser) +
                  ", by their pids, are looked at. For more run rocktuned as that user");
  }
  const AgentChanges changes = compare_agents(sockets_, found->sockets);
  for (const AgentSocket& socket : changes.vanished) {
    const auto peer = peers_.find(socket.path);
    if (peer != peers_.end()) {
      const std::filesystem::path path(socket.path);
      const bool here = std::filesystem::path(config_.agent_dir) / path.filename() == path;
      lose(*peer->second,
           here ? why_vanished(*peer->second)
                : "agent left: rocktuned looks for agents in " + config_.agent_dir + " now");
      peer->second->gone = true;
      peer->second->session.close();
      peers_.erase(peer);
    }
    sockets_.erase(socket.path);
  }
  for (const AgentSocket& socket : changes.appeared) {
    sockets_[socket.path] = socket;
    peers_[socket.path] = std::make_shared<Peer>(executor_, socket, allowance_of(socket.owner));
    journal_.log().debug("found the agent " + socket.path);
  }
}

void Daemon::lose(Peer& peer, const std::string& reason) {
  for (const auto& [id, target] : peer.targets) target->lost(reason);
  peer.targets.clear();
  peer.refusals = {};
  peer.hello.reset();
  peer.answers = false;
}

// Those that have been closed for longest.
void Daemon::forget_old_targets() {
  const auto sooner = [](const auto& a, const auto& b) {
    const Target &one = *a.second, &other = *b.second;
    const bool needed = one.live() || one.keeps_claim();
    const bool other_needed = other.live() || other.keeps_claim();
    if (needed != other_needed) return other_needed;
    return one.closed_at() < other.closed_at();
  };
  while (targets_.size() > kMostTargets) {
    const auto oldest = std::min_element(targets_.begin(), targets_.end(), sooner);
    if (oldest->second->live() || oldest->second->keeps_claim()) return;
    targets_.erase(oldest);
  }
}

Snapshot Daemon::snapshot() {
  if (snapshot_) return snapshot_;
  auto status = std::make_shared<Status>();
  status->version = kVersion;
  status->pid = ::getpid();
  status->mode = std::string(to_string(config_.mode));
  status->started_wall = started_.wall;
  status->poll_interval_seconds = std::chrono::duration<double>(schedule_.interval()).count();
  status->trace = journal_.trace().path();
  status->trace_reaches_back_to_wall = journal_.trace().reaches_back_to();
  status->trace_failing = journal_.trace().failing();
  status->alert_log = journal_.alert_file();
  status->alert_log_failing = journal_.failing();
  status->policy = config_.engine.policy;
  status->agent_dir = config_.agent_dir;
  status->freeze_file = config_.freeze_file;
  status->frozen = freeze_.frozen;
  status->frozen_until_wall = frozen_until();
  status->last_poll = last_poll_;
  status->agents = static_cast<std::size_t>(std::count_if(
      peers_.begin(), peers_.end(), [](const auto& entry) { return entry.second->answers; }));
  counters_.trace_failures = journal_.trace().failures();
  counters_.alert_log_failures = journal_.alert_failures();
  status->counters = counters_;
  for (const auto& [key, target] : targets_) status->targets.push_back(target->status());
  status->reload_refused = reload_refused_;
  status->unmatched = unmatched_entries(config_, targets_);
  snapshot_ = std::move(status);
  return snapshot_;
}

std::vector<std::string> Daemon::reconfigure(Config config) {
  std::vector<std::string> fixed;
  const auto keep = [&fixed](const char* key, auto& now, auto& wanted) {
    if (now == wanted) return;
    fixed.emplace_back(key);
    wanted = now;
  };
  keep("daemon.name", config_.name, config.name);
  keep("daemon.control_socket", config_.control_socket, config.control_socket);
  keep("http.listen", config_.http, config.http);
  keep("trace.directory", config_.trace_directory, config.trace_directory);
  keep("trace.events", config_.trace_events, config.trace_events);
  keep("model.state_directory", config_.model_state_directory, config.model_state_directory);
  keep("sources.proc_root", config_.proc_root, config.proc_root);
  keep("sources.sys_root", config_.sys_root, config.sys_root);
  const bool other_entries = !std::ranges::equal(config_.targets, config.targets, {},
                                                 &TargetRule::path, &TargetRule::path);
  config_ = std::move(config);
  reload_refused_.reset();
  ++counters_.reloads;
  schedule_.set_interval(config_.poll_interval);
  learnt_.set_interval(config_.model_save_interval);
  for (const auto& [key, target] : targets_) {
    const Result<void> done = target->reconfigure(++last_serial_, config_.rule_for(target->path()));
    if (!done) journal_.log().error(target->name() + ": " + done.error().message);
    if (other_entries && target->live()) unmatched_.look_at(key, clock_().tick);
  }
  publish();
  return fixed;
}

void Daemon::refuse(const std::vector<std::string>& problems) {
  ++counters_.reloads_failed;
  reload_refused_ = {clock_().wall, problems.front()};
  for (const std::string& problem : problems) journal_.log().error(problem);
  const std::string others =
      problems.size() == 1 ? "" : "; and " + std::to_string(problems.size() - 1) + " more";
  journal_.trouble(
      "", 0, "daemon", "reload_refused",
      "reload refused: " + problems.front() + others + "; the older configuration is in force");
  publish();
}

}  // namespace rocktune::daemon
