// The rows of one table of a target's journal, in order, beside the samples to which they belong:
// one query for the whole stream, since most samples have no row. Not thread-safe.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "trace/sqlite.h"

namespace rocktune::trace {

template <class T>
class JournalCursor {
 public:
  using Take = Result<T> (*)(Statement&);

  // `rows` have the sequence as their first column, and rise by it; `take` reads the others.
  JournalCursor(Statement rows, Take take) : rows_(std::move(rows)), take_(take) {}

  // Sets `to` to the next rows up to that sequence. A row whose own sample was lost thus goes to
  // the next one.
  Result<void> take_until(std::int64_t sequence, std::vector<T>& to) {
    to.clear();
    while (!ended_) {
      if (!next_) {
        const auto found = rows_.step();
        if (!found) return tl::unexpected(found.error());
        ended_ = !*found;
        if (ended_) break;
        next_ = rows_.take_int();
      }
      if (*next_ > sequence) break;
      auto row = take_(rows_);
      if (!row) return tl::unexpected(row.error());
      to.push_back(*std::move(row));
      next_.reset();
    }
    return {};
  }

 private:
  Statement rows_;
  Take take_;
  std::optional<std::int64_t> next_;  // the sequence of the row that was read, not taken
  bool ended_ = false;
};

}  // namespace rocktune::trace
