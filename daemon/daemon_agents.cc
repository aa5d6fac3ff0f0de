// The main loop's part that talks with agents: one coroutine per agent and poll.
#include <algorithm>
#include <boost/asio/co_spawn.hpp>

#include "daemon/actuator.h"
#include "daemon/agents/translate.h"
#include "daemon/daemon.h"

namespace rocktune::daemon {

namespace asio = boost::asio;

namespace {

// A change writes a new OPTIONS file and may wait for the database's mutex.
constexpr Nanoseconds kCommandTime = std::chrono::seconds(2);
constexpr Nanoseconds kEventsTime = std::chrono::seconds(1);
constexpr Nanoseconds kSlowTime = std::chrono::seconds(10);
// Of one user that are sampled, so that nobody crowds out the others. Root and this process's own
// user are not limited.
constexpr std::size_t kMostDatabasesOfUser = 256;
// Each writes lines of the alert log and rows of the trace, and so does its end.
constexpr std::uint64_t kMostOpeningsOfUser = 4 * kMostDatabasesOfUser;
constexpr std::chrono::minutes kOpeningsEvery{10};
constexpr const char* kNoTimeLeft =
    "no time was left for it: the databases of its process take longer than half of "
    "daemon.poll_interval";

// A database opened read-only or as a secondary beside the one that writes is another target.
std::string key_of(const wire::Database& database) {
  if (is_writable(database)) return database.path;
  return database.path + " (" + database.access + ")";
}

// Whether the agent answers for the target as its database `id`. While one agent is waited for the
// target may be closed, and opened by the process of another.
bool answers_for(const Peer& peer, const std::string& id, const std::shared_ptr<Target>& target) {
  const auto known = peer.targets.find(id);
  return !peer.gone && target->live() && known != peer.targets.end() && known->second == target;
}

// Nobody poses as another user's database: see check_database().
Result<void> may_speak_for(const Opening& opening) {
  const wire::Database& database = opening.database;
  // Nor for what the configuration calls another one, or for one that is opened to be read.
  const bool strange = !database.path.starts_with('/') || database.path.ends_with(" (read_only)") ||
                       database.path.ends_with(" (secondary)");
  if (strange) return fail(ErrorCode::kPermission, "an agent tells the whole path of a database");
  if (!is_writable(database)) return {};  // another target than the one that writes
  return check_database(opening.user, database.path);
}

// Two agents that both answer for one path: the first keeps it, unless it has no right to it (it
// came before there was a database).
bool taken_elsewhere(const Target& target) {
  return target.live() && !target.failing() && may_speak_for(*target.opening());
}

// The incarnation that is sampled; empty: none is.
std::string holder_of(const Target& target) {
  return target.live() && !target.failing() ? target.opening()->incarnation() : std::string();
}

// The peer's databases from the one on for which the last poll had no time left: where they take
// longer than a poll may, each has its turn.
std::vector<std::pair<std::string, std::shared_ptr<Target>>> in_turn(const Peer& peer,
                                                                     Nanoseconds now) {
  const auto first = peer.targets.lower_bound(peer.next_first);
  std::vector<std::pair<std::string, std::shared_ptr<Target>>> all(first, peer.targets.end());
  all.insert(all.end(), peer.targets.begin(), first);
  if (now < peer.slow_until) {
    std::ranges::stable_partition(all, [&](const auto& one) { return one.first != peer.slow; });
  }
  return all;
}

}  // namespace

asio::awaitable<void> Daemon::poll_agent(PeerPointer peer, Instant at, Nanoseconds deadline) {
  std::vector<Errand> errands;
  if (!co_await read_agent(peer, at, deadline, errands)) {
    for (const Errand& one : errands) refuse_all(one, "the agent is gone");
    co_return;
  }
  if (!peer->listening) asio::co_spawn(executor_, read_events(peer), end_of_task());
  co_await carry_out(peer, std::move(errands));
}

asio::awaitable<bool> Daemon::read_agent(PeerPointer peer, Instant at, Nanoseconds deadline,
                                         std::vector<Errand>& errands) {
  const Busy busy(peer, &Peer::reading);
  const Result<void> greeted = co_await greet(peer, deadline);
  if (peer->gone) co_return false;
  if (!greeted) {
    agent_failed(*peer, greeted.error(), at);
    publish();
    co_return false;
  }
  peer->answers = true;
  peer->complaints.answers();
  peer->pause.end();
  errands = co_await sample_databases(peer, at, deadline);
  if (!peer->gone) publish();
  co_return !peer->gone;
}

// Beside everything else, on a connection of its own: neither samples nor changes wait for it.
asio::awaitable<void> Daemon::read_events(PeerPointer peer) {
  const Busy busy(peer, &Peer::listening);
  const std::map<std::string, std::shared_ptr<Target>> targets = peer->targets;
  for (const auto& [id, target] : targets) {
    const std::optional<std::uint64_t> after = target->events_wanted();
    if (!after || !answers_for(*peer, id, target)) continue;
    const Result<wire::Events> events =
        co_await peer->session.events(id, *after, clock_().tick + kEventsTime);
    if (stopped_ || !answers_for(*peer, id, target)) continue;
    if (events) target->take_events(*events);
    target->note("events", events ? std::string() : events.error().message);
  }
  for (const auto& [id, target] : targets) {
    if (peer->gone || stopped_) co_return;
    if (!target->knobs_wanted() || !answers_for(*peer, id, target)) continue;
    const Result<wire::Knobs> knobs = co_await peer->session.knobs(id, clock_().tick + kEventsTime);
    if (answers_for(*peer, id, target)) target->take_family_knobs(knobs);
  }
  if (!peer->gone && !stopped_) co_await read_options(peer);
}

// Of one database in a poll: events are not to wait for those of many.
asio::awaitable<void> Daemon::read_options(PeerPointer peer) {
  const auto wanting = std::ranges::find_if(peer->targets, [&](const auto& one) {
    return one.second->options_wanted() && answers_for(*peer, one.first, one.second);
  });
  if (wanting == peer->targets.end()) co_return;
  const auto [id, target] = *wanting;
  const Result<wire::Options> options =
      co_await peer->session.options(id, clock_().tick + kEventsTime);
  if (!stopped_ && answers_for(*peer, id, target)) target->take_options(options);
}

// Leases and changes, while the next poll may already be under way.
asio::awaitable<void> Daemon::carry_out(PeerPointer peer, std::vector<Errand> errands) {
  if (peer->commanding) {
    for (const Errand& one : errands) refuse_all(one, "an earlier change is not answered yet");
    co_return;
  }
  const Busy busy(peer, &Peer::commanding);
  const HoldTerms terms{config_.name, std::chrono::duration<double>(config_.lease_duration).count(),
                        config_.on_daemon_loss};
  for (Errand& errand : errands) {
    if (peer->gone || !errand.target->acts()) {
      refuse_all(errand, "the database was closed, or is no longer to be tuned");
      continue;
    }
    const Overruled why_not = [this, target = errand.target, configured = errand.configured] {
      return overruled(*target, configured);
    };
    const std::string why = errand.decisions.empty() ? std::string() : why_not();
    if (!why.empty()) {
      refuse_all(errand, why);
      errand.decisions.clear();  // the lease is renewed all the same
    }
    const Nanoseconds until = clock_().tick + kCommandTime;
    co_await hold_and_apply(peer, std::move(errand), run_, terms, why_not, until);
  }
  if (!peer->gone) publish();
}

// What the operator has said since something was decided: it is not made after that.
std::string Daemon::overruled(const Target& target, std::uint64_t configured) {
  look_for_freeze();
  if (freeze_.frozen) return frozen_reason();
  return target.configured() == configured ? "" : "the configuration has changed since";
}

// Hello once, then the list of databases at each poll.
asio::awaitable<Result<void>> Daemon::greet(PeerPointer peer, Nanoseconds deadline) {
  if (!peer->hello) {
    Result<wire::Hello> hello = co_await peer->session.hello(deadline);
    if (!hello) co_return tl::unexpected<Error>(hello.error());
    const Result<void> is_itself =
        check_pid(peer->session.peer().value_or(PeerProcess{}), hello->pid, peer->socket.pid);
    if (!is_itself) {
      peer->session.close();
      co_return tl::unexpected<Error>(is_itself.error().within(peer->socket.path));
    }
    peer->hello = *std::move(hello);
  }
  const Result<std::vector<wire::Database>> databases = co_await peer->session.databases(deadline);
  if (!databases) co_return tl::unexpected<Error>(databases.error());
  if (!peer->gone) sync_databases(*peer, *databases);
  co_return Result<void>();
}

asio::awaitable<std::vector<Errand>> Daemon::sample_databases(PeerPointer peer, Instant at,
                                                              Nanoseconds deadline) {
  std::vector<Errand> errands;
  const auto targets = in_turn(*peer, at.tick);
  peer->next_first.clear();
  for (const auto& [id, target] : targets) {
    if (!answers_for(*peer, id, target)) continue;
    if (const auto pause = peer->pauses.find(id);
        pause != peer->pauses.end() && pause->second.lasts(at.tick)) {
      target->missed(at, Pause::kWhy);
      continue;
    }
    const std::string holder = target->acts() ? config_.name : std::string();
    Result<wire::Sample> sample = fail(ErrorCode::kUnavailable, kNoTimeLeft);
    if (clock_().tick < deadline) {
      sample = co_await peer->session.sample(id, holder, deadline);
    }
    if (peer->gone) break;
    if (!answers_for(*peer, id, target)) continue;  // it is the other's to say what became of it
    if (!sample && sample.error().code == ErrorCode::kNotFound) {
      // Closed since it was listed: no sample was due.
      target->closed("the database is closed");
      peer->targets.erase(id);
      continue;
    }
    if (!sample && sample.error().code == ErrorCode::kIo) {
      agent_failed(*peer, sample.error(), at);
      break;
    }
    pause_after(*peer, id, sample);
    const bool too_much = !sample && peer->allowance && peer->allowance->spent();
    if (too_much && peer->next_first.empty()) peer->next_first = id;
    const bool too_late = !too_much && !sample && clock_().tick >= deadline;
    if (too_late && id == targets.front().first) {  // it had all the time that there is
      peer->slow = id;
      peer->slow_until = at.tick + kSlowTime;
    } else if (too_late && (id != peer->slow || at.tick >= peer->slow_until)) {
      sample = fail(ErrorCode::kUnavailable, kNoTimeLeft);
      if (peer->next_first.empty()) peer->next_first = id;
    }
    const std::string incarnation = target->opening()->incarnation();
    add_requests({target, target->poll(at, sample), target->configured(), incarnation}, errands);
  }
  co_return errands;
}

void Daemon::sync_databases(Peer& peer, const std::vector<wire::Database>& databases) {
  std::map<std::string, std::shared_ptr<Target>> now;
  for (const wire::Database& database : databases) {
    const auto known = peer.targets.find(database.id);
    if (known != peer.targets.end()) {
      now.insert(*known);
      peer.targets.erase(known);
    }
  }
  for (const auto& [id, target] : peer.targets) target->closed("the database is closed");
  peer.targets = std::move(now);
  std::erase_if(peer.pauses, [&](const auto& one) { return !peer.targets.contains(one.first); });
  peer.refusals.keep(databases);
  for (const wire::Database& database : databases) {
    if (peer.targets.count(database.id) > 0) continue;
    const auto known = targets_.find(key_of(database));
    const std::string holder = known == targets_.end() ? "" : holder_of(*known->second);
    if (peer.refusals.stands(database.id, holder, clock_().tick)) continue;
    if (peer.refusals.full(database.id)) continue;
    Opening opening = opening_of(peer, database);
    if (crowded(opening) || too_often(opening)) break;
    const std::shared_ptr<Target> target = claim(peer, opening);
    if (!target) continue;
    if (target->live()) take_from_others(target);
    target->opened(std::move(opening));
    unmatched_.look_at(key_of(database), clock_().tick);
    peer.targets[database.id] = target;
  }
}

// The target that a database is, where its agent may speak for it and no other does.
std::shared_ptr<Target> Daemon::claim(Peer& peer, const Opening& opening) {
  const std::string& id = opening.database.id;
  const auto refuse = [&](const std::string& holder, const std::string& why) {
    const bool said = peer.refusals.add(id, shortened(why), holder, clock_().tick);
    if (!said && warn_of(opening.user, why)) peer.refusals.said(id);
    return nullptr;
  };
  const std::string pid = std::to_string(opening.agent.pid);
  const Result<void> allowed = may_speak_for(opening);
  if (!allowed) {
    return refuse("", opening.database.path + ": not sampled from pid " + pid + ": " +
                          allowed.error().message);
  }
  std::shared_ptr<Target> target = target_for(key_of(opening.database));
  if (target && taken_elsewhere(*target)) {
    return refuse(holder_of(*target), target->name() + ": also open in pid " + pid +
                                          " (or another database at the same path, in a "
                                          "container): not sampled from there");
  }
  peer.refusals.remove(id);
  return target;
}

Opening Daemon::opening_of(const Peer& peer, const wire::Database& database) const {
  const PeerProcess process = peer.session.peer().value_or(PeerProcess{});
  std::int64_t pid = process.pid;
  // A process that cannot be seen from here may be in another machine-wide /proc, if one is given.
  if (pid == 0 && config_.proc_root != "/proc") {
    pid = find_in(config_.proc_root, peer.hello->pid, peer.hello->command, process.user);
  }
  return {*peer.hello, database, process.user, pid};
}

bool Daemon::crowded(const Opening& opening) {
  if (is_trusted(opening.user)) return false;
  const auto open = std::count_if(targets_.begin(), targets_.end(), [&](const auto& entry) {
    return entry.second->live() && entry.second->opening()->user == opening.user;
  });
  if (static_cast<std::size_t>(open) < kMostDatabasesOfUser) return false;
  note_once("crowded\n" + std::to_string(opening.user),
            "uid " + std::to_string(opening.user) + " has " + std::to_string(open) +
                " databases open: more of them are not sampled");
  return true;
}

bool Daemon::too_often(const Opening& opening) {
  if (is_trusted(opening.user)) return false;
  const auto [openings, anew] =
      openings_.try_emplace(opening.user, kOpeningsEvery, kMostOpeningsOfUser);
  if (openings->second.pass(clock_().tick)) return false;
  note_once("too often\n" + std::to_string(opening.user),
            "uid " + std::to_string(opening.user) + " opens databases again and again: of " +
                std::to_string(kMostOpeningsOfUser) +
                " in 10 minutes on the others are not sampled");
  return true;
}

void Daemon::take_from_others(const std::shared_ptr<Target>& target) {
  target->closed("opened anew elsewhere");
  for (const auto& [path, peer] : peers_) {
    std::erase_if(peer->targets, [&](const auto& entry) { return entry.second == target; });
  }
}

std::shared_ptr<Target> Daemon::target_for(const std::string& key) {
  const auto known = targets_.find(key);
  if (known != targets_.end()) return known->second;
  Result<std::unique_ptr<Target>> made =
      Target::create(++last_serial_, key, config_.rule_for(key),
                     Roots{config_.proc_root, config_.sys_root, libnvme_reader(),
                           NvmeHealth::run_on_thread, host_reads_},
                     journal_, counters_, learnt_);
  if (!made) {
    journal_.log().error(key + ": " + made.error().message);
    return nullptr;
  }
  (*made)->set_frozen(frozen_reason());
  (*made)->set_holder(config_.name);
  return targets_[key] = std::move(*made);
}

}  // namespace rocktune::daemon
