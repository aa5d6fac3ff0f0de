#include "tools/follow.h"

#include <sys/stat.h>

#include <future>
#include <thread>

#include "support.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::TempDirectory;
using Lines = std::vector<std::string>;

namespace {

void append(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::app) << text;
}

FileFollower opened(const std::string& path) {
  auto follower = FileFollower::open(path);
  if (!follower) FAIL(follower.error().message);
  return std::move(*follower);
}

}  // namespace

TEST_CASE("lines come whole, each once", "[tools]") {
  const TempDirectory directory;
  const std::string path = directory.write("log", "one\ntwo\nthr");
  auto follower = opened(path);
  CHECK(follower.read_lines() == Lines{"one", "two"});
  CHECK(follower.read_lines().empty());
  append(path, "ee\n\nfive");
  CHECK(follower.read_lines() == Lines{"three", ""});
  CHECK(follower.rest() == "five");
  CHECK_FALSE(follower.rest());
}

TEST_CASE("a log that is renamed and made anew is followed", "[tools]") {
  const TempDirectory directory;
  const std::string path = directory.write("log", "one\n");
  auto follower = opened(path);
  CHECK(follower.read_lines() == Lines{"one"});
  append(path, "last of the old\ncut");
  std::filesystem::rename(path, directory.file("log.1"));
  CHECK(follower.read_lines() == Lines{"last of the old"});  // no new one yet
  append(directory.file("log.1"), " off");
  (void)directory.write("log", "first of the new\n");
  CHECK(follower.read_lines() == Lines{"cut off"});
  CHECK(follower.read_lines() == Lines{"first of the new"});
  CHECK(follower.read_lines().empty());
}

TEST_CASE("a log that is cut to nothing is followed", "[tools]") {
  const TempDirectory directory;
  const std::string path = directory.write("log", "one\ntwo\n");
  auto follower = opened(path);
  CHECK(follower.read_lines() == Lines{"one", "two"});
  std::filesystem::resize_file(path, 0);
  append(path, "new\n");
  CHECK(follower.read_lines() == Lines{"new"});
}

TEST_CASE("of a long log a block is kept, and no line is lost between two", "[tools]") {
  const TempDirectory directory;
  std::string text;
  for (int i = 0; i < 50'000; ++i) text += "line " + std::to_string(i) + "\n";
  auto follower = opened(directory.write("log", text + std::string(300'000, 'x') + "\nlast"));
  std::string read, last;
  for (auto lines = follower.read_lines(); !lines.empty(); lines = follower.read_lines()) {
    CHECK(lines.size() < 20'000);
    for (const std::string& line : lines) read += line + "\n";
    last = lines.back();
  }
  CHECK(read == text + std::string(300'000, 'x') + "\n");
  CHECK(last.size() == 300'000);
  CHECK(follower.rest() == "last");
  std::size_t all = 0;
  opened(directory.file("log")).read_all([&](const std::string&) { ++all; });
  CHECK(all == 50'002);
}

TEST_CASE("a log that is not there is a clear error", "[tools]") {
  const TempDirectory directory;
  const auto none = FileFollower::open(directory.file("none"));
  REQUIRE_FALSE(none);
  CHECK(none.error().code == ErrorCode::kNotFound);
  CHECK(none.error().message.find(directory.file("none")) != std::string::npos);
  CHECK_FALSE(FileFollower::open(directory.path().string()));
  CHECK(FileFollower::open("/dev/null").error().message ==
        "/dev/null: is no file; give the alert log's file");
  const std::pair<const char*, const char*> compressed[] = {{"\x1f\x8b\x08 and so on", "zcat"},
                                                            {"\xfd\x37zXZ", "xzcat"},
                                                            {"\x28\xb5\x2f\xfd", "zstdcat"}};
  for (const auto& [head, tool] : compressed) {
    const std::string path = directory.file(std::string("log.") + tool);
    append(path, head);
    const auto refused = FileFollower::open(path);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == path + ": is compressed; pipe what `" + tool +
                                         "` makes of it to this command, and give /dev/stdin for "
                                         "the log");
  }
}

TEST_CASE("a log that the disk does not give is not taken for an empty one", "[tools]") {
  auto follower = opened("/proc/self/mem");  // nothing is at address 0: EIO
  CHECK(follower.read_lines().empty());
  CHECK(follower.read_to_end().error().code == ErrorCode::kIo);
  const auto all = follower.read_all([](const std::string&) {});
  CHECK(all.error().message ==
        "/proc/self/mem: cannot be read to its end; the kernel's log says why");
  const TempDirectory directory;
  CHECK(opened(directory.write("log", "one\n")).read_all([](const std::string&) {}));
}

TEST_CASE("a log that comes through a pipe is read to its end", "[tools]") {
  const TempDirectory directory;
  const std::string path = directory.file("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::thread writer([&] { append(path, "one\ntwo\nthr"); });
  auto follower = opened(path);
  writer.join();
  CHECK(follower.read_lines() == Lines{"one", "two"});
  CHECK(follower.rest() == "thr");
}

TEST_CASE("lines are there as soon as a pipe has them", "[tools]") {
  const TempDirectory directory;
  const std::string path = directory.file("pipe");
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  std::promise<void> read;
  std::thread writer([&] {
    std::ofstream pipe(path);
    pipe << "one\ntw" << std::flush;
    read.get_future().wait();
    pipe << "o\n";
  });
  auto follower = opened(path);
  CHECK(follower.read_lines() == Lines{"one"});
  read.set_value();
  CHECK(follower.read_lines() == Lines{"two"});
  writer.join();
  CHECK(follower.read_lines().empty());
}
