// Target: one database, by its path, over all its openings. Owns the engine; assembles each
// due sample, records it, steps the engine with it and journals what came of it.
//
// All I/O with the agent is the caller's: it hands in what the agent answered and carries out what
// step() returns. Not thread-safe.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "daemon/agents/family_knobs.h"
#include "daemon/agents/opening_options.h"
#include "daemon/cache_note.h"
#include "daemon/config/config.h"
#include "daemon/events/stream.h"
#include "daemon/forecast_notes.h"
#include "daemon/health_notes.h"
#include "daemon/journal.h"
#include "daemon/learnt_store.h"
#include "daemon/sources/machine_source.h"
#include "daemon/status.h"
#include "daemon/under_way.h"
#include "policy/engine.h"
#include "policy/sharing.h"
#include "wire/messages.h"

namespace rocktune::daemon {

// One opening of the database by a host.
struct Opening {
  wire::Hello agent;
  wire::Database database;
  uid_t user = 0;        // of the host
  std::int64_t pid = 0;  // the host's in the daemon's /proc; 0: it cannot be seen there
  [[nodiscard]] std::string incarnation() const { return agent.instance + "/" + database.id; }
};

class Target {
 public:
  // `serial` is unique in this run and part of every change's id.
  static Result<std::unique_ptr<Target>> create(std::uint64_t serial, std::string path,
                                                const TargetRule& rule, const Roots& roots,
                                                Journal& journal, Counters& counters,
                                                LearntStore& learnt);

  void opened(Opening opening);
  // The host closed it. `reason` is a clause: "the database is closed".
  void closed(const std::string& reason);
  // The same where only the agent is known to be gone ("agent lost: ..."): its process may go on,
  // and holds what it held. It keeps its claim to what is shared until it is seen again, its
  // process has ended, or ten minutes have passed.
  void lost(const std::string& reason);

  // One due sample: `answer` is what the agent said, or why there is nothing. Returns what to
  // apply now: allowed decisions, in act mode only.
  std::vector<Decision> poll(const Instant& at, const Result<wire::Sample>& answer);
  // The events to ask the agent for: those after this one; absent when there are none.
  [[nodiscard]] std::optional<std::uint64_t> events_wanted() const { return events_.wanted(); }
  void take_events(const wire::Events& answer);
  // Whether the agent is to be asked what the column families' knobs are, and what it answered.
  [[nodiscard]] bool knobs_wanted() const { return live() && knobs_wanted_; }
  void take_family_knobs(const Result<wire::Knobs>& answer);
  // The same of what it was opened with, which the trace alone has.
  [[nodiscard]] bool options_wanted() const;
  void take_options(const Result<wire::Options>& answer);
  // How the knobs stand after an order: status() has it until the next sample.
  void show_knobs(const wire::Knobs& answer);
  // A due sample that nobody tried to read.
  void missed(const Instant& at, const std::string& reason);
  // So many more of them, of which nothing is recorded but the gap in the sequence.
  void skip(std::uint64_t samples);
  // These, which poll() returned, go to the agent now.
  void sent(const std::vector<Decision>& decisions) { under_way_.sent(decisions); }
  // What became of a decision that poll() returned.
  void report(const Actuation& actuation);
  // Trouble that is not a sample's: "lease".
  void note(const std::string& source, const std::string& error);

  // What it brings to what is shared with other databases; absent while there is nothing to tell.
  // Its knobs are what it may hold by now: raised where a change is under way that nobody has
  // answered for, or where its lease may have given back what was found.
  [[nodiscard]] std::optional<ShareMember> share_member() const;
  [[nodiscard]] uid_t share_user() const;  // whose that member is
  // Its slices: part of its next sample.
  void share(const std::optional<SharedBudget>& slices) { shared_ = slices; }
  // As logs call the device under it; empty when none was found.
  [[nodiscard]] std::string device_name() const;
  // While `reason` is not empty no knob can be changed, and each says so in the sample.
  void set_frozen(const std::string& reason) { frozen_ = reason; }
  // Who holds the lease when this daemon does: daemon.name.
  void set_holder(const std::string& name) { holder_ = name; }

  // Another rule for the same database. A changed engine config begins a new target in the trace.
  Result<void> reconfigure(std::uint64_t serial, const TargetRule& rule);
  // Rises with each reconfigure() by another rule: what was decided before is not to be carried out
  // after it.
  [[nodiscard]] std::uint64_t configured() const { return configured_; }
  // When the daemon stops: tells what stands changed, and what becomes of that. False: nothing
  // does, as last read; true also where that is another daemon's to tell, or not known.
  bool note_left();
  // Records what came after the last step, and saves what was learnt, before the daemon ends.
  void finish();

  [[nodiscard]] bool live() const { return opening_.has_value(); }
  [[nodiscard]] Nanoseconds closed_at() const { return closed_at_.tick; }  // for the last time
  [[nodiscard]] const std::optional<Opening>& opening() const { return opening_; }
  [[nodiscard]] bool failing() const { return live() && failing_; }
  [[nodiscard]] bool acts() const;
  // Why its agent cannot tune it, whatever the mode; empty: it can, or the database is not open.
  [[nodiscard]] std::string why_untunable() const;
  // Why nothing can be changed while another daemon holds the lease; empty: none does.
  [[nodiscard]] std::string held_elsewhere() const;
  [[nodiscard]] const std::string& path() const { return path_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] std::uint64_t serial() const { return serial_; }
  [[nodiscard]] std::int64_t trace_id() const { return trace_id_; }
  [[nodiscard]] const std::optional<wire::Lease>& lease() const { return lease_; }
  [[nodiscard]] const KnobReadings& knobs() const { return last_sample_.knobs; }
  [[nodiscard]] TargetStatus status() const;

  // It was lost, and its process may hold what it held: for ten minutes at most.
  [[nodiscard]] bool keeps_claim() const;

 private:
  Target(std::uint64_t serial, std::string path, const TargetRule& rule, EngineConfig began_with,
         Engine engine, Roots roots, Journal& journal, Counters& counters, LearntStore& learnt);
  void save_learnt();
  Sample assemble(const Instant& at, const Result<wire::Sample>& answer);
  void find_machine();
  void take_knobs(Sample& sample, const wire::Sample& answer);
  std::vector<Decision> step(Sample sample);
  void ensure_registered(TraceWriter::Step& record);
  void journal_step(const Step& step);
  void journal_alert(const AlertChange& alert, Nanoseconds wall);
  void note_onsets(const Step& step);
  void note_forecasts(const Step& step);
  void look_at_cache(const Step& step);
  std::vector<AlertChange> alerts_to_tell(const Step& step);
  void end_alerts(const std::string& why);
  void journal_outcome(const Outcome& outcome, Nanoseconds wall);
  void journal_decision(const Decision& decision, Nanoseconds wall);
  void settle(const Decision& decision, std::vector<Decision>& to_apply);
  [[nodiscard]] DecisionStatus* recent(const std::string& id);  // null: too long ago
  void note_owners(const KnobReadings& knobs);
  void note_tuned(const std::string& knobs);
  void note_kept();
  void show_made(const Proposal& change, std::int64_t value);
  struct LostClaim;
  [[nodiscard]] std::optional<LostClaim> claim_to_keep() const;
  [[nodiscard]] bool may_have_expired() const;
  [[nodiscard]] KnobReadings knobs_held() const;
  [[nodiscard]] MemoryUse memory_of(const KnobReadings& held) const;
  std::vector<std::string> give_up();
  void note_events(bool last = false);  // last: the opening has ended
  void record_events(TraceWriter::Step& record, std::uint64_t sequence,
                     const std::vector<DatabaseEvent>& events) const;
  void record_last_events();

  std::uint64_t serial_;
  std::string path_, name_;
  TargetRule rule_;
  std::uint64_t configured_ = 0;
  EngineConfig began_with_;  // the rule's, with what was learnt of this database as prior
  Engine engine_;
  Roots roots_;
  Journal& journal_;
  Counters& counters_;
  LearntStore& learnt_;
  std::optional<Nanoseconds> saved_;  // tick
  Learnt last_saved_;

  std::optional<Opening> opening_;
  std::optional<MachineSource> machine_;  // while it is open
  HealthNotes notes_;
  ForecastNotes forecast_notes_;
  CacheNote cache_note_;
  bool failing_ = false;
  std::string frozen_, holder_;
  std::optional<wire::Lease> lease_;
  Instant closed_at_;  // zero: not yet
  EventStream events_;

  std::int64_t trace_id_ = 0;  // 0: not in the trace yet
  std::string recorded_incarnation_;
  std::uint64_t sequence_ = 0;
  std::uint64_t due_ = 0, recorded_ = 0;
  UnderWay under_way_;
  std::vector<Actuation> reports_;  // for the next step
  struct StandingAlert {
    AlertChange told;                    // last
    std::optional<double> lead_seconds;  // its event has come
  };
  std::vector<StandingAlert> standing_;
  // Those that ended with the opening before: until the next step, in which the engine ends them.
  std::vector<StandingAlert> ended_;
  std::set<std::pair<std::string, std::string>> manual_;  // knobs whose owner was noted
  ShareMember::InCommon in_common_;                       // as last read
  MemoryUse memory_;                                      // as last read...
  KnobReadings read_knobs_;                               // ...and the knobs that it is of
  Value buffer_limit_;           // of the write buffer manager, as last read
  double unlisted_buffers_ = 0;  // of column families whose knobs nobody has read
  Nanoseconds read_at_{0};
  struct LostClaim {
    ShareMember member;
    std::string incarnation, device_name;
    uid_t user = 0;
    std::int64_t pid = 0;  // 0: it cannot be seen whether that process has ended
    Nanoseconds since{0};
  };
  std::optional<LostClaim> lost_;  // until it is read again
  bool adoption_noted_ = false;
  FamilyKnobs family_knobs_;
  bool knobs_wanted_ = false;
  OpeningOptions opening_options_;

  std::optional<SharedBudget> shared_;
  Sample last_sample_;
  std::optional<Step> last_step_;
  Demand demand_;               // as of that step, and kept when a reload begins another engine
  std::optional<double> cpus_;  // that its process may use, as last read
  std::deque<DecisionStatus> recent_decisions_;
};

using Targets = std::map<std::string, std::shared_ptr<Target>>;  // by key: the database's path

}  // namespace rocktune::daemon
