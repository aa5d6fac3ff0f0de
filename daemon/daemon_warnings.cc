// What agents do wrong: what becomes of it, and how much of it is said.
#include "daemon/daemon.h"

namespace rocktune::daemon {
namespace {

constexpr std::size_t kMostNotes = 1000;  // kept, one or two of a user; bounded memory
// Of what one user's agents are warned of: so many in that time, as it may have agents.
constexpr Nanoseconds kWarningsEvery = std::chrono::seconds(60);
constexpr std::size_t kMostWarnings = kMostSocketsOfUser;

}  // namespace

void Daemon::agent_failed(Peer& peer, const Error& error, const Instant& at) {
  peer.answers = false;
  const bool no_valid_one = error.code == ErrorCode::kProtocol;
  if (no_valid_one) peer.pause.begin(clock_().tick);
  if (error.code == ErrorCode::kIo) {
    lose(peer, "agent lost: " + error.message);
  } else {
    for (const auto& [id, target] : peer.targets) {
      static_cast<void>(target->poll(at, tl::unexpected<Error>(error)));
    }
  }
  const std::optional<std::uint64_t> more = peer.complaints.pass(error, clock_().tick);
  if (!more) return;
  const bool named = error.message.find(peer.socket.path) != std::string::npos;
  const std::string message = "agent " + (named ? "" : peer.socket.path + ": ") + error.message +
                              (no_valid_one ? Pause::kClause : "");
  if (warn_of(peer.socket.owner, message, *more)) {
    peer.complaints.told(error);
  } else {
    peer.complaints.not_told(error, *more);
  }
}

// What a user's agents give reason for: nobody fills the log with it.
bool Daemon::warn_of(uid_t user, const std::string& message, std::uint64_t more) {
  const auto [limit, anew] = warnings_.try_emplace(user, kWarningsEvery, kMostWarnings);
  const std::optional<std::uint64_t> held_back = limit->second.pass(clock_().tick);
  if (!held_back) return false;
  more += *held_back;
  const std::string others =
      more == 0 ? "" : " (held back: " + std::to_string(more) + " such messages)";
  journal_.log().warn(shortened(message) + others);
  return true;
}

void Daemon::note_once(const std::string& key, const std::string& message) {
  if (noted_.size() >= kMostNotes) noted_.clear();  // whatever is so still is said once more
  if (!noted_.insert(key).second) return;
  journal_.log().warn(message);
}

// Of a database whose answer was no valid one; the agent's others are read all the same.
void Daemon::pause_after(Peer& peer, const std::string& database, Result<wire::Sample>& sample) {
  if (sample) peer.pauses.erase(database);
  if (sample || sample.error().code != ErrorCode::kProtocol) return;
  peer.pauses[database].begin(clock_().tick);
  sample.error().message += Pause::kClause;
}

// Whose agents' answers are bounded: null where the user is trusted.
std::shared_ptr<Allowance> Daemon::allowance_of(uid_t user) {
  if (is_trusted(user)) return nullptr;
  std::shared_ptr<Allowance>& known = allowances_[user];
  if (!known) known = std::make_shared<Allowance>(user);
  return known;
}

void Daemon::renew_allowances() {
  std::erase_if(allowances_, [](const auto& one) { return one.second.use_count() == 1; });
  for (const auto& [user, allowance] : allowances_) allowance->next_poll();
}

}  // namespace rocktune::daemon
