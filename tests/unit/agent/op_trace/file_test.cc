// The file of a trace: what bounds it, and that nobody waits for it.
#include "agent/op_trace/file.h"

#include <fcntl.h>
#include <rocksdb/trace_record.h>

#include <filesystem>
#include <fstream>
#include <iterator>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

namespace rocktune::agent {
namespace {

using End = OpTraceFile::End;

std::string traced(char type, std::size_t size) {
  std::string record(size, 'r');
  record[8] = type;
  return record;
}

struct OpFileFixture {
  rocktune::tests::TempDirectory directory;
  std::chrono::steady_clock::time_point now{std::chrono::seconds(1000)};
  std::string path = directory.file("ops.trace");
  std::unique_ptr<OpTraceFile> file;

  explicit OpFileFixture(OpTraceFile::Bounds bounds = plenty(), const char* target = nullptr,
                         int flags = O_WRONLY | O_CREAT) {
    file = std::make_unique<OpTraceFile>(bounds, [this] { return now; });
    file->write_to(::open(target != nullptr ? target : path.c_str(), flags, 0600));
  }
  static OpTraceFile::Bounds plenty() { return {1 << 30, std::chrono::hours(1), 1}; }

  void write(std::size_t size, char type = rocksdb::kTraceWrite) {
    file->append(traced(type, size));
  }
  // RocksDB has let go: everything is written.
  void finish() {
    file->let_go();
    CHECK_FALSE(file->step());
    CHECK(file->finished());
  }
  [[nodiscard]] bool is_open() const {
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
      std::error_code gone;  // the one that lists them
      if (std::filesystem::read_symlink(entry.path(), gone) == path) return true;
    }
    return false;
  }
  [[nodiscard]] std::string content() const {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_CASE("what is appended is in the file, counted by kind") {
  OpFileFixture f;
  f.write(100);
  f.write(50, rocksdb::kTraceGet);
  f.write(60, rocksdb::kTraceMultiGet);
  f.write(70, rocksdb::kTraceIteratorSeek);
  f.write(80, rocksdb::kTraceIteratorSeekForPrev);
  CHECK(f.file->step());
  CHECK(f.content().empty());
  f.file->expect(End::kRequest);
  f.finish();
  CHECK(f.content().substr(0, 150) ==
        traced(rocksdb::kTraceWrite, 100) + traced(rocksdb::kTraceGet, 50));
  const auto counts = f.file->counts();
  CHECK(counts.bytes == 360);
  CHECK(counts.writes == 1);
  CHECK(counts.gets == 1);
  CHECK(counts.multigets == 1);
  CHECK(counts.seeks == 2);
  CHECK(f.file->ended() == End::kRequest);
  CHECK(f.file->ns_per_record() > 0);
}

TEST_CASE("a trace ends before the record that would be too much") {
  OpFileFixture f({250, std::chrono::hours(1), 1});
  for (int i = 0; i < 5; ++i) f.write(100);
  CHECK(f.file->ended() == End::kSize);
  f.write(10);  // would fit, but it has ended
  f.finish();
  CHECK(f.content().size() == 200);
  CHECK(f.file->counts().writes == 2);
}

TEST_CASE("a trace ends when its time is over") {
  OpFileFixture f({1000, std::chrono::seconds(10), 1});
  f.write(100);
  f.now += std::chrono::milliseconds(9999);
  CHECK(f.file->step());
  CHECK(f.file->ended() == End::kNone);
  f.now += std::chrono::milliseconds(1);
  CHECK(f.file->step());
  CHECK(f.file->ended() == End::kTime);
  f.now += std::chrono::seconds(5);
  CHECK(f.file->elapsed().count() == Approx(10));
  f.finish();
  CHECK(f.file->ended() == End::kTime);
  CHECK(f.content().size() == 100);
}

TEST_CASE("every write is kept, and one of so many reads") {
  OpFileFixture f({1 << 20, std::chrono::hours(1), 4});
  for (int i = 0; i < 8; ++i) {
    f.write(20);
    f.write(20, rocksdb::kTraceGet);
  }
  f.finish();
  CHECK(f.file->counts().writes == 8);
  CHECK(f.file->counts().gets == 2);
  CHECK(f.file->counts().reads_left_out == 6);
}

TEST_CASE("a disk that is too slow ends the trace, and what was taken is written") {
  OpFileFixture f;
  constexpr std::size_t kRecord = OpTraceFile::kBufferBytes / 4;
  for (int i = 0; i < 8; ++i) f.write(kRecord);
  CHECK(f.file->ended() == End::kNone);
  f.write(kRecord);  // both buffers are full, and nobody has written one
  CHECK(f.file->ended() == End::kDiskSlow);
  f.finish();
  CHECK(f.content().size() == 8 * kRecord);
  CHECK(f.file->counts().writes == 8);
}

TEST_CASE("buffers follow each other as they are written") {
  OpFileFixture f;
  constexpr std::size_t kRecord = OpTraceFile::kBufferBytes / 2 + 1;  // one in each buffer
  std::string wanted;
  for (char letter = 'a'; letter < 'k'; ++letter) {
    auto record = traced(rocksdb::kTraceWrite, kRecord);
    record.back() = letter;
    f.file->append(record);
    CHECK(f.file->step());
    wanted += letter;
  }
  f.finish();
  const auto content = f.content();
  REQUIRE(content.size() == wanted.size() * kRecord);
  std::string letters;
  for (std::size_t end = kRecord; end <= content.size(); end += kRecord)
    letters += content[end - 1];
  CHECK(letters == wanted);
}

TEST_CASE("a record that no buffer holds ends the trace") {
  OpFileFixture f;
  f.write(100);
  f.write(OpTraceFile::kBufferBytes + 1);
  CHECK(f.file->ended() == End::kLargeRecord);
  f.finish();
  CHECK(f.content().size() == 100);
}

TEST_CASE("what comes slowly is written after a second") {
  OpFileFixture f;
  f.write(100);
  f.now += OpTraceFile::kLongestInMemory;
  CHECK(f.file->step());
  CHECK(f.content().empty());
  f.write(100);
  CHECK(f.file->step());
  CHECK(f.content().size() == 200);
  CHECK(f.file->counts().writes == 2);
}

TEST_CASE("a full disk ends the trace with that reason") {
  OpFileFixture f(OpFileFixture::plenty(), "/dev/full", O_WRONLY);
  f.write(100);
  f.finish();
  CHECK(f.file->ended() == End::kDiskFull);  // though RocksDB let go before that was known
  CHECK(f.file->error_code() == ENOSPC);
  CHECK(f.file->counts().writes == 0);
}

TEST_CASE("a disk that fails ends the trace with what the system says") {
  OpFileFixture f(OpFileFixture::plenty(), "/dev/null", O_RDONLY);  // cannot be written
  f.write(OpTraceFile::kBufferBytes);
  f.write(100);  // gives the first buffer away
  CHECK(f.file->step());
  CHECK(f.file->ended() == End::kDiskError);
  CHECK(f.file->error_code() == EBADF);
  f.write(100);
  f.finish();
  CHECK(f.file->ended() == End::kDiskError);
  CHECK(f.file->counts().writes == 0);
}

TEST_CASE("RocksDB lets go unasked when the host traces itself") {
  OpFileFixture f;
  f.write(100);
  f.finish();
  CHECK(f.file->ended() == End::kHost);
  f.file->end(End::kRequest);  // too late
  CHECK(f.file->ended() == End::kHost);
}

TEST_CASE("whoever ends the process knows of what is not written yet") {
  const int before = OpTraceFile::unwritten();
  OpFileFixture f;
  f.write(100);
  CHECK(OpTraceFile::unwritten() == before);
  f.file->let_go();
  CHECK(OpTraceFile::unwritten() == before + 1);
  f.file->let_go();
  f.finish();
  CHECK_FALSE(f.file->step());
  CHECK(OpTraceFile::unwritten() == before);
}

TEST_CASE("a file that nobody writes is not waited for once it is gone") {
  const int before = OpTraceFile::unwritten();
  OpFileFixture f;
  f.file->let_go();
  CHECK(OpTraceFile::unwritten() == before + 1);
  f.file.reset();
  CHECK(OpTraceFile::unwritten() == before);
}

TEST_CASE("a file that has everything is closed, and still tells what is in it") {
  OpFileFixture f;
  f.write(100);
  CHECK(f.file->step());
  CHECK(f.is_open());
  f.finish();
  CHECK_FALSE(f.is_open());
  f.write(100);
  CHECK(f.file->counts().writes == 1);
}

TEST_CASE("a part of the file system stays free") {
  CHECK(reserve_of(std::uint64_t{1} << 40) == std::uint64_t{1} << 30);
  CHECK(reserve_of(std::uint64_t{100} << 20) == std::uint64_t{5} << 20);
}

}  // namespace
}  // namespace rocktune::agent
