#include "trace/retention.h"

#include <array>
#include <string>

namespace rocktune::trace {

// Once the file has outgrown its bound, a tenth is freed.
Result<bool> Retention::too_big() {
  const auto page_size = connection_.number("PRAGMA page_size");
  const auto pages = connection_.number("PRAGMA page_count");
  const auto free_pages = connection_.number("PRAGMA freelist_count");
  for (const auto* number : {&page_size, &pages, &free_pages}) {
    if (!*number) return tl::unexpected(number->error());
  }
  const std::int64_t used = *page_size * (*pages - *free_pages);
  const std::int64_t max = limits_.max_bytes.value;
  trimming_ = used > (trimming_ ? max - max / 10 : max);
  return trimming_;
}

Result<std::optional<Retention::Slice>> Retention::oldest() {
  auto targets = Statement::prepare(
      connection_,
      "SELECT t.id, s.wall_ns, (SELECT min(k.sequence) FROM samples k WHERE k.keyframe = 1 AND "
      "k.target = t.id AND k.sequence > s.sequence) FROM targets t JOIN samples s ON s.target = "
      "t.id WHERE s.sequence = (SELECT min(f.sequence) FROM samples f WHERE f.target = t.id) "
      "ORDER BY s.wall_ns LIMIT 1");
  if (!targets) return tl::unexpected(targets.error());
  const auto row = targets->step();
  if (!row) return tl::unexpected(row.error());
  if (!*row) return std::nullopt;
  Slice slice;
  slice.target = targets->take_int();
  slice.first_wall_ns = targets->take_int();
  slice.end_sequence = targets->take_optional_int();
  return slice;
}

Result<std::optional<std::int64_t>> Retention::trim(Nanoseconds now_wall) {
  const auto big = too_big();
  if (!big) return tl::unexpected(big.error());
  const auto slice = oldest();
  if (!slice) return tl::unexpected(slice.error());
  if (!*slice) return std::nullopt;
  const Nanoseconds age = now_wall - Nanoseconds((*slice)->first_wall_ns);
  if (!*big && age <= limits_.max_age) return std::nullopt;
  if (!(*slice)->end_sequence) return (*slice)->target;
  if (auto done = remove(**slice); !done) return tl::unexpected(done.error());
  return std::nullopt;
}

Result<void> Retention::remove(const Slice& slice) {
  const std::string before = " WHERE target = " + std::to_string(slice.target) +
                             " AND sequence < " + std::to_string(*slice.end_sequence);
  for (const char* table :
       {"health", "knobs", "column_families", "column_family_options", "column_family_levels"}) {
    const std::string sql = "DELETE FROM " + std::string(table) +
                            " WHERE sample IN (SELECT id FROM samples" + before + ")";
    if (auto done = connection_.run(sql); !done) return done;
  }
  for (const char* table :
       {"samples", "indicators", "alerts", "decisions", "actuations", "outcomes"}) {
    if (auto done = connection_.run("DELETE FROM " + std::string(table) + before); !done) {
      return done;
    }
  }
  return connection_.run(
      "DELETE FROM events WHERE wall_ns < (SELECT min(wall_ns) FROM samples WHERE target = " +
      std::to_string(slice.target) + ") AND target = " + std::to_string(slice.target) +
      "; DELETE FROM events WHERE target IS NULL AND wall_ns < " +
      std::to_string(slice.first_wall_ns));
}

}  // namespace rocktune::trace
