#include "agent/op_trace/file.h"

#include <fcntl.h>
#include <rocksdb/trace_record.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <thread>
#include <utility>

namespace rocktune::agent {
namespace {

using std::chrono::steady_clock;

// A record begins with a time of 8 bytes and a type of one (trace_replay/trace_replay.h).
constexpr std::size_t kTypeOffset = 8;
// Two readings of the clock cost about as much as a small record: one record of so many is timed.
constexpr std::uint64_t kTimeOneOf = 64;

std::atomic<int>& unwritten_files() noexcept {
  static constinit std::atomic<int> files{0};  // nothing destroys it
  return files;
}

bool is_traced_read(char type) {
  return type == rocksdb::kTraceGet || type == rocksdb::kTraceMultiGet ||
         type == rocksdb::kTraceIteratorSeek || type == rocksdb::kTraceIteratorSeekForPrev;
}

void count_record(OpTraceFile::Counts& counts, char type) {
  counts.writes += type == rocksdb::kTraceWrite ? 1 : 0;
  counts.gets += type == rocksdb::kTraceGet ? 1 : 0;
  counts.multigets += type == rocksdb::kTraceMultiGet ? 1 : 0;
  const bool seek =
      type == rocksdb::kTraceIteratorSeek || type == rocksdb::kTraceIteratorSeekForPrev;
  counts.seeks += seek ? 1 : 0;
}

}  // namespace

const char* to_string(OpTraceFile::End end) {
  using End = OpTraceFile::End;
  switch (end) {
    case End::kNone:
      return "";
    case End::kRequest:
      return "request";
    case End::kTime:
      return "time";
    case End::kSize:
      return "size";
    case End::kDiskSlow:
      return "disk_slow";
    case End::kDiskFull:
      return "disk_full";
    case End::kDiskError:
      return "disk_error";
    case End::kLargeRecord:
      return "large_record";
    case End::kClosing:
      return "closing";
    case End::kHost:
      return "host";
  }
  return "";
}

std::uint64_t reserve_of(std::uint64_t file_system_bytes) {
  const auto share = static_cast<double>(file_system_bytes) * OpTraceFile::kReserveShare;
  return std::min(OpTraceFile::kReserveBytes, static_cast<std::uint64_t>(share));
}

OpTraceFile::OpTraceFile(const Bounds& bounds, Clock clock)
    : bounds_(bounds), clock_(std::move(clock)), begin_(clock_()), hurried_(begin_) {
  for (auto& buffer : buffers_) {
    buffer.bytes = std::make_unique_for_overwrite<char[]>(kBufferBytes);
  }
}

OpTraceFile::~OpTraceFile() {
  if (released() && !finished()) unwritten_files().fetch_sub(1);  // it had no writing thread
  close_file();
}

void OpTraceFile::close_file() noexcept {
  if (const int descriptor = std::exchange(descriptor_, -1); descriptor >= 0) ::close(descriptor);
}

void OpTraceFile::append(std::string_view record) noexcept {
  if (ended() != End::kNone || record.size() <= kTypeOffset) return;
  const bool timed = calls_++ % kTimeOneOf == 0;
  const auto begin = timed ? steady_clock::now() : steady_clock::time_point();
  take(record, record[kTypeOffset]);
  if (!timed) return;
  const auto took = std::chrono::nanoseconds(steady_clock::now() - begin).count();
  timed_ns_.fetch_add(static_cast<std::uint64_t>(took), std::memory_order_relaxed);
  timed_.fetch_add(1, std::memory_order_relaxed);
}

void OpTraceFile::take(std::string_view record, char type) noexcept {
  if (is_traced_read(type) && reads_++ % bounds_.keep_one_read_of != 0) {
    ++buffers_[active_].counts.reads_left_out;
    return;
  }
  if (taken_ + record.size() > bounds_.bytes) return end(End::kSize);
  if (!make_room(record.size())) return;
  auto& buffer = buffers_[active_];
  std::memcpy(buffer.bytes.get() + used_, record.data(), record.size());
  used_ += record.size();
  taken_ += record.size();
  count_record(buffer.counts, type);
  if (hurry_.load(std::memory_order_relaxed) &&
      buffers_[1 - active_].filled.load(std::memory_order_acquire) == 0) {
    publish();
    hurry_.store(false, std::memory_order_relaxed);
  }
}

bool OpTraceFile::make_room(std::size_t size) noexcept {
  if (size > kBufferBytes) {
    end(End::kLargeRecord);
    return false;
  }
  if (used_ + size <= kBufferBytes) return true;
  if (buffers_[1 - active_].filled.load(std::memory_order_acquire) != 0) {
    end(End::kDiskSlow);
    return false;
  }
  publish();
  return true;
}

// The other buffer is free, or nothing more comes.
void OpTraceFile::publish() noexcept {
  buffers_[active_].filled.store(used_, std::memory_order_release);
  active_ = 1 - active_;
  used_ = 0;
}

void OpTraceFile::let_go() noexcept {
  if (released()) return;
  end(expected() == End::kNone ? End::kHost : expected());
  if (used_ > 0) publish();
  unwritten_files().fetch_add(1);
  released_.store(true, std::memory_order_release);
}

int OpTraceFile::unwritten() noexcept {
  return unwritten_files().load();
}

void OpTraceFile::end(End why) noexcept {
  End none = End::kNone;
  if (!end_.compare_exchange_strong(none, why)) return;
  const std::chrono::nanoseconds after = clock_() - begin_;
  ended_after_ns_.store(after.count(), std::memory_order_relaxed);
}

bool OpTraceFile::step() noexcept {
  const bool last = released();  // before a look at what that publishes
  const auto now = clock_();
  if (now - begin_ >= bounds_.length) end(End::kTime);
  if (now - hurried_ >= kLongestInMemory) {
    hurried_ = now;
    hurry_.store(true, std::memory_order_relaxed);
  }
  while (const auto size = buffers_[next_].filled.load(std::memory_order_acquire)) {
    auto& buffer = buffers_[next_];
    write_out(buffer, size);
    buffer.counts = {};
    buffer.filled.store(0, std::memory_order_release);
    next_ = 1 - next_;
  }
  if (!last) return true;
  // What is known of it stays, until another trace begins or the database closes.
  for (auto& buffer : buffers_) buffer.bytes.reset();
  close_file();
  if (!finished_.exchange(true)) unwritten_files().fetch_sub(1);
  return false;
}

void OpTraceFile::run() noexcept {
  while (step()) std::this_thread::sleep_for(kTurn);
}

bool OpTraceFile::leaves_reserve(std::size_t size) noexcept {
  struct statvfs space{};
  if (::fstatvfs(descriptor_, &space) != 0) return true;  // then write() says what is wrong
  const auto free = std::uint64_t{space.f_bavail} * space.f_frsize;
  return free >= size + reserve_of(std::uint64_t{space.f_blocks} * space.f_frsize);
}

void OpTraceFile::write_out(const Buffer& buffer, std::size_t size) noexcept {
  if (failed_) return;
  if (!leaves_reserve(size)) return fail(End::kDiskFull, ENOSPC);
  std::size_t done = 0;
  while (done < size) {
    const auto wrote = ::write(descriptor_, buffer.bytes.get() + done, size - done);
    if (wrote < 0 && errno == EINTR) continue;
    if (wrote <= 0) {
      const int code = wrote < 0 ? errno : EIO;
      return fail(code == ENOSPC || code == EDQUOT ? End::kDiskFull : End::kDiskError, code);
    }
    done += static_cast<std::size_t>(wrote);
  }
  // Begins the write-back now: left to the kernel it comes in one burst, beside the database's own.
  ::sync_file_range(descriptor_, static_cast<off64_t>(written_), static_cast<off64_t>(size),
                    SYNC_FILE_RANGE_WRITE);
  written_ += size;
  count(buffer.counts, size);
}

void OpTraceFile::fail(End why, int error) noexcept {
  failed_ = true;
  error_.store(error, std::memory_order_relaxed);
  end(why);
  end_.store(why, std::memory_order_release);  // whatever ended it later: that is not in the file
  // A record that is there in part would be taken for a damaged file.
  if (::ftruncate(descriptor_, static_cast<off_t>(written_)) != 0) return;
}

void OpTraceFile::count(const Counts& counts, std::size_t size) {
  const std::lock_guard lock(mutex_);
  counts_.bytes += size;
  counts_.writes += counts.writes;
  counts_.gets += counts.gets;
  counts_.multigets += counts.multigets;
  counts_.seeks += counts.seeks;
  counts_.reads_left_out += counts.reads_left_out;
}

OpTraceFile::Counts OpTraceFile::counts() const {
  const std::lock_guard lock(mutex_);
  return counts_;
}

std::chrono::duration<double> OpTraceFile::elapsed() const {
  const auto after = ended_after_ns_.load(std::memory_order_relaxed);
  if (ended() != End::kNone && after >= 0) return std::chrono::nanoseconds(after);
  return clock_() - begin_;
}

double OpTraceFile::ns_per_record() const noexcept {
  const auto timed = timed_.load(std::memory_order_relaxed);
  if (timed == 0) return 0;
  return static_cast<double>(timed_ns_.load(std::memory_order_relaxed)) /
         static_cast<double>(timed);
}

}  // namespace rocktune::agent
