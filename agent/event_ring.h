// The latest events of one database, for readers that come by now and then. Memory is bounded: the
// oldest make room, and a reader who was too slow learns how many it missed.
//
// Thread-safety: all functions. It is called on RocksDB's own threads, which wait for a reader at
// most for as long as it takes to copy the events of one answer, a fraction of a millisecond. No
// memory for an event costs that event, and it counts as missed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "agent/packed_event.h"
#include "wire/messages.h"

namespace rocktune::agent {

class EventRing {
 public:
  static constexpr std::size_t kCapacity = 512;
  static constexpr std::size_t kMostInOneAnswer = 256;

  // Gives the event its sequence number and times.
  void add(wire::Event event) noexcept;
  // Something happened that cannot be told.
  void miss() noexcept;

  // Those above `after` that are still there, oldest first, at most `limit` of them.
  [[nodiscard]] wire::Events read(std::uint64_t after, std::size_t limit) const;
  [[nodiscard]] std::uint64_t next() const;

  // What is learnt about an event later: those of a kind that lack a word, and the words for one;
  // `without`: a number that turns out to say nothing.
  [[nodiscard]] std::vector<wire::Event> lacking(const std::string& kind,
                                                 const std::string& word) const;
  void complete(std::uint64_t sequence, const std::map<std::string, std::string>& words,
                const std::string& without = {});

 private:
  mutable std::mutex mutex_;
  std::uint64_t next_ = 1;
  std::deque<PackedEvent> events_;
};

}  // namespace rocktune::agent
