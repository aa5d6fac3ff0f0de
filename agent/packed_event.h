// An event in one or two pieces of memory: 100 to 400 bytes, where its maps take 1.5 KiB in 30
// pieces. The ring keeps them so, since it stays full for as long as its database is open.
//
// Thread-safety: none needed; values.
#pragma once

#include <string>
#include <string_view>

#include "wire/messages.h"

namespace rocktune::agent {

class PackedEvent {
 public:
  explicit PackedEvent(const wire::Event& event);

  [[nodiscard]] std::uint64_t sequence() const { return sequence_; }
  [[nodiscard]] std::string_view kind() const;
  [[nodiscard]] wire::Event unpack() const;

 private:
  std::uint64_t sequence_;
  std::int64_t tick_ns_;
  std::int64_t wall_ns_;
  // Texts, each after its length: kind, column family; the number of numbers, and each of them as
  // name and 8 bytes; names and texts of the words up to the end.
  std::string content_;
};

}  // namespace rocktune::agent
