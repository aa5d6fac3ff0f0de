// Who owns a value that can be changed, and what it was before rocktune touched it.
//
// The owner follows from comparing what is read with what was last written: a value that nobody
// here wrote means that somebody else did, and from then on the knob is theirs ("manual") until
// released. So it is when an operator orders it through rocktune; then what was found stays known,
// and a later order may move it again. Readings and writes come from different threads, so each
// reading carries the generation it was taken in, and one that a write overtook judges nothing.
//
// Several databases may share one limiter or cache object: they share its state as well, and the
// value goes back when the last database that changed it lets go.
//
// Thread-safety: all functions; writes must be serialised by lock_writes().
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace rocktune::agent {

enum class Owner { kFound, kRocktune, kManual };

const char* to_string(Owner owner);

class KnobState {
 public:
  // Identifies a database among those that hold a shared value.
  using Holder = std::uint64_t;

  struct View {
    std::int64_t found = 0;
    Owner owner = Owner::kFound;
  };

  // Of a value that is only remembered, since it can no longer be read: it judges nothing.
  static constexpr std::uint64_t kNoGeneration = std::numeric_limits<std::uint64_t>::max();

  // Take before reading the value, and hand it to observe() with what was read.
  [[nodiscard]] std::uint64_t generation() const;

  // Judges a reading; the first one ever is the found value.
  View observe(std::int64_t value, std::uint64_t generation);

  [[nodiscard]] std::unique_lock<std::mutex> lock_writes() {
    return std::unique_lock<std::mutex>(writes_);
  }

  // Around each write. `left` is what was read back afterwards: the found value means that nobody
  // holds it any more, the `wanted` one that `holder` does, the one from before that nothing was
  // written. Any other one is somebody else's, who wrote at the same time: RocksDB takes every
  // value of the catalogue as it is. The end needs no memory, for want of which a value would never
  // be returned.
  void begin_write(Holder holder);
  void end_write(std::int64_t left, std::int64_t wanted) noexcept;

  // The holder wants the value as it is now.
  void hold(Holder holder);
  // The holder's claim on the value ends.
  void let_go(Holder holder);
  // The same, where somebody else holds the value too: then true, and it stays as it is.
  bool leave_to_others(Holder holder);
  [[nodiscard]] bool held_by(Holder holder) const;
  // Somebody wants it, and returns it one day.
  [[nodiscard]] bool is_held() const;

  // There is nothing to remember: nobody has changed the value, as far as it was observed.
  [[nodiscard]] bool as_found() const;
  // nullopt: it was not observed yet.
  [[nodiscard]] std::optional<std::int64_t> found() const;

  // Of all states of the process; never 0.
  [[nodiscard]] std::uint64_t number() const { return number_; }
  // Knobs that have this state: one in each database that has the object. Without a lock.
  void join() { ++users_; }
  void leave() { --users_; }
  [[nodiscard]] int users() const { return users_; }

  // An operator's order: manual at what it is, unless somebody else's it is already.
  void hold_for_operator();
  // It is manual by such an order, and nobody else has moved it since: another order may.
  [[nodiscard]] bool held_for_operator() const;
  // It is manual no longer. What somebody else set becomes the found value, the owner "found". What
  // an order held keeps its found value: it is rocktune's, and the holder's, if it is another one.
  void release(std::int64_t value, Holder holder);
  // `value` becomes the found one, the owner "found".
  void accept(std::int64_t value);
  // What was found is what somebody set later: beside what was found of others it need not be
  // right.
  [[nodiscard]] bool found_anew() const;

 private:
  void accept_locked(std::int64_t value);
  void taken_over();

  mutable std::mutex mutex_;
  std::mutex writes_;
  static std::uint64_t next_number() {
    static std::atomic<std::uint64_t> last{0};
    return ++last;
  }
  const std::uint64_t number_ = next_number();
  std::atomic<int> users_{0};
  std::uint64_t generation_ = 0;
  bool writing_ = false;
  bool manual_ = false;
  bool ordered_ = false;  // manual, by an operator's order
  bool found_anew_ = false;
  std::optional<std::int64_t> found_;
  std::optional<std::int64_t> written_;
  std::set<Holder> holders_;
  std::set<Holder> writer_;  // of the write under way, made to become one of the holders
};

}  // namespace rocktune::agent
