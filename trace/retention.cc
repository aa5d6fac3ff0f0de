#include "trace/retention.h"

#include <algorithm>
#include <array>
#include <string>

namespace rocktune::trace {
namespace {

constexpr std::array kBySequence = {"samples",    "indicators", "alerts",         "decisions",
                                    "actuations", "outcomes",   "database_events"};

bool goes_on(const Retention::Targets& targets, std::int64_t target) {
  const auto known = targets.find(target);
  return known != targets.end() && known->second;
}

}  // namespace

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

Result<bool> Retention::trim(Nanoseconds now_tick, Targets& targets) {
  const auto big = too_big();
  if (!big) return tl::unexpected(big.error());
  if (!*big && oldest_end_ && now_tick - *oldest_end_ <= limits_.max_age) return true;
  const auto slices = oldest_slices();
  if (!slices) return tl::unexpected(slices.error());
  oldest_end_ = now_tick;
  for (const Slice& slice : *slices) oldest_end_ = std::min(*oldest_end_, slice.end_tick);
  const Slice* oldest = nullptr;
  for (const Slice& slice : *slices) {
    const bool too_old = now_tick - slice.end_tick > limits_.max_age;
    const bool spare = slice.ends_with_keyframe || !goes_on(targets, slice.target);
    if (!too_old && !(*big && spare)) continue;
    if (oldest == nullptr || slice.end_tick < oldest->end_tick) oldest = &slice;
  }
  if (oldest == nullptr && !*big) return true;
  if (oldest != nullptr) {
    if (auto done = remove(*oldest); !done) return tl::unexpected(done.error());
  }
  const auto ended = remove_ended(targets);
  if (!ended) return tl::unexpected(ended.error());
  return oldest != nullptr || *ended;
}

// Whatever is left of targets that do not go on and have no sample any more: a row of targets has
// some 40 kB.
Result<bool> Retention::remove_ended(Targets& targets) {
  auto row = Statement::prepare(connection_,
                                "SELECT id FROM targets t WHERE NOT EXISTS (SELECT 1 FROM samples "
                                "s WHERE s.target = t.id)");
  if (!row) return tl::unexpected(row.error());
  std::vector<std::int64_t> ended;
  while (true) {
    const auto found = row->step();
    if (!found) return tl::unexpected(found.error());
    if (!*found) break;
    const std::int64_t target = row->take_int();
    if (!goes_on(targets, target)) ended.push_back(target);
  }
  for (const std::int64_t target : ended) {
    const std::string its = " WHERE target = " + std::to_string(target);
    std::string sql = "DELETE FROM targets WHERE id = " + std::to_string(target);
    for (const char* table : kBySequence) sql.append("; DELETE FROM ").append(table).append(its);
    for (const char* table : {"incarnations", "events"}) {
      sql.append("; DELETE FROM ").append(table).append(its);
    }
    if (auto done = connection_.run(sql); !done) return tl::unexpected(done.error());
    targets.erase(target);
  }
  return !ended.empty();
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
  for (const char* table : kBySequence) {
    if (auto done = connection_.run("DELETE FROM " + std::string(table) + before); !done) {
      return done;
    }
  }
  // Of an opening without a sample its row alone is kept: ids rise with openings.
  const std::string target = std::to_string(slice.target);
  const std::string bare =
      "UPDATE incarnations SET options = NULL WHERE options IS NOT NULL AND target = " + target +
      " AND id < (SELECT incarnation FROM samples WHERE incarnation IS NOT NULL AND target = " +
      target + " ORDER BY sequence LIMIT 1)";
  if (auto done = connection_.run(bare); !done) return done;
  const std::string end = std::to_string(slice.end_tick.count());
  return connection_.run("DELETE FROM events WHERE tick_ns < " + end + " AND target = " + target +
                         "; DELETE FROM events WHERE target IS NULL AND tick_ns < " + end +
                         " AND tick_ns < (SELECT tick_ns FROM samples ORDER BY id LIMIT 1)");
}

}  // namespace rocktune::trace
