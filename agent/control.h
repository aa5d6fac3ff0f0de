// The changes made to one database: who may make them, and how they are undone.
//
// A holder takes the lease, polling renews it, and only under it can values be
// changed. The changes of a request are made in batches, one for each group of
// values that RocksDB takes in one call (agent/batch.h). When the lease
// expires, what rocktune set goes back to its found value, protections first
// (agent/return_order.h): at each tick() a batch, and others of the same relief
// while they take little time. What has begun to return is returned whole before there is another
// lease, but for what waits for RocksDB. While RocksDB would keep options waiting (a write stop)
// they are refused, or wait for a later tick, and limiters and caches do not. A cache that cannot
// bear its value yet is asked again as seldom as its answer costs (agent/pace.h). Whatever was
// written, or could not be returned, is an event; each return is a line in the log as well.
//
// Thread-safety: all functions; apply, restore, release and tick must not
// overlap (the agent makes changes of one database one after the other), since
// a change may wait for RocksDB while the lease is renewed. add() and remove()
// may come at any time.
#pragma once

#include <atomic>
#include <chrono>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "agent/batch.h"
#include "agent/clock.h"
#include "agent/event_ring.h"
#include "agent/knob.h"
#include "agent/pace.h"
#include "wire/codec.h"

namespace rocktune::agent {

class Control {
 public:
  template <class T>
  using Answer = tl::expected<T, wire::Error>;
  using Group = std::shared_ptr<KnobGroup>;
  using Log = std::function<void(const std::string& sentence)>;

  // Results of changes that are remembered, so that a repeated id gets its
  // first answer.
  static constexpr std::size_t kRememberedChanges = 1024;
  static constexpr double kMaxLeaseSeconds = 3600;

  // `holder` identifies the database where it shares an object with others.
  Control(std::vector<Group> groups, KnobState::Holder holder, Clock clock,
          std::shared_ptr<EventRing> events, Log log, Clock cpu = thread_cpu_time());

  // A column family came: what it has now was found; and is held where an operator's restore still
  // holds everything.
  void add(Group group);
  // It goes: what was set there is returned first, unless another group of the database has it too,
  // the lease says to keep it, or RocksDB would make that wait. Then the group ends, of which a
  // request may still have a copy.
  void remove(const Group& group);

  Answer<wire::Lease> take_lease(const wire::Lease& request);
  void renew(const std::string& holder);
  [[nodiscard]] std::optional<wire::Lease> lease() const;  // nullopt: none, or expired
  // For samples: all but what is as it was found in a column family.
  [[nodiscard]] std::vector<wire::Knob> describe() const;
  // Everything about every knob.
  [[nodiscard]] wire::Knobs catalogue() const;

  Answer<wire::ChangeResults> apply(const wire::ChangesRequest& request);
  // With `hold` an operator wishes it: also what was held before goes back, and all is held then,
  // what comes later, too, until it is released.
  wire::ChangeResults restore(bool hold);
  Answer<wire::ChangeResults> release(const wire::ReleaseRequest& request);
  // An operator wants the value as it is now: the knob is manual until released.
  Answer<wire::ChangeResults> hold(const wire::HoldRequest& request);

  // Ends an expired lease and takes the next step of what it left to undo.
  void tick();
  // The database is about to close: a request that is under way ends with the
  // batch it is at.
  void hurry() { closing_.store(true, std::memory_order_relaxed); }
  // Then: what RocksDB makes nobody wait for goes back at once, beside a request that may wait for
  // the end of a write stop - which a low limit puts off.
  void return_limits();
  // The rate limit alone, also where the lease says that it is to stay.
  void return_rate();
  // It closes, and no request is under way. What was set goes back: limiters
  // and caches may outlive the database, and its options stay behind in its
  // OPTIONS file. What RocksDB would make wait stays as it is, and so do options while the process
  // exits (agent/exiting.h). All groups end.
  void abandon();

 private:
  struct Held {
    std::string holder;
    std::chrono::steady_clock::duration length{};
    std::string on_expiry;
    std::chrono::steady_clock::time_point until;
  };
  struct Place {
    Group group;
    Knob* knob = nullptr;
  };

  [[nodiscard]] std::vector<Group> groups() const;
  [[nodiscard]] Place find(const std::string& name, const std::string& column_family) const;
  [[nodiscard]] std::string why_unknown(const std::string& name,
                                        const std::string& column_family) const;
  [[nodiscard]] wire::Lease to_wire(const Held& held) const;
  std::optional<wire::Error> refuse_holder(const std::string& holder) const;
  [[nodiscard]] std::optional<wire::ChangeResult> remembered(const std::string& id) const;
  void remember(const wire::ChangeResult& result);
  static bool worth_telling(const KnobGroup& group, Knob& knob);
  struct Returned {
    std::vector<wire::ChangeResult> results;
    bool deferred = false;  // some of them
  };
  using States = std::set<const KnobState*>;
  // All but those in `but`.
  Returned return_all(std::vector<Group> groups, const char* why, bool shared_too,
                      const States& but, Wish wish = Wish::kTuner);
  enum class Left { kNothing, kWaiting, kMore };  // to return: kWaiting: all of it, for RocksDB
  Left take_step(const char* why, bool hold);
  void begin_return();
  [[nodiscard]] bool asked_lately(const KnobGroup& group) const;
  bool return_now(KnobGroup& group, const std::vector<Knob*>& knobs, const char* why, bool hold);
  [[nodiscard]] bool will_return() const;  // once the lease ends, what is held
  [[nodiscard]] bool has(const std::string& knob) const;
  void forget_hold(const wire::ReleaseRequest& request);
  [[nodiscard]] bool holds_later(const std::string& knob) const;
  void hold_what_comes(const KnobGroup& group);
  [[nodiscard]] bool keeps() const;
  void give_up(const std::vector<Group>& groups, const States& kept);
  void give_up_at_exit(std::vector<Group> groups, const States& kept);
  void tell(const KnobGroup& group, const Batch& batch, const char* why);
  void tell(const KnobGroup& group, const Change& change, const char* why);
  void tell_return(const KnobGroup& group, const Change& change, const char* why);

  const KnobState::Holder self_;
  const Clock clock_, cpu_;
  const std::shared_ptr<EventRing> events_;
  const Log log_;

  std::atomic<bool> closing_{false};

  mutable std::mutex mutex_;  // guards what follows; never held while RocksDB is called
  std::vector<Group> groups_;
  std::optional<Held> lease_;
  bool keep_ = false;                // what the latest lease says about its end
  const char* returning_ = nullptr;  // why what was set is being undone; null: it is not
  bool under_way_ = false;           // the next tick returns more; nobody adopts half of it
  bool hold_ = false;                // and is manual from then on, whoever takes the lease
  bool hold_later_ = false;          // an operator holds all, also what comes later
  std::set<std::string> released_;   // but these knobs, which were released since
  std::deque<std::string> order_;
  std::map<std::string, wire::ChangeResult> results_;

  // Both of this return; changing thread only.
  std::map<std::string, int> failures_;     // by knob
  std::map<const KnobGroup*, Pace> asked_;  // the caches that could not bear it; to compare with
};

}  // namespace rocktune::agent
