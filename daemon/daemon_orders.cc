// What operators order: releases and rollbacks.
#include <algorithm>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "daemon/daemon.h"
#include "daemon/listed.h"
#include "model/knobs.h"

namespace rocktune::daemon {

namespace asio = boost::asio;

namespace {

constexpr Nanoseconds kOrderTime = std::chrono::seconds(2);  // as for changes: daemon_agents.cc
constexpr Nanoseconds kLongestWait = std::chrono::seconds(3);
// An order for everything has no more to do there than where every knob is as it was found.
constexpr const char* kReadOnly =
    "the agent is read-only: nothing of it was ever changed, nor can be";

bool is_called(const Target& target, const std::string& name) {
  return name.empty() || name == target.name() || name == target.path();
}

bool is_read_only(const Target& target) {
  return target.live() && target.opening()->agent.mode == "ro";
}

// An empty name stands for every knob, an empty column family for any.
bool has_knob(const KnobReadings& knobs, const std::string& name,
              const std::string& column_family) {
  return name.empty() || std::any_of(knobs.begin(), knobs.end(), [&](const KnobReading& knob) {
           return knob.name == name &&
                  (column_family.empty() || knob.column_family == column_family);
         });
}

// Of a rollback of everything: somebody else set it.
bool is_left(const wire::ChangeResult& one) {
  return one.status == "manual";
}

bool is_done(const wire::ChangeResult& one) {
  return one.status == "applied" || one.status == "unchanged" || is_left(one);
}

bool all_done(const std::vector<wire::ChangeResult>& results) {
  return !results.empty() && std::all_of(results.begin(), results.end(), is_done);
}

std::string called(const wire::ChangeResult& one) {
  return one.id + (one.column_family.empty() ? "" : " of column family " + one.column_family);
}

// "rolled max_background_jobs back at the operator's request: max_background_jobs of column family
// a 8 -> 2, but not: max_background_jobs of column family b: ...".
std::string what_was_done(const std::string& what, const std::vector<wire::ChangeResult>& results) {
  std::vector<std::string> moved, left, failed;
  for (const wire::ChangeResult& one : results) {
    if (!is_done(one)) {
      failed.push_back(called(one) + ": " + (one.reason.empty() ? one.status : one.reason));
    } else if (is_left(one)) {
      left.push_back(called(one));
    } else if (one.before != one.after) {
      moved.push_back(called(one) + " " + shown(one.id, one.before) + " -> " +
                      shown(one.id, one.after));
    }
  }
  return what + " at the operator's request" + (moved.empty() ? "" : ": " + listed(moved)) +
         (left.empty() ? "" : ", and left as somebody else set it: " + listed(left)) +
         (failed.empty() ? "" : ", but not: " + listed(failed, "; "));
}

}  // namespace

asio::awaitable<bool> Daemon::wait_until_idle(PeerPointer peer) {
  const Nanoseconds until = clock_().tick + kLongestWait;
  asio::steady_timer timer(executor_);
  while (peer->commanding && !peer->gone && !stopped_ && clock_().tick < until) {
    timer.expires_after(std::chrono::milliseconds(5));
    co_await timer.async_wait(asio::use_awaitable);
  }
  co_return !peer->commanding && !peer->gone && !stopped_;
}

// A misspelt knob is an error that says which ones there are; a database without the knob is
// passed over where another one has it.
Result<void> Daemon::find_knob(const std::string& target, const std::string& knob,
                               const std::string& column_family) const {
  if (knob.empty()) return {};
  std::set<std::string> names;
  bool any = false;
  for (const auto& [key, open] : targets_) {
    if (!open->live() || !is_called(*open, target)) continue;
    if (has_knob(open->knobs(), knob, column_family)) return {};
    any = true;
    for (const KnobReading& reading : open->knobs()) {
      const bool one = reading.column_family.empty();
      names.insert(one ? reading.name : reading.name + " of " + reading.column_family);
    }
  }
  if (!any) return {};  // command() says so
  std::string list;
  for (const std::string& name : names) list += (list.empty() ? "" : ", ") + name;
  return fail(ErrorCode::kNotFound,
              "there is no knob '" + knob + "'" +
                  (column_family.empty() ? "" : " of the column family '" + column_family + "'") +
                  (list.empty() ? "; none has been read yet" : "; the knobs are " + list));
}

Daemon::KnobResults Daemon::release(std::string target, std::string knob,
                                    std::string column_family) {
  const wire::ReleaseRequest request{knob, column_family};
  const Result<void> known = find_knob(target, knob, column_family);
  if (!known) co_return tl::unexpected<Error>(known.error());
  Told told{"released " + (knob.empty() ? std::string("every knob") : knob), "",
            target.empty() && knob.empty()};
  Command send = [this, request](Session& session, std::string database, const Target&) {
    return session.release(std::move(database), request, clock_().tick + kOrderTime);
  };
  const Applies has_it = [knob, column_family](const Target& open) {
    return has_knob(open.knobs(), knob, column_family);
  };
  co_return co_await command(std::move(target), std::move(told), std::move(send), has_it);
}

Daemon::KnobResults Daemon::rollback(std::string target) {
  Command send = [this](Session& session, std::string database, const Target&) {
    return session.restore(std::move(database), true, clock_().tick + kOrderTime);
  };
  Told told{"rolled back", "", target.empty()};
  return command(std::move(target), std::move(told), std::move(send),
                 [](const Target&) { return true; });
}

// Of another opening, or set otherwise since: then what the decision changed is gone, and the value
// before it may be worse than what stands there.
Result<void> Daemon::may_roll_back(const std::string& target, const KnobReturn& wanted) const {
  if (auto known = find_knob(target, wanted.knob, wanted.column_family); !known) return known;
  if (!wanted.left_at || !wanted.value) return {};
  const std::int64_t to = *wanted.value;
  for (const auto& [key, open] : targets_) {
    if (!open->live() || !is_called(*open, target)) continue;
    for (const KnobReading& reading : open->knobs()) {
      if (!wanted.means(reading)) continue;
      const auto [least, most] = std::minmax(reading.value, reading.found);
      const auto& left = *wanted.left_at;
      const bool left_there = std::find(left.begin(), left.end(), reading.value) != left.end();
      if ((least <= to && to <= most) || left_there) continue;
      return fail(ErrorCode::kInvalidArgument,
                  wanted.knob + " stands at " + shown(wanted.knob, reading.value) +
                      ", where neither decision " + wanted.decision +
                      " nor a later one in that log left it: it was rolled back, the database was "
                      "opened anew, or somebody else set it since. " +
                      shown(wanted.knob, to) + " would lead away from the " +
                      shown(wanted.knob, reading.found) + " found; `rocktune rollback " +
                      wanted.knob + "` returns it to that");
    }
  }
  return {};
}

Daemon::KnobResults Daemon::rollback_knob(std::string target, KnobReturn wanted) {
  const Result<void> may = may_roll_back(target, wanted);
  if (!may) co_return tl::unexpected<Error>(may.error());
  Command send = [this, wanted](Session& session, std::string database, const Target& open) {
    std::vector<wire::Change> changes;
    for (const KnobReading& reading : open.knobs()) {
      if (!wanted.means(reading)) continue;
      const std::string id = run_ + "-rollback-" + std::to_string(++last_rollback_);
      changes.push_back({id, wanted.knob, reading.column_family,
                         wanted.value.value_or(reading.found), std::nullopt});
    }
    return change_and_hold(session, std::move(database), std::move(changes));
  };
  const Applies has_it = [wanted](const Target& open) {
    return std::any_of(open.knobs().begin(), open.knobs().end(),
                       [&](const KnobReading& reading) { return wanted.means(reading); });
  };
  Told told{"rolled " + wanted.knob + " back", wanted.decision, false};
  if (!wanted.decision.empty()) told.what += " to what it was before decision " + wanted.decision;
  co_return co_await command(std::move(target), std::move(told), std::move(send), has_it);
}

// Under our lease, as every change; then it is the operator's, whatever becomes of the lease.
Session::Answer<wire::ChangeResults> Daemon::change_and_hold(Session& session, std::string database,
                                                             std::vector<wire::Change> changes) {
  const Nanoseconds until = clock_().tick + kOrderTime;
  const wire::Lease wanted{config_.name,
                           std::chrono::duration<double>(config_.lease_duration).count(),
                           config_.on_daemon_loss, std::nullopt};
  const Result<wire::Lease> lease = co_await session.lease(database, wanted, until);
  if (!lease) co_return tl::unexpected<Error>(lease.error());
  // Named: g++ 12 destroys temporaries of a co_await twice.
  const std::vector<wire::ChangesRequest> requests = held_requests(config_.name, changes);
  wire::ChangeResults all;
  for (const wire::ChangesRequest& request : requests) {
    Result<wire::ChangeResults> done = co_await session.changes(database, request, until);
    if (!done && all.results.empty()) co_return done;
    if (!done) {  // what was done before is told all the same
      for (const wire::Change& change : request.changes) {
        all.results.push_back(
            {change.knob, "failed", done.error().message, 0, 0, change.column_family});
      }
      continue;  // at once, where the time is over
    }
    for (wire::ChangeResult& result : done->results) {
      const auto change = std::find_if(changes.begin(), changes.end(),
                                       [&](const auto& one) { return one.id == result.id; });
      if (change != changes.end()) {
        result.id = change->knob;
        result.column_family = change->column_family;
      }
      all.results.push_back(std::move(result));
    }
  }
  co_return all;
}

Daemon::KnobResults Daemon::command(std::string target, Told told, Command send, Applies applies) {
  std::vector<KnobResult> results;
  bool any = false;
  const std::map<std::string, PeerPointer> peers = peers_;
  for (const auto& [path, peer] : peers) {
    const std::map<std::string, std::shared_ptr<Target>> targets = peer->targets;
    bool hangs = false;  // one that did not answer is not waited for again, for each database
    for (const auto& [id, open] : targets) {
      if (!is_called(*open, target)) continue;
      any = true;
      if (!applies(*open)) continue;
      if (told.everything && is_read_only(*open)) {
        results.push_back({open->name(), {"", "unchanged", kReadOnly, 0, 0, ""}});
        continue;
      }
      const Nanoseconds begun = clock_().tick;
      Result<wire::ChangeResults> answer =
          fail(ErrorCode::kUnavailable, "the agent is busy or gone: try again");
      if (!hangs && co_await wait_until_idle(peer)) {
        const Busy busy(peer, &Peer::commanding);
        answer = co_await send(peer->session, id, *open);
        if (answer) co_await show_knobs(peer, id, open);
      }
      hangs = hangs || clock_().tick - begun >= kOrderTime;
      if (!answer) {
        results.push_back({open->name(), {"", "failed", answer.error().message, 0, 0, ""}});
        continue;
      }
      journal_.order(open->name(), open->trace_id(), what_was_done(told.what, answer->results),
                     all_done(answer->results) ? told.decision : "");
      for (wire::ChangeResult& result : answer->results) {
        results.push_back({open->name(), std::move(result)});
      }
    }
  }
  if (!any) {
    co_return tl::unexpected<Error>(
        Error{ErrorCode::kNotFound, target.empty() ? "no database is open: nothing to do"
                                                   : "no open database is called " + target});
  }
  publish();
  co_return results;
}

// Whoever asks for the status right after an order sees what came of it, before the next poll.
asio::awaitable<void> Daemon::show_knobs(PeerPointer peer, std::string database,
                                         std::shared_ptr<Target> target) {
  const Result<wire::Knobs> knobs =
      co_await peer->session.knobs_now(std::move(database), clock_().tick + kOrderTime);
  if (knobs && !peer->gone) target->show_knobs(*knobs);
}

}  // namespace rocktune::daemon
