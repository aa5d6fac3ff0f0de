// Parser: from the lines of a RocksDB LOG (6.x to 11.x) to events.
//
// Lines that say nothing of use are passed over and counted; nothing in a line makes it fail. What
// it remembers between lines is bounded. Events come in the order of the lines, which is not quite
// that of time: RocksDB writes some lines late. Not thread-safe.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/rocksdb_log/event_json.h"
#include "trace/rocksdb_log/log_event.h"
#include "trace/rocksdb_log/stats_dump.h"

namespace rocktune::trace::rocksdb_log {

inline constexpr std::string_view kEventPrefix = "EVENT_LOG_v1 ";

struct ParserCounts {
  std::uint64_t lines = 0;
  std::uint64_t used = 0;
  std::uint64_t passed_over = 0;  // known or not: they say nothing that a trace has a place for
  std::uint64_t damaged = 0;      // no text, cut short, or no time where one should be
  bool operator==(const ParserCounts&) const = default;
};

// Whether a line's time is so far from its neighbour's that a second line must confirm it: one
// damaged digit must not move all that follows. A database may be closed for longer.
bool far_apart(Micros a, Micros b);

// How far the LOG's local time is ahead of UTC, where this line tells it: its events carry UTC.
std::optional<Micros> utc_offset(std::string_view line);

class Parser {
 public:
  // `offset`: of the first lines, see utc_offset; later ones correct it (summer time).
  explicit Parser(Micros offset = Micros{0}) : offset_(offset) {}

  // `cut`: the line was longer than what is given.
  void add(std::string_view line, bool cut, std::vector<TimedEvent>& out);
  // A new file begins, or the last one has ended: what was open is completed.
  void end_of_file(std::vector<TimedEvent>& out);

  [[nodiscard]] const ParserCounts& counts() const { return counts_; }

 private:
  enum class Section { kNone, kTableOptions, kNewOptions };

  struct HeldLine {
    std::string text;
    bool cut = false;
  };

  void take_text(std::string_view text, bool cut, std::vector<TimedEvent>& out);
  void release_held(std::vector<TimedEvent>& out);
  void drop_held();
  bool take(const LogLine& line, std::vector<TimedEvent>& out);
  bool take_continuation(std::string_view line, std::vector<TimedEvent>& out);
  bool take_header(const LogLine& line);
  bool take_family_id(std::string_view text);
  bool take_new_options(const LogLine& line);
  void begin_new_options(std::string_view family, const LogLine& line);
  bool take_option(const LogLine& line);
  bool take_state(const LogLine& line);
  bool take_stall(const LogLine& line);
  bool take_levels(const LogLine& line);
  bool take_event(const LogLine& line);
  bool take_compaction(const LogLine& line, const EventJson& json, std::uint64_t job);
  void finish_dump(std::vector<TimedEvent>& out);
  void tell(LogEvent event);
  void remember_job(std::string_view family, std::uint64_t job);
  void forget_open();
  [[nodiscard]] std::string family_of(const EventJson& json, std::uint64_t job) const;

  Micros offset_;
  ParserCounts counts_;
  std::optional<Micros> last_time_;  // local, of the last line that was taken
  Micros held_time_{0};              // local, of the first of held_
  std::vector<HeldLine> held_;       // far from what came before; the next line with a time decides
  Section section_ = Section::kNone;
  std::string options_family_;
  std::string options_thread_;  // that tells of kNewOptions
  Micros at_{0};                // of the line at hand, UTC
  std::vector<TimedEvent>* out_ = nullptr;
  std::optional<StatsDumpReader> dump_;
  Micros dump_at_{0};
  std::string session_;  // RocksDB's id of this open
  std::map<std::uint64_t, std::string> job_families_;
  std::deque<std::uint64_t> job_order_;  // of job_families_, the oldest first
  std::map<std::uint64_t, std::string> family_ids_;
  std::optional<Micros> last_line_;  // UTC as far as known, of this opening
  Micros unsure_{0};                 // what offset_ may have changed by since the last event
  bool hourly_ = false;              // it is the lines since that event that come an hour apart
};

}  // namespace rocktune::trace::rocksdb_log
