#include "agent/op_trace/op_trace.h"

#include <chrono>
#include <limits>
#include <system_error>
#include <utility>

#include "agent/exiting.h"
#include "agent/fork_guard.h"
#include "agent/op_trace/checkpoint.h"
#include "agent/thread.h"

namespace rocktune::agent {
namespace {

// What RocksDB holds, and destroys when it lets go of the trace. In a forked child it does nothing:
// the thread that empties the buffers does not exist there.
class OpTraceWriter final : public rocksdb::TraceWriter {
 public:
  explicit OpTraceWriter(std::shared_ptr<OpTraceFile> file) : file_(std::move(file)) {}
  ~OpTraceWriter() override {
    if (!in_child()) file_->let_go();
  }
  OpTraceWriter(const OpTraceWriter&) = delete;
  OpTraceWriter& operator=(const OpTraceWriter&) = delete;

  rocksdb::Status Write(const rocksdb::Slice& data) override {
    if (!in_child()) file_->append({data.data(), data.size()});
    return rocksdb::Status::OK();
  }
  rocksdb::Status Close() override {
    if (!in_child()) file_->let_go();
    return rocksdb::Status::OK();
  }
  // RocksDB compares it with a bound of its own, beyond which it leaves records out silently.
  uint64_t GetFileSize() override { return 0; }

 private:
  const std::shared_ptr<OpTraceFile> file_;
};

tl::unexpected<wire::Error> refuse_trace(std::string code, std::string message) {
  return tl::unexpected<wire::Error>(wire::Error{std::move(code), std::move(message)});
}

std::int64_t wall_ns() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return std::chrono::duration_cast<std::chrono::nanoseconds>(now).count();
}

wire::OpTrace latest_of(const wire::OpTraceRequest& request) {
  wire::OpTrace latest;
  latest.state = "recording";
  latest.directory = request.directory;
  latest.begin_wall_ns = wall_ns();
  latest.seconds = request.seconds;
  latest.max_bytes = request.max_bytes;
  latest.keep_one_read_of = request.keep_one_read_of;
  return latest;
}

OpTraceFile::Bounds bounds_of(const wire::OpTraceRequest& request) {
  return {request.max_bytes,
          std::chrono::duration_cast<std::chrono::steady_clock::duration>(
              std::chrono::duration<double>(request.seconds)),
          request.keep_one_read_of};
}

}  // namespace

OpTrace::OpTrace(rocksdb::DB* db, std::shared_ptr<Families> families, std::string access,
                 std::vector<std::string> paths, Clock clock, Log log)
    : db_(db),
      families_(std::move(families)),
      access_(std::move(access)),
      paths_(std::move(paths)),
      clock_(std::move(clock)),
      log_(std::move(log)) {}

OpTrace::Answer OpTrace::handle(const wire::OpTraceRequest& request) {
  if (request.action == "start") return start(request);
  if (request.action == "stop") stop(OpTraceFile::End::kRequest);
  return status();
}

std::string OpTrace::why_not_replayable() const {
  if (db_->GetDBOptions().allow_2pc) {
    return "its transactions are written in two phases, which cannot be replayed";
  }
  for (const auto& family : families_->all()) {
    const auto used = family->use();
    if (!used) continue;
    if (db_->GetOptions(used.handle()).merge_operator) {
      return "column family '" + family->name() +
             "' has a merge operator, and what was merged between the begin of the trace and its "
             "checkpoint would be merged twice";
    }
  }
  return {};
}

std::string OpTrace::why_not(const wire::OpTraceRequest& request) const {
  if (access_ != "read_write") return "the database is not open for writing (" + access_ + ")";
  if (request.force) return {};
  auto why = why_not_replayable();
  if (!why.empty()) why += "; force records it all the same";
  return why;
}

OpTrace::Answer OpTrace::start(const wire::OpTraceRequest& request) {
  tick();
  if (file_ && !file_->released()) {
    return refuse_trace("op_trace_busy", "operations are being recorded to " + latest_.directory +
                                             " already: stop that first");
  }
  if (auto why = why_not(request); !why.empty()) return refuse_trace("op_trace_refused", why);
  const auto directory = OpTraceDirectory::open(request.directory);
  if (!directory) return refuse_trace("op_trace_refused", directory.error());
  const auto log_bytes = request.checkpoint ? bytes_of_log(db_) : 0;
  std::string why = directory->why_no_room(request.max_bytes + log_bytes);
  if (why.empty() && request.checkpoint) why = directory->why_no_links_from(paths_);
  if (!why.empty()) return refuse_trace("op_trace_refused", why);
  if (why = begin(request, *directory); !why.empty()) {
    return refuse_trace("op_trace_failed", why);
  }
  return status();
}

std::string OpTrace::begin(const wire::OpTraceRequest& request, const OpTraceDirectory& directory) {
  const auto file = std::make_shared<OpTraceFile>(bounds_of(request), clock_);
  auto writer = std::make_unique<OpTraceWriter>(file);
  const auto descriptor = directory.create_file();
  if (!descriptor) return descriptor.error();
  file->write_to(*descriptor);
  try {
    // Its own end frees the file: nobody waits for a disk that hangs.
    start_thread("rocktune-trace", [file] { file->run(); }).detach();
  } catch (...) {
    directory.remove_file();
    throw;
  }
  file_ = file;
  told_ = false;
  latest_ = latest_of(request);
  std::string problem;
  try {
    problem = trace_and_checkpoint(request, std::move(writer));
  } catch (const std::exception& thrown) {
    problem = thrown.what();
  }
  if (problem.empty()) {
    say("operations are recorded to " + request.directory);
    return {};
  }
  told_ = true;
  stop(OpTraceFile::End::kRequest);
  directory.remove_file();
  forget_latest();
  return problem;
}

// The trace before the checkpoint: whatever is written is in one of them, and what is in both does
// no harm (it is written again, in its order).
std::string OpTrace::trace_and_checkpoint(const wire::OpTraceRequest& request,
                                          std::unique_ptr<rocksdb::TraceWriter> writer) {
  rocksdb::TraceOptions options;
  options.max_trace_file_size = std::numeric_limits<std::uint64_t>::max();
  // As they are in the log: else two writes of one key could be replayed in the other order.
  options.preserve_write_order = true;
  const auto status = db_->StartTrace(options, std::move(writer));
  if (!status.ok()) return status.ToString();
  if (!request.checkpoint) return {};
  const auto before = clock_();
  const auto problem = make_checkpoint(db_, request.directory + "/" + kCheckpointName);
  if (!problem.empty()) return "no checkpoint: " + problem;
  if (const auto ended = file_->ended(); ended != OpTraceFile::End::kNone) {
    return std::string("the trace ended (") + to_string(ended) +
           ") before its checkpoint was there: give it more, and remove " + request.directory +
           "/" + kCheckpointName;
  }
  latest_.checkpoint = true;
  latest_.checkpoint_seconds = std::chrono::duration<double>(clock_() - before).count();
  return {};
}

void OpTrace::forget_latest() {
  file_.reset();
  latest_ = {};
}

void OpTrace::stop(OpTraceFile::End why) {
  if (!file_) return;
  if (!file_->released()) {
    file_->expect(why);
    // The host may have begun a trace of its own this very moment, and it would be that one which
    // ends: RocksDB has no call that names a trace.
    if (!exiting()) static_cast<void>(db_->EndTrace());
    file_->end(why);
  }
  tell_end();
}

void OpTrace::tell_end() {
  if (std::exchange(told_, true) || exiting()) return;
  say("operations are no longer recorded to " + latest_.directory + ": " +
      to_string(file_->ended()));
}

// A logger of the host's may throw.
void OpTrace::say(const std::string& sentence) const noexcept try { log_(sentence); } catch (...) {
}

void OpTrace::tick() {
  if (!file_ || file_->ended() == OpTraceFile::End::kNone) return;
  if (file_->released()) return tell_end();
  stop(file_->ended());
}

void OpTrace::close() {
  stop(OpTraceFile::End::kClosing);
}

wire::OpTrace OpTrace::status() const {
  wire::OpTrace now = latest_;
  if (!file_) return now;
  const auto ended = file_->ended();
  if (ended != OpTraceFile::End::kNone) now.state = file_->finished() ? "ended" : "ending";
  now.why_ended = to_string(ended);
  if (const int code = file_->error_code(); code != 0) {
    now.problem = std::system_category().message(code);
  }
  now.elapsed_seconds = file_->elapsed().count();
  const auto counts = file_->counts();
  now.bytes = counts.bytes;
  now.writes = counts.writes;
  now.gets = counts.gets;
  now.multigets = counts.multigets;
  now.seeks = counts.seeks;
  now.reads_left_out = counts.reads_left_out;
  if (const double ns = file_->ns_per_record(); ns > 0) now.writer_ns_per_operation = ns;
  return now;
}

}  // namespace rocktune::agent
