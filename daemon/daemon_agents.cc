// The main loop's part that talks with agents: one coroutine per agent and poll.
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "daemon/actuator.h"
#include "daemon/daemon.h"

namespace rocktune::daemon {

namespace asio = boost::asio;

namespace {

// A change writes a new OPTIONS file and may wait for the database's mutex.
constexpr Nanoseconds kCommandTime = std::chrono::seconds(2);
constexpr Nanoseconds kLongestWait = std::chrono::seconds(3);
constexpr std::size_t kMostConflicts = 1000;  // notes kept; bounded memory

// A database opened read-only or as a secondary beside the one that writes is another target.
std::string key_of(const wire::Database& database) {
  if (database.access.empty() || database.access == "read_write") return database.path;
  return database.path + " (" + database.access + ")";
}

}  // namespace

asio::awaitable<void> Daemon::poll_agent(PeerPointer peer, Instant at, Nanoseconds deadline) {
  std::vector<Step> steps;
  if (!co_await read_agent(peer, at, deadline, steps)) co_return;
  co_await carry_out(peer, std::move(steps));
}

asio::awaitable<bool> Daemon::read_agent(PeerPointer peer, Instant at, Nanoseconds deadline,
                                         std::vector<Step>& steps) {
  const Busy busy(peer, &Peer::reading);
  const Result<void> greeted = co_await greet(peer, deadline);
  if (peer->gone) co_return false;
  if (!greeted) {
    agent_failed(*peer, greeted.error(), at);
    publish();
    co_return false;
  }
  peer->answers = true;
  peer->noted.clear();
  steps = co_await sample_databases(peer, at, deadline);
  if (!peer->gone) publish();
  co_return !peer->gone;
}

// Leases and changes, while the next poll may already be under way.
asio::awaitable<void> Daemon::carry_out(PeerPointer peer, std::vector<Step> steps) {
  if (peer->commanding) {
    for (const Step& step : steps) refuse_all(step, "an earlier change is not answered yet");
    co_return;
  }
  const Busy busy(peer, &Peer::commanding);
  const HoldTerms terms{config_.name, std::chrono::duration<double>(config_.lease_duration).count(),
                        config_.on_daemon_loss};
  for (Step& step : steps) {
    if (peer->gone || !step.target->acts()) continue;
    const Nanoseconds until = clock_().tick + kCommandTime;
    co_await hold_and_apply(peer, step.target, std::move(step.decisions), run_, terms, until);
  }
  if (!peer->gone) publish();
}

void Daemon::refuse_all(const Step& step, const std::string& reason) {
  for (const Decision& decision : step.decisions) {
    const std::int64_t value = decision.proposal.from;
    step.target->report({decision.id, "failed", reason, value, value});
  }
}

// Hello once, then the list of databases at each poll.
asio::awaitable<Result<void>> Daemon::greet(PeerPointer peer, Nanoseconds deadline) {
  if (!peer->hello) {
    Result<wire::Hello> hello = co_await peer->session.hello(deadline);
    if (!hello) co_return tl::unexpected<Error>(hello.error());
    peer->hello = *std::move(hello);
  }
  const Result<std::vector<wire::Database>> databases = co_await peer->session.databases(deadline);
  if (!databases) co_return tl::unexpected<Error>(databases.error());
  if (!peer->gone) sync_databases(*peer, *databases);
  co_return Result<void>();
}

asio::awaitable<std::vector<Daemon::Step>> Daemon::sample_databases(PeerPointer peer, Instant at,
                                                                    Nanoseconds deadline) {
  std::vector<Step> steps;
  const std::map<std::string, std::shared_ptr<Target>> targets = peer->targets;
  for (const auto& [id, target] : targets) {
    const std::string holder = target->acts() ? config_.name : std::string();
    const Result<wire::Sample> sample = co_await peer->session.sample(id, holder, deadline);
    if (peer->gone) break;
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
    steps.push_back({target, target->poll(at, sample)});
  }
  co_return steps;
}

void Daemon::agent_failed(Peer& peer, const Error& error, const Instant& at) {
  peer.answers = false;
  if (error.code == ErrorCode::kIo) {
    lose(peer, "agent lost: " + error.message);
  } else {
    for (const auto& [id, target] : peer.targets) {
      static_cast<void>(target->poll(at, tl::unexpected<Error>(error)));
    }
  }
  if (peer.noted == error.message) return;
  peer.noted = error.message;
  const bool named = error.message.find(peer.socket.path) != std::string::npos;
  journal_.log().warn("agent " + (named ? "" : peer.socket.path + ": ") + error.message);
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
  for (const wire::Database& database : databases) {
    if (peer.targets.count(database.id) > 0) continue;
    const std::shared_ptr<Target> target = target_for(key_of(database));
    if (!target) continue;
    Opening opening{*peer.hello, database};
    if (taken_elsewhere(*target, opening)) continue;
    if (target->live()) target->closed("opened anew elsewhere");
    target->opened(std::move(opening));
    peer.targets[database.id] = target;
  }
}

std::shared_ptr<Target> Daemon::target_for(const std::string& key) {
  const auto known = targets_.find(key);
  if (known != targets_.end()) return known->second;
  Result<std::unique_ptr<Target>> made =
      Target::create(++last_serial_, key, config_.rule_for(key),
                     Roots{config_.proc_root, config_.sys_root}, journal_, counters_);
  if (!made) {
    journal_.log().error(key + ": " + made.error().message);
    return nullptr;
  }
  return targets_[key] = std::move(*made);
}

// Two agents that both answer for one path: the first keeps it.
bool Daemon::taken_elsewhere(const Target& target, const Opening& opening) {
  if (!target.live() || target.failing()) return false;
  const std::string key = target.path() + "\n" + opening.incarnation();
  if (conflicts_noted_.size() < kMostConflicts && conflicts_noted_.insert(key).second) {
    journal_.log().warn(target.name() + ": also open in pid " + std::to_string(opening.agent.pid) +
                        ", which is not sampled");
  }
  return true;
}

asio::awaitable<bool> Daemon::wait_until_idle(PeerPointer peer) {
  const Nanoseconds until = clock_().tick + kLongestWait;
  asio::steady_timer timer(executor_);
  while (peer->commanding && !peer->gone && !stopped_ && clock_().tick < until) {
    timer.expires_after(std::chrono::milliseconds(5));
    co_await timer.async_wait(asio::use_awaitable);
  }
  co_return !peer->commanding && !peer->gone && !stopped_;
}

Daemon::KnobResults Daemon::release(std::string target, std::string knob,
                                    std::string column_family) {
  const wire::ReleaseRequest request{knob, column_family};
  std::string what = "released " + (knob.empty() ? std::string("every knob") : knob);
  Command send = [this, request](Session& session, std::string database) {
    return session.release(std::move(database), request, clock_().tick + kCommandTime);
  };
  return command(std::move(target), std::move(what), std::move(send));
}

Daemon::KnobResults Daemon::rollback(std::string target) {
  Command send = [this](Session& session, std::string database) {
    return session.restore(std::move(database), true, clock_().tick + kCommandTime);
  };
  return command(std::move(target), "rolled back", std::move(send));
}

Daemon::KnobResults Daemon::command(std::string target, std::string what, Command send) {
  std::vector<KnobResult> results;
  bool any = false;
  const std::map<std::string, PeerPointer> peers = peers_;
  for (const auto& [path, peer] : peers) {
    const std::map<std::string, std::shared_ptr<Target>> targets = peer->targets;
    for (const auto& [id, open] : targets) {
      if (!target.empty() && target != open->name() && target != open->path()) continue;
      any = true;
      Result<wire::ChangeResults> answer = wire::ChangeResults{};
      const bool idle = co_await wait_until_idle(peer);
      if (idle) {
        const Busy busy(peer, &Peer::commanding);
        answer = co_await send(peer->session, id);
      } else {
        answer = fail(ErrorCode::kUnavailable, "the agent is busy or gone: try again");
      }
      if (!answer) {
        results.push_back({open->name(), {"", "failed", answer.error().message, 0, 0}});
        continue;
      }
      for (wire::ChangeResult& result : answer->results) {
        results.push_back({open->name(), std::move(result)});
      }
      journal_.event(open->name(), open->trace_id(), "manual", "operator",
                     what + " at the operator's request");
    }
  }
  if (!any) {
    co_return tl::unexpected<Error>(
        Error{ErrorCode::kNotFound, target.empty() ? "no database is open: nothing to do"
                                                   : "no open database is called " + target});
  }
  co_return results;
}

}  // namespace rocktune::daemon
