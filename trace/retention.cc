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

// CROSS keeps SQLite from beginning with a scan of all samples.
Result<std::vector<Retention::Slice>> Retention::oldest_slices() {
  auto row = Statement::prepare(
      connection_,
      "WITH bounds AS (SELECT t.id AS target, (SELECT min(k.sequence) FROM samples k WHERE "
      "k.keyframe = 1 AND k.target = t.id AND k.sequence > (SELECT min(f.sequence) FROM samples f "
      "WHERE f.target = t.id)) AS keyframe, (SELECT max(l.sequence) FROM samples l WHERE l.target "
      "= t.id) AS last FROM targets t) SELECT b.target, b.keyframe, b.last, s.tick_ns FROM bounds "
      "b CROSS JOIN samples s ON s.target = b.target AND s.sequence = coalesce(b.keyframe, "
      "b.last)");
  if (!row) return tl::unexpected(row.error());
  std::vector<Slice> slices;
  while (true) {
    const auto found = row->step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) return slices;
    Slice& slice = slices.emplace_back();
    slice.target = row->take_int();
    const auto keyframe = row->take_optional_int();
    const std::int64_t last = row->take_int();
    slice.ends_with_keyframe = keyframe.has_value();
    slice.end_sequence = keyframe.value_or(last + 1);
    slice.end_tick = Nanoseconds(row->take_int());
  }
}

Result<bool> Retention::trim(Nanoseconds now_tick) {
  const auto big = too_big();
  if (!big) return tl::unexpected(big.error());
  const auto slices = oldest_slices();
  if (!slices) return tl::unexpected(slices.error());
  const Slice* oldest = nullptr;
  for (const Slice& slice : *slices) {
    const bool too_old = now_tick - slice.end_tick > limits_.max_age;
    if (!too_old && !(*big && slice.ends_with_keyframe)) continue;
    if (oldest == nullptr || slice.end_tick < oldest->end_tick) oldest = &slice;
  }
  if (oldest == nullptr) return !*big;
  if (auto done = remove(*oldest); !done) return tl::unexpected(done.error());
  return true;
}

Result<void> Retention::remove(const Slice& slice) {
  const std::string before = " WHERE target = " + std::to_string(slice.target) +
                             " AND sequence < " + std::to_string(slice.end_sequence);
  for (const char* table : {"health", "knobs", "nvme", "shared_budgets", "column_families",
                            "column_family_options", "column_family_states"}) {
    const std::string sql = "DELETE FROM " + std::string(table) +
                            " WHERE sample IN (SELECT id FROM samples" + before + ")";
    if (auto done = connection_.run(sql); !done) return done;
  }
  for (const char* table : {"samples", "indicators", "alerts", "decisions", "actuations",
                            "outcomes", "database_events"}) {
    if (auto done = connection_.run("DELETE FROM " + std::string(table) + before); !done) {
      return done;
    }
  }
  const std::string end = std::to_string(slice.end_tick.count());
  return connection_.run("DELETE FROM events WHERE tick_ns < " + end +
                         " AND target = " + std::to_string(slice.target) +
                         "; DELETE FROM events WHERE target IS NULL AND tick_ns < " + end +
                         " AND tick_ns < (SELECT tick_ns FROM samples ORDER BY id LIMIT 1)");
}

}  // namespace rocktune::trace
