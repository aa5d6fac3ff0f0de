#include "daemon/trace_writer.h"

#include <unistd.h>

#include <array>
#include <filesystem>
#include <utility>

#include "daemon/clock_step.h"
#include "daemon/trace_directory.h"
#include "daemon/version.h"
#include "model/text.h"

namespace rocktune::daemon {
namespace {

constexpr Nanoseconds kBetweenTries = std::chrono::minutes(1);
constexpr Nanoseconds kUntilAnotherName = std::chrono::seconds(1);
constexpr Nanoseconds kNoAge = Nanoseconds::max();

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "unknown";
}

// Half of the room for this run: a long run does not push out every one before it.
trace::Limits limits_of(const Config& config) {
  return {Bytes{config.trace_max_size.value / 2},
          std::chrono::duration_cast<std::chrono::seconds>(config.trace_max_age)};
}

}  // namespace

TraceWriter::TraceWriter(std::string path, trace::RunInfo run, const trace::Limits& limits,
                         Clock clock, Log& log, LookAtDisk look)
    : path_(std::move(path)),
      run_(std::move(run)),
      limits_(limits),
      clock_(std::move(clock)),
      look_(std::move(look)),
      log_(log) {}

Result<TraceWriter> TraceWriter::create(const Config& config, const Instant& now, Clock clock,
                                        Log& log, LookAtDisk look) {
  if (Result<void> made = ensure_directory(config.trace_directory, "traces", log); !made) {
    return tl::unexpected<Error>(made.error());
  }
  if (Result<void> good = check_not_read_only(config.trace_directory); !good) {
    return tl::unexpected<Error>(good.error());
  }
  trace::RunInfo run{kVersion, host_name(), now.wall,
                     std::chrono::duration<double>(config.poll_interval).count()};
  const std::string path = config.trace_directory + "/" + trace_file_name(now.wall, ::getpid());
  TraceWriter writer(path, std::move(run), limits_of(config), std::move(clock), log,
                     std::move(look));
  writer.opened_ = writer.open();
  if (writer.opened_) return writer;
  const ErrorCode why = writer.opened_.error().code;
  // Its name is made of second and pid, which may both come again: in a container, or where
  // somebody has made a file for it.
  if (why == ErrorCode::kConflict) writer.next_try_ = now.tick + kUntilAnotherName;
  if (why != ErrorCode::kConflict && why != ErrorCode::kIo) {
    return tl::unexpected<Error>(writer.opened_.error());
  }
  return writer;
}

std::string TraceWriter::directory() const {
  return std::filesystem::path(path_).parent_path().string();
}

Result<void> TraceWriter::has_room() const {
  return check_room(directory(), look_(directory()));
}

Result<void> TraceWriter::open() {
  if (Result<void> room = has_room(); !room) return room;
  Result<trace::Recorder> recorder = trace::Recorder::create(path_, run_, limits_, next_target_);
  if (!recorder) return tl::unexpected<Error>(recorder.error());
  recorder_ = *std::move(recorder);
  outgrown_ = shortened_ = false;
  return {};
}

// Under another name than one that is not ours any more: SQLite finds -wal and -shm by name, and
// what lies there may be of the file before, which somebody still reads, or anybody's.
void TraceWriter::open_again(const Instant& now) {
  next_try_ = now.tick + kBetweenTries;
  const bool anew = !opened_ && opened_.error().code == ErrorCode::kConflict;
  if (anew) path_ = directory() + "/" + trace_file_name(now.wall, ::getpid());
  opened_ = ensure_directory(directory(), "traces", log_);
  if (opened_) opened_ = open();
  if (opened_) log_.info("records into " + path_ + " from here on");
}

// Its file may go on to be written without anybody ever finding it. A look costs one stat().
void TraceWriter::look_for_file() {
  if (!recorder_ || recorder_->is_in_place()) return;
  const std::string message = "somebody has moved the trace " + path_ + " away, or removed it";
  opened_ = fail(ErrorCode::kConflict, message);
  next_target_ = recorder_->next_target();
  recorder_.reset();
  ++failures_;
  log_.error(message + ": what it has up to here is there, or lost");
}

Result<void> TraceWriter::begin() {
  look_for_file();
  const Instant now = clock_();
  if (!recorder_ && now.tick >= next_try_) open_again(now);
  if (!recorder_) return opened_;
  if (Result<void> room = has_room(); !room) return room;
  return recorder_->begin_tick();
}

// Of several databases one that is large pushes out what the others have: that is to be seen.
void TraceWriter::note_growth() {
  const bool outgrown = recorder_->outgrown();
  if (!std::exchange(outgrown_, outgrown) && outgrown) {
    shortened_ = true;
    const std::optional<Nanoseconds> oldest = recorder_->reaches_back_to();
    log_.info("the trace " + path_ + " has outgrown " +
              text::bytes(static_cast<double>(limits_.max_bytes.value)) +
              ", half of trace.max_size: its oldest samples go, of whichever database, " +
              (oldest ? "and it reaches back to " + text::rfc3339(*oldest)
                      : std::string("and it has none")));
  }
}

std::optional<Nanoseconds> TraceWriter::reaches_back_to() const {
  return shortened_ && recorder_ ? recorder_->reaches_back_to() : std::nullopt;
}

void TraceWriter::take_limits(const Config& config) {
  limits_ = limits_of(config);
  if (recorder_) recorder_->set_limits(limits_);
}

TraceWriter::Step::Step(TraceWriter& writer) : writer_(writer) {
  if (const Result<void> begun = writer_.begin(); !begun) fail(begun.error());
}

bool TraceWriter::Step::commit() {
  if (ok_) {
    if (const Result<void> done = writer_.recorder_->commit(); !done) fail(done.error());
  }
  if (ok_) writer_.note_growth();
  if (ok_) writer_.failing_.clear();
  if (ok_ && writer_.complained_) {
    writer_.log_.info("records again; " + std::to_string(writer_.lost_) +
                      (writer_.lost_ == 1 ? " step was" : " steps were") + " not recorded");
    writer_.complained_ = false;
    writer_.lost_ = 0;
  }
  return ok_;
}

void TraceWriter::Step::fail(const Error& error) {
  ok_ = false;
  ++writer_.failures_;
  ++writer_.lost_;
  writer_.failing_ = error.message;
  const auto held_back = writer_.complaints_.pass(writer_.clock_().tick);
  if (!held_back) return;
  writer_.complained_ = true;
  writer_.log_.error("cannot record: " + error.message +
                     (*held_back > 0 ? " (" + std::to_string(*held_back) + " more like it)" : "") +
                     "; watching and tuning go on");
}

bool TraceWriter::clock_was_steady(const Instant& now) {
  const std::optional<Instant> before = std::exchange(last_look_, now);
  return before && !clock_step(*before, now);
}

void TraceWriter::remove_old_runs(const Config& config) {
  look_for_file();
  const Instant now = clock_();
  const Nanoseconds max_age = clock_was_steady(now) ? Nanoseconds(config.trace_max_age) : kNoAge;
  Result<std::vector<TraceFile>> files = list_traces(config.trace_directory);
  if (!files) {
    log_.warn("cannot look for old traces: " + files.error().message);
    return;
  }
  std::erase_if(*files, [this](const TraceFile& file) {
    return file.path != path() && is_open_elsewhere(file.path);
  });
  for (const TraceFile& file :
       expired_traces(*std::move(files), path(), now.wall, config.trace_max_size, max_age)) {
    const Result<void> removed = remove_trace(file);
    if (removed) {
      log_.info("removed the old trace " + file.path);
    } else {
      log_.warn("cannot remove an old trace: " + removed.error().message);
    }
  }
}

}  // namespace rocktune::daemon
