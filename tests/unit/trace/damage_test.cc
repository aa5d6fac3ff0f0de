// A trace that was cut or flipped anywhere gives an error, or the good part: never another value.
#include <sqlite3.h>

#include <fstream>
#include <random>

#include "support.h"
#include "trace/reader.h"

using namespace rocktune;
using namespace rocktune::trace;
using namespace rocktune::trace::test;

namespace {

constexpr std::size_t kPage = 4096;

std::string content_of(const std::string& path) {
  std::string content(std::filesystem::file_size(path), '\0');
  std::ifstream(path, std::ios::binary).read(content.data(), static_cast<long>(content.size()));
  return content;
}

void overwrite(const std::string& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  file.seekp(static_cast<long>(at));
  file.put(byte);
}

// Samples, and of everything that is written beside them some.
void record_damageable(Recorder& recorder, int samples) {
  const auto target = checked(recorder.add_target(target_info("a")));
  checked(recorder.add_incarnation(target, {"i-1", 42, "db", "7.8.3", "0.1.0", "host", "host"}));
  RandomSamples random(11);
  Decision decision;
  decision.proposal.knob = "max_background_jobs";
  for (int i = 0; i < samples; ++i) {
    const Sample sample = random.next();
    checked(recorder.begin_tick());
    checked(recorder.add_sample(target, sample));
    decision.id = std::to_string(i);
    checked(recorder.add_decision(target, sample.sequence, decision));
    checked(recorder.add_actuation(target, sample.sequence, {decision.id, "applied", "", 1, i}));
    checked(recorder.add_outcome(target, sample.sequence, {decision.id, "better", 0.5, ""}));
    checked(recorder.add_database_event(
        target, sample.sequence,
        {"i-1", static_cast<std::uint64_t>(i) + 1, sample.at, "error", "", {{"code", i}}, {}}));
    checked(recorder.commit());
  }
}

struct Content {
  RunInfo run;
  std::vector<TargetInfo> targets;
  std::vector<RecordedStep> steps;
  bool whole = false;  // no error came
};

Content read_content(const std::string& path) {
  Content content;
  auto reader = Reader::open(path);
  if (!reader) return content;
  content.run = reader->run();
  const auto targets = reader->targets();
  if (!targets) return content;
  for (const TargetSummary& target : *targets) content.targets.push_back(target.info);
  auto steps = reader->steps(1);
  if (!steps) return content;
  while (true) {
    auto step = steps->next();
    if (!step) return content;
    if (!*step) break;
    content.steps.push_back(std::move(**step));
  }
  content.whole = true;
  return content;
}

bool same_step(const RecordedStep& a, const RecordedStep& b) {
  return a.sample == b.sample && a.reports_before == b.reports_before && a.alerts == b.alerts &&
         a.decisions == b.decisions && a.outcomes == b.outcomes && a.events == b.events;
}

// Whatever was handed out is what was written, in its order.
void is_good_part(const Content& read, const Content& original) {
  if (read.targets.empty() && read.steps.empty()) return;
  CHECK(read.run == original.run);
  CHECK(read.targets == original.targets);
  REQUIRE(read.steps.size() <= original.steps.size());
  for (std::size_t i = 0; i < read.steps.size(); ++i) {
    REQUIRE(same_step(read.steps[i], original.steps[i]));
  }
  if (read.whole) CHECK(read.steps.size() == original.steps.size());
}

// A closed trace.
std::string closed_trace(const TempDirectory& directory, int samples) {
  const std::string path = directory.file("run.sqlite");
  auto recorder = checked(Recorder::create(path, run_info(), {}));
  record_damageable(recorder, samples);
  return path;
}

}  // namespace

TEST_CASE("a trace that is cut at any page is an error", "[trace]") {
  const TempDirectory directory;
  const std::string path = closed_trace(directory, 60);
  const std::string copy = directory.file("cut.sqlite");
  const std::string all = content_of(path);
  REQUIRE(all.size() > 20 * kPage);
  REQUIRE(read_content(path).steps.size() == 60);
  for (std::size_t keep = 0; keep < all.size(); keep += kPage) {
    std::ofstream(copy, std::ios::binary) << all.substr(0, keep);
    INFO("cut to " << keep << " of " << all.size());
    CHECK_FALSE(Reader::open(copy));
  }
}

TEST_CASE("no flipped byte changes a value", "[trace]") {
  const TempDirectory directory;
  const std::string path = closed_trace(directory, 30);
  const Content original = read_content(path);
  REQUIRE(original.whole);
  REQUIRE(original.steps.size() == 30);
  const std::string all = content_of(path);
  std::mt19937 random(5);
  int noticed = 0;
  constexpr int kFlips = 2000;
  for (int i = 0; i < kFlips; ++i) {
    const std::size_t at = random() % all.size();
    const char byte = static_cast<char>(all[at] ^ static_cast<char>(1 + random() % 255));
    INFO("flip " << i << " at " << at);
    overwrite(path, at, byte);
    const Content read = read_content(path);
    is_good_part(read, original);
    noticed += read.whole ? 0 : 1;
    overwrite(path, at, all[at]);
  }
  CHECK(noticed > kFlips / 2);  // what nothing reads matters to nobody: indexes, free pages
  CHECK(read_content(path).whole);
}

TEST_CASE("flips in the WAL of a daemon that was killed cost its end", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  const std::string copy = directory.file("copy.sqlite");
  auto recorder = checked(Recorder::create(path, run_info(), {}));
  record_damageable(recorder, 30);
  const std::string main = content_of(path);
  const std::string wal = content_of(path + "-wal");
  REQUIRE(wal.size() > 20 * kPage);
  const auto put = [&](const std::string& frames) {
    std::ofstream(copy, std::ios::binary) << main;
    std::ofstream(copy + "-wal", std::ios::binary) << frames;
    std::filesystem::remove(copy + "-shm");
  };
  put(wal);
  const Content original = read_content(copy);
  REQUIRE(original.steps.size() == 30);
  std::mt19937 random(6);
  int shorter = 0;
  for (int i = 0; i < 100; ++i) {
    std::string flipped = wal;
    flipped[random() % wal.size()] ^= static_cast<char>(1 + random() % 255);
    put(flipped);
    Content read = read_content(copy);
    shorter += read.steps.size() < original.steps.size() ? 1 : 0;
    read.whole = false;  // a shorter run is a good part
    is_good_part(read, original);
  }
  CHECK(shorter > 50);
}

TEST_CASE("what another program checkpoints is read, and what it changes is refused", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  const std::string copy = directory.file("copy.sqlite");
  Content original;
  {
    auto recorder = checked(Recorder::create(path, run_info(), {}));
    record_damageable(recorder, 30);
    std::filesystem::copy_file(path, copy);
    std::filesystem::copy_file(path + "-wal", copy + "-wal");
    original = read_content(path);
  }
  const auto foreign = [](const std::string& file, const char* sql) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(file.c_str(), &database) == SQLITE_OK);
    CHECK(sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK);
    sqlite3_close(database);
  };
  foreign(copy, "SELECT count(*) FROM samples");  // the last to close it moves the WAL into it
  CHECK_FALSE(std::filesystem::exists(copy + "-wal"));
  const Content read = read_content(copy);
  CHECK(read.whole);
  CHECK(read.steps.size() == 30);
  is_good_part(read, original);

  const std::string editable = directory.file("editable.sqlite");
  foreign(path, ("VACUUM INTO '" + editable + "'").c_str());
  for (const std::string& file : {path, editable}) {
    foreign(file, "UPDATE samples SET wall_ns = wall_ns + 1");
  }
  CHECK_FALSE(read_content(path).whole);
  CHECK(read_content(editable).steps.size() == 30);
}
