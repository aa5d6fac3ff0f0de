// The file that a trace of operations goes into: bounded in size and time, and never a reason for
// the host to wait.
//
// RocksDB hands over one record at a time, under a mutex that every traced operation takes. A
// record costs a copy into one of two buffers; a thread of the agent's writes the other one. Where
// the disk cannot keep up, is full or fails, the trace ends with that reason: one with holes could
// not be replayed. Whole records only are in the file, whatever ended it.
//
// Thread-safety: append() and let_go() by one thread at a time (RocksDB sees to that), step() by
// one thread, the rest by any.
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

#include "agent/clock.h"

namespace rocktune::agent {

class OpTraceFile {
 public:
  // Twice this is the memory it takes. RocksDB writes 4 KiB to 1 MiB at a time into its own files;
  // at 100 MB/s of records a buffer lasts 40 ms, four turns of the writing thread.
  static constexpr std::size_t kBufferBytes = std::size_t{4} << 20;
  static constexpr std::chrono::milliseconds kTurn{10};
  // A buffer that is not full is written after this, so that little is lost with the process.
  static constexpr std::chrono::seconds kLongestInMemory{1};
  // Never taken of the file system, for the sake of the database on it.
  static constexpr std::uint64_t kReserveBytes = std::uint64_t{1} << 30;
  static constexpr double kReserveShare = 0.05;

  enum class End {
    kNone,
    kRequest,
    kTime,
    kSize,
    kDiskSlow,
    kDiskFull,
    kDiskError,
    kLargeRecord,  // one that no buffer holds
    kClosing,      // of the database
    kHost          // it began or ended a trace of its own
  };

  struct Bounds {
    std::uint64_t bytes = 0;
    std::chrono::steady_clock::duration length{};
    std::uint64_t keep_one_read_of = 1;  // writes are all kept
  };

  // Of what is in the file.
  struct Counts {
    std::uint64_t bytes = 0;
    std::uint64_t writes = 0, gets = 0, multigets = 0, seeks = 0;
    std::uint64_t reads_left_out = 0;  // by keep_one_read_of
  };

  // Throws when there is no memory.
  OpTraceFile(const Bounds& bounds, Clock clock);
  ~OpTraceFile();
  OpTraceFile(const OpTraceFile&) = delete;
  OpTraceFile& operator=(const OpTraceFile&) = delete;

  // Before everything else: where it goes. Owns it from now on.
  void write_to(int descriptor) noexcept { descriptor_ = descriptor; }

  // RocksDB's side. A record as its Tracer encodes it.
  void append(std::string_view record) noexcept;
  // It has let go of the trace: what is buffered is to be written, and nothing more comes.
  // Idempotent.
  void let_go() noexcept;

  // Takes no record from now on. The first reason counts, but the disk's before any.
  void end(End why) noexcept;
  // What the end will be called that RocksDB is about to be asked for.
  void expect(End why) noexcept { expected_.store(why, std::memory_order_relaxed); }
  [[nodiscard]] End expected() const noexcept { return expected_.load(std::memory_order_relaxed); }

  // A turn of the writing thread. False when everything is written and nothing more comes: the
  // buffers are gone and the file is closed then.
  bool step() noexcept;
  // Turns until then. For the thread.
  void run() noexcept;

  // Files of the process that RocksDB has let go of and that are not written out yet. For its exit.
  static int unwritten() noexcept;

  [[nodiscard]] End ended() const noexcept { return end_.load(std::memory_order_acquire); }
  [[nodiscard]] bool released() const noexcept { return released_.load(std::memory_order_acquire); }
  [[nodiscard]] bool finished() const noexcept { return finished_.load(std::memory_order_acquire); }
  [[nodiscard]] Counts counts() const;
  // Until its end, or until now.
  [[nodiscard]] std::chrono::duration<double> elapsed() const;
  // Of the disk, when that is what ended it.
  [[nodiscard]] int error_code() const noexcept { return error_.load(std::memory_order_relaxed); }
  // What append() took on average, of the operations that were timed; 0: of none so far. RocksDB's
  // own part (encoding, its mutex) is not in it.
  [[nodiscard]] double ns_per_record() const noexcept;

 private:
  struct Buffer {
    std::unique_ptr<char[]> bytes;
    Counts counts;                       // of what is in it
    std::atomic<std::size_t> filled{0};  // above 0: the writing thread's, with so many bytes
  };

  void take(std::string_view record, char type) noexcept;
  bool make_room(std::size_t size) noexcept;
  void publish() noexcept;
  void write_out(const Buffer& buffer, std::size_t size) noexcept;
  [[nodiscard]] bool leaves_reserve(std::size_t size) noexcept;
  void fail(End why, int error) noexcept;
  void close_file() noexcept;
  void count(const Counts& counts, std::size_t size);

  const Bounds bounds_;
  const Clock clock_;
  const std::chrono::steady_clock::time_point begin_;

  int descriptor_ = -1;

  // RocksDB's side only.
  std::array<Buffer, 2> buffers_;
  std::size_t active_ = 0;
  std::size_t used_ = 0;     // of the active one
  std::uint64_t taken_ = 0;  // bytes in all
  std::uint64_t reads_ = 0;  // kept or not
  std::uint64_t calls_ = 0;

  // The writing thread's only.
  std::size_t next_ = 0;
  std::uint64_t written_ = 0;
  bool failed_ = false;
  std::chrono::steady_clock::time_point hurried_;

  std::atomic<End> end_{End::kNone};
  std::atomic<End> expected_{End::kNone};
  std::atomic<std::int64_t> ended_after_ns_{-1};
  std::atomic<bool> hurry_{false};
  std::atomic<bool> released_{false};
  std::atomic<bool> finished_{false};
  std::atomic<int> error_{0};
  std::atomic<std::uint64_t> timed_{0}, timed_ns_{0};

  mutable std::mutex mutex_;  // guards counts_; never taken on RocksDB's side
  Counts counts_;
};

// "request", "time", ... as the wire has them; "" for kNone.
const char* to_string(OpTraceFile::End end);

// What must stay free of a file system of this size.
std::uint64_t reserve_of(std::uint64_t file_system_bytes);

}  // namespace rocktune::agent
