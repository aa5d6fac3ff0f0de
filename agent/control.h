// The changes made to one database: who may make them, in which order they are undone.
//
// A holder takes the lease, polling renews it, and only under it can values be changed. When it
// expires, each knob that rocktune set goes back to its found value, one at each tick(): first
// those whose return lowers a value (they relieve memory, device and CPU), then the others.
//
// Thread-safety: all functions; apply, restore, release and tick must not overlap (the agent makes
// changes on one thread), since a change may wait for RocksDB while the lease is renewed.
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

#include "agent/knobs.h"
#include "wire/codec.h"

namespace rocktune::agent {

class Control {
 public:
  template <class T>
  using Answer = tl::expected<T, wire::Error>;
  using Log = std::function<void(const std::string& sentence)>;

  // Results of changes that are remembered, so that a repeated id gets its first answer.
  static constexpr std::size_t kRememberedChanges = 1024;
  static constexpr double kMaxLeaseSeconds = 3600;

  // `holder` identifies the database where it shares an object with others.
  Control(std::vector<std::unique_ptr<Knob>> knobs, KnobState::Holder holder, Clock clock, Log log);

  Answer<wire::Lease> take_lease(const wire::Lease& request);
  void renew(const std::string& holder);
  [[nodiscard]] std::optional<wire::Lease> lease() const;  // nullopt: none, or expired
  [[nodiscard]] std::vector<wire::Knob> describe() const;

  Answer<wire::ChangeResults> apply(const wire::ChangesRequest& request);
  wire::ChangeResults restore(bool hold);
  Answer<wire::ChangeResults> release(const wire::ReleaseRequest& request);

  // Ends an expired lease and takes the next step of what it left to undo.
  void tick();
  // The database is about to close: a request that is under way ends with the change it is at.
  void hurry() { closing_.store(true, std::memory_order_relaxed); }
  // It closes, and no request is under way. What was set goes back: limiters and caches may outlive
  // the database, and its options stay behind in its OPTIONS file.
  void abandon();

 private:
  struct Held {
    std::string holder;
    std::chrono::steady_clock::duration length{};
    std::string on_expiry;
    std::chrono::steady_clock::time_point until;
  };

  [[nodiscard]] Knob* find(const std::string& name, const std::string& column_family) const;
  [[nodiscard]] wire::Lease to_wire(const Held& held) const;
  std::optional<wire::Error> refuse_holder(const std::string& holder) const;
  wire::ChangeResult apply_once(const wire::Change& change);
  wire::ChangeResult attempt(Knob& knob, const wire::Change& change);
  wire::ChangeResult give_back(Knob& knob);
  [[nodiscard]] Knob* next_to_give_back() const;
  void remember(const wire::ChangeResult& result);

  const std::vector<std::unique_ptr<Knob>> knobs_;
  const KnobState::Holder self_;
  const Clock clock_;
  const Log log_;

  std::atomic<bool> closing_{false};

  mutable std::mutex mutex_;  // guards what follows; never held while RocksDB is called
  std::optional<Held> lease_;
  bool keep_ = false;       // what the latest lease says about its end
  bool returning_ = false;  // an expired lease's changes are being undone
  std::deque<std::string> order_;
  std::map<std::string, wire::ChangeResult> results_;

  std::map<const Knob*, int> failures_;  // of give_back, in this return; changing thread only
};

}  // namespace rocktune::agent
