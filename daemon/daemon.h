// Daemon: the main loop. At each due time it looks for agents, samples every database of each
// agent concurrently, steps the targets' engines and carries out what they decide.
//
// Everything runs on one executor with one thread: targets, engines, trace and alert log have one
// owner. Agents are asked concurrently and each within its own deadline, so that a slow one costs
// its own samples and delays nobody. Others, on the same executor, read snapshot().
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "daemon/actuator.h"
#include "daemon/agents/peer.h"
#include "daemon/config/config.h"
#include "daemon/freeze_file.h"
#include "daemon/journal.h"
#include "daemon/learnt_store.h"
#include "daemon/limited.h"
#include "daemon/schedule.h"
#include "daemon/share_groups.h"
#include "daemon/status.h"
#include "daemon/target.h"
#include "daemon/ticker.h"
#include "daemon/unmatched.h"

namespace rocktune::daemon {

// A knob that is to go back, in every column family that has it, if none is named.
struct KnobReturn {
  std::string knob, column_family;
  std::optional<std::int64_t> value;  // of one knob; absent: what was found
  std::string decision;               // its id where that takes one back
  // Where that decision and those after it left the knob, as the alert log says; absent: not known.
  std::optional<std::vector<std::int64_t>> left_at;

  // A value is that of one knob: an empty column family then is the database's knob, or the default
  // one's cache, and not any.
  [[nodiscard]] bool means(const KnobReading& reading) const {
    const bool any = column_family.empty() && !value;
    return reading.name == knob && (any || reading.column_family == column_family);
  }
};

// What became of one knob in a release or a rollback.
struct KnobResult {
  std::string target;
  wire::ChangeResult result;  // its id holds the knob's name, as the agent gives it
};

class Daemon {
 public:
  Daemon(boost::asio::any_io_executor executor, Config config, Clock clock, Ticker& ticker,
         Journal& journal);
  ~Daemon();
  Daemon(const Daemon&) = delete;
  Daemon& operator=(const Daemon&) = delete;

  void start();  // the first poll is due now
  // Ends the loop at once: what is not answered yet is told as that. Knobs stay as they are for the
  // lease's time; then the agent decides (lease.on_daemon_loss), so that a restart changes nothing.
  void stop();

  // Made when somebody asks: of every target, once after each change.
  [[nodiscard]] Snapshot snapshot();
  [[nodiscard]] const Config& config() const { return config_; }

  // Takes over what can change while running; names the keys that cannot.
  std::vector<std::string> reconfigure(Config config);
  // Tells of a configuration that was refused for these, at least one.
  void refuse(const std::vector<std::string>& problems);

  // `target` is a name or a path; empty: every live one. kNotFound when there is none, or none that
  // has the knob; an empty knob is every one.
  using KnobResults = boost::asio::awaitable<Result<std::vector<KnobResult>>>;
  KnobResults release(std::string target, std::string knob, std::string column_family);
  // Returns every knob to what was found; they are then held until released.
  KnobResults rollback(std::string target);
  // The same of one knob.
  KnobResults rollback_knob(std::string target, KnobReturn wanted);
  // Whether that may be: kNotFound as find_knob; kInvalidArgument where the value leads further
  // from what was found than where the knob stands, which is not where the decision left it.
  [[nodiscard]] Result<void> may_roll_back(const std::string& target,
                                           const KnobReturn& wanted) const;
  // Whether an open database has the knob; the error says which ones there are.
  [[nodiscard]] Result<void> find_knob(const std::string& target, const std::string& knob,
                                       const std::string& column_family) const;

  // Makes or removes the freeze file, and heeds it at once. `seconds`: it ends by itself then.
  Result<void> freeze(std::optional<double> seconds);
  Result<void> unfreeze();
  [[nodiscard]] const Freeze& frozen() const { return freeze_; }
  // As the wall clock goes now; unset: it is not, or until the file is removed.
  [[nodiscard]] std::optional<Nanoseconds> frozen_until() const;

  // Called at the end of each poll's first part, for watchdogs.
  void on_poll(std::function<void()> hook) { poll_hook_ = std::move(hook); }

 private:
  using PeerPointer = std::shared_ptr<Peer>;

  void arm();
  void tick();
  void give_missed(const Schedule::Poll& poll, const Instant& now);
  void note_clock_step(const Instant& now);
  void discover();
  void lose(Peer& peer, const std::string& reason);
  void forget_old_targets();
  void look_for_freeze();
  [[nodiscard]] std::string frozen_reason() const;  // empty: it is not
  std::string overruled(const Target& target, std::uint64_t configured);
  boost::asio::awaitable<void> poll_agent(PeerPointer peer, Instant at, Nanoseconds deadline);
  boost::asio::awaitable<bool> read_agent(PeerPointer peer, Instant at, Nanoseconds deadline,
                                          std::vector<Errand>& errands);
  boost::asio::awaitable<void> read_events(PeerPointer peer);
  boost::asio::awaitable<void> read_options(PeerPointer peer);
  boost::asio::awaitable<void> carry_out(PeerPointer peer, std::vector<Errand> errands);
  boost::asio::awaitable<Result<void>> greet(PeerPointer peer, Nanoseconds deadline);
  boost::asio::awaitable<std::vector<Errand>> sample_databases(PeerPointer peer, Instant at,
                                                               Nanoseconds deadline);
  void agent_failed(Peer& peer, const Error& error, const Instant& at);
  void pause_after(Peer& peer, const std::string& database, Result<wire::Sample>& sample);
  std::shared_ptr<Allowance> allowance_of(uid_t user);
  void renew_allowances();
  void sync_databases(Peer& peer, const std::vector<wire::Database>& databases);
  std::shared_ptr<Target> target_for(const std::string& key);
  [[nodiscard]] Opening opening_of(const Peer& peer, const wire::Database& database) const;
  std::shared_ptr<Target> claim(Peer& peer, const Opening& opening);
  bool crowded(const Opening& opening);
  // Whether its user has opened so many of late that no more are taken.
  bool too_often(const Opening& opening);
  void take_from_others(const std::shared_ptr<Target>& target);
  void note_once(const std::string& key, const std::string& message);
  // False: too many of that user's lately. `more`: so many of its agent were held back.
  bool warn_of(uid_t user, const std::string& message, std::uint64_t more = 0);
  void publish() { snapshot_.reset(); }  // what there is has changed
  std::function<void(std::exception_ptr)> end_of_task();

  using Command =
      std::function<Session::Answer<wire::ChangeResults>(Session&, std::string, const Target&)>;
  using Applies = std::function<bool(const Target&)>;
  struct Told {  // in the journal
    std::string what;
    std::string decision;     // that it takes back; empty: none
    bool everything = false;  // it is for every knob of every database
  };
  KnobResults command(std::string target, Told told, Command send, Applies applies);
  Session::Answer<wire::ChangeResults> change_and_hold(Session& session, std::string database,
                                                       std::vector<wire::Change> changes);
  boost::asio::awaitable<bool> wait_until_idle(PeerPointer peer);
  boost::asio::awaitable<void> show_knobs(PeerPointer peer, std::string database,
                                          std::shared_ptr<Target> target);

  boost::asio::any_io_executor executor_;
  Config config_;
  Clock clock_;
  Ticker& ticker_;
  Journal& journal_;
  Instant started_;
  std::string run_;  // part of change ids
  Schedule schedule_;
  LearntStore learnt_;
  ShareGroups sharing_;
  std::shared_ptr<HostReads> host_reads_ = std::make_shared<HostReads>();
  Unmatched unmatched_;
  Instant last_poll_;
  bool stopped_ = false;
  std::uint64_t last_serial_ = 0, last_rollback_ = 0;
  std::map<std::string, AgentSocket> sockets_;
  std::map<std::string, PeerPointer> peers_;  // by socket path
  Targets targets_;
  Counters counters_;
  Snapshot snapshot_;  // null: to be made anew
  std::function<void()> poll_hook_;
  std::string discovery_error_;
  Freeze freeze_;
  bool looked_for_freeze_ = false;
  std::optional<ReloadRefusal> reload_refused_;
  std::set<std::string> noted_;
  std::map<uid_t, Limited> warnings_;                       // of agents, by their user
  std::map<uid_t, Limited> openings_;                       // of databases, likewise
  std::map<uid_t, std::shared_ptr<Allowance>> allowances_;  // of agents that are there
};

}  // namespace rocktune::daemon
