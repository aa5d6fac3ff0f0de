#include "trace/rocksdb_log/import.h"

#include <algorithm>
#include <queue>
#include <tuple>

#include "trace/recorder.h"
#include "trace/rocksdb_log/line_reader.h"
#include "trace/rocksdb_log/log_files.h"
#include "trace/rocksdb_log/output_file.h"
#include "trace/rocksdb_log/trace_builder.h"

namespace rocktune::trace::rocksdb_log {
namespace {

// RocksDB writes buffered lines when their job lets go of the mutex: some milliseconds late as a
// rule, more on a machine under load.
constexpr Micros kLatestLine = std::chrono::seconds(2);
constexpr std::size_t kMostWaiting = 10'000;  // events, where a clock jumps
constexpr std::uint64_t kLinesPerProgress = 2000;
constexpr Bytes kNoLimit{std::int64_t{1} << 56};  // what a LOG tells is kept whole
constexpr std::size_t kMostHost = 255;
constexpr std::uint64_t kLinesToProbe = 1'000'000;

// Brings events into the order of time. Where the clock was set back, what came before stays
// before.
class InOrder {
 public:
  void push(TimedEvent event) {
    if (event.at < newest_ - kClockSetBack) {
      ++epoch_;
      newest_ = event.at;
    }
    newest_ = std::max(newest_, event.at);
    queue_.push({epoch_, event.at, order_++, std::move(event.event)});
  }
  // The next event that nothing earlier can follow; `all`: nothing follows any more.
  std::optional<TimedEvent> pop(bool all) {
    if (queue_.empty()) return std::nullopt;
    const Entry& first = queue_.top();
    const bool sure = first.epoch < epoch_ || first.at <= newest_ - kLatestLine;
    if (!all && !sure && queue_.size() < kMostWaiting) return std::nullopt;
    TimedEvent event{first.at, first.event};
    queue_.pop();
    return event;
  }

 private:
  struct Entry {
    std::uint64_t epoch = 0;
    Micros at{0};
    std::uint64_t order = 0;
    LogEvent event;
    bool operator<(const Entry& other) const {  // the earliest is the greatest
      return std::tie(other.epoch, other.at, other.order) < std::tie(epoch, at, order);
    }
  };
  std::priority_queue<Entry> queue_;
  std::uint64_t epoch_ = 0, order_ = 0;
  Micros newest_{0};
};

struct Beginning {
  std::optional<Micros> first;   // the first line's local time
  std::optional<Micros> offset;  // of the local time; nullopt where no event tells it
  std::string host = "unknown";  // told since RocksDB 8.7
};

// When the LOG begins, and in which time zone.
Result<Beginning> probe(const std::vector<LogFile>& files) {
  Beginning beginning;
  bool sure = false;  // two lines agree when the LOG begins
  std::uint64_t lines = 0;
  for (const LogFile& file : files) {
    auto reader = LineReader::open(file.path);
    if (!reader) return tl::unexpected(reader.error());
    while (const auto line = reader->next()) {
      if (++lines > kLinesToProbe) return beginning;
      if (!sure) {
        if (const auto parsed = parse_log_line(line->text)) {
          // As Parser has it: a time alone in the far is damage.
          sure = beginning.first && !far_apart(*beginning.first, parsed->written);
          if (!sure) beginning.first = parsed->written;
        }
      }
      if (const auto host = between(line->text, "Host name (Env):  ", "")) {
        beginning.host = host->substr(0, kMostHost);
      }
      beginning.offset = utc_offset(line->text);
      if (sure && beginning.offset) return beginning;
    }
  }
  return beginning;
}

std::vector<std::string> paths_of(const std::vector<LogFile>& files,
                                  const std::vector<SideSpec>& sides) {
  std::vector<std::string> paths;
  paths.reserve(files.size() + sides.size());
  for (const LogFile& file : files) paths.push_back(file.path);
  for (const SideSpec& side : sides) paths.push_back(side.path);
  return paths;
}

// How far the import is; asked also where one line brings many samples.
class Asking {
 public:
  Asking(const Progress& progress, const std::vector<LogFile>& files) : progress_(progress) {
    for (const LogFile& file : files) all_ += file.bytes;
  }
  void at(std::uint64_t done) { done_ = done; }
  Result<void> operator()() const {
    if (progress_(done_, all_)) return {};
    return fail(ErrorCode::kUnavailable, "interrupted; nothing was written");
  }

 private:
  const Progress& progress_;
  std::uint64_t done_ = 0, all_ = 0;
};

// Reads all files, and hands their events over in the order of time.
class Run {
 public:
  Run(const std::vector<LogFile>& files, Micros offset, Asking& asking, ImportSummary& summary)
      : files_(files), parser_(offset), asking_(asking), summary_(summary) {}

  Result<void> operator()(TraceBuilder& builder) {
    for (const LogFile& file : files_) {
      if (auto done = read(file, builder); !done) return done;
      done_bytes_ += file.bytes;
    }
    auto done = hand_over(builder, true);
    summary_.lines = parser_.counts();
    return done;
  }

 private:
  Result<void> read(const LogFile& file, TraceBuilder& builder) {
    auto reader = LineReader::open(file.path);
    if (!reader) return tl::unexpected(reader.error());
    std::vector<TimedEvent> events;
    while (const auto line = reader->next()) {
      parser_.add(line->text, line->cut, events);
      if (!events.empty()) {
        if (auto done = take(events, builder); !done) return done;
      }
      if (parser_.counts().lines % kLinesPerProgress != 0) continue;
      asking_.at(done_bytes_ + reader->bytes_consumed());
      if (auto done = asking_(); !done) return done;
    }
    parser_.end_of_file(events);
    if (!reader->damage().empty()) {
      summary_.damage.push_back(file.path + " is read in part: " + reader->damage());
    }
    return take(events, builder);
  }

  Result<void> take(std::vector<TimedEvent>& events, TraceBuilder& builder) {
    for (TimedEvent& event : events) in_order_.push(std::move(event));
    events.clear();
    return hand_over(builder, false);
  }

  Result<void> hand_over(TraceBuilder& builder, bool all) {
    while (const auto event = in_order_.pop(all)) {
      if (auto done = builder.add(*event); !done) return done;
    }
    return {};
  }

  const std::vector<LogFile>& files_;
  Parser parser_;
  Asking& asking_;
  ImportSummary& summary_;
  InOrder in_order_;
  std::uint64_t done_bytes_ = 0;
};

Result<std::vector<SideReader>> open_sides(const ImportRequest& request, Micros start) {
  std::vector<SideReader> sides;
  for (const SideSpec& spec : request.sides) {
    auto side = SideReader::open(spec, start);
    if (!side) return tl::unexpected(side.error());
    sides.push_back(std::move(*side));
  }
  return sides;
}

}  // namespace

Result<ImportSummary> import_log(const ImportRequest& request, const Progress& progress) {
  const auto files = find_log_files(request.source);
  if (!files) return tl::unexpected(files.error());
  auto output =
      OutputFile::prepare(request.output, request.replace, paths_of(*files, request.sides));
  if (!output) return tl::unexpected(output.error());
  const auto beginning = probe(*files);
  if (!beginning) return tl::unexpected(beginning.error());
  if (!beginning->first) {
    return fail(ErrorCode::kCorrupt, request.source +
                                         " is no RocksDB LOG: no line of it begins "
                                         "with a time like 2026/01/31-23:59:59.123456");
  }
  const Micros offset = beginning->offset.value_or(Micros{0});
  const Micros start = *beginning->first - offset;
  auto sides = open_sides(request, start);
  if (!sides) return tl::unexpected(sides.error());

  ImportSummary summary;
  summary.files = files->size();
  if (!beginning->offset) {
    summary.absent.emplace_back(
        "no time zone: no event tells it, so the LOG's local time is taken for UTC");
  }
  RunInfo run{request.version + std::string(kFromLog), beginning->host, Nanoseconds(start),
              std::chrono::duration<double>(request.interval).count()};
  Limits limits;
  limits.max_bytes = kNoLimit;
  limits.max_age = std::chrono::hours(24 * 365 * 100);
  auto recorder = Recorder::create(output->temporary(), run, limits);
  if (!recorder) return tl::unexpected(recorder.error());
  {
    Recorder open = std::move(*recorder);  // closed before the file is moved
    Asking asking(progress, *files);
    TraceBuilder builder(open, request, start, std::move(*sides), summary,
                         [&] { return asking(); });
    Run read(*files, offset, asking, summary);
    if (auto done = read(builder); !done) return tl::unexpected(done.error());
    if (auto done = builder.finish(); !done) return tl::unexpected(done.error());
  }
  if (auto done = output->place(); !done) return tl::unexpected(done.error());
  return summary;
}

}  // namespace rocktune::trace::rocksdb_log
