// A trace as everything that reads one meets it: a recorded one in which the input has put other
// values, with sound checksums. Whatever stands there, reading it and replaying it come to an end,
// or to an error that says something.
#include <fuzzer/FuzzedDataProvider.h>
#include <zlib.h>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "replay/run.h"
#include "tests/fuzz/directory.h"
#include "tests/fuzz/finding.h"
#include "trace/reader.h"
#include "trace/recorder.h"
#include "trace/sqlite.h"

namespace rocktune::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr int kBaseSamples = 24;
constexpr std::size_t kMostEdits = 16, kMostText = 64;

template <class T>
T needed(Result<T> result) {
  if (!result) finding("cannot begin: " + result.error().message);
  return std::move(*result);
}
void needed(const Result<void>& result) {
  if (!result) finding("cannot begin: " + result.error().message);
}

struct Column {
  std::string table, key, name;  // key: the table's first column
};

class Traces {
 public:
  Traces() {
    unpack();
    record();
    auto base = needed(trace::Connection::open(file("base"), SQLITE_OPEN_READONLY));
    auto row = needed(trace::Statement::prepare(
        base,
        "SELECT m.name, k.name, c.name FROM sqlite_master m JOIN pragma_table_info(m.name) k ON "
        "k.cid = 0 JOIN pragma_table_info(m.name) c "
        "WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite_%' ORDER BY 1, c.cid"));
    while (needed(row.step())) {
      Column column;
      column.table = row.take_text();
      column.key = row.take_text();
      column.name = row.take_text();
      columns_.push_back(std::move(column));
    }
    if (columns_.empty()) finding("a trace without tables");
  }

  std::string edited(FuzzedDataProvider& input) {
    const std::string path = file("edited");
    fs::copy_file(file("base"), path, fs::copy_options::overwrite_existing);
    auto connection = needed(trace::Connection::open(path, SQLITE_OPEN_READWRITE));
    needed(connection.run("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; BEGIN"));
    for (std::size_t i = 0; i < kMostEdits && input.remaining_bytes() > 0; ++i) {
      edit(connection, input);
    }
    needed(connection.run("COMMIT"));
    return path;
  }

 private:
  [[nodiscard]] std::string file(const std::string& name) const { return directory_ + "/" + name; }

  void unpack() const {
    gzFile in = gzopen(ROCKTUNE_SOURCE_DIR "/tests/data/stall-24-1.trace.gz", "rb");
    if (in == nullptr) finding("no recorded trace");
    std::ofstream out(file("recorded"), std::ios::binary);
    std::string part(1 << 16, '\0');
    for (int size = 1; size > 0;) {
      size = gzread(in, part.data(), static_cast<unsigned>(part.size()));
      if (size > 0) out.write(part.data(), size);
    }
    gzclose(in);
  }

  // The begin of that run, in the schema of today.
  void record() const {
    auto recorded = needed(trace::Reader::open(file("recorded")));
    const auto targets = needed(recorded.targets());
    auto recorder = needed(trace::Recorder::create(file("base"), recorded.run(), {}));
    const auto target = needed(recorder.add_target(targets.front().info));
    for (const auto& incarnation : targets.front().incarnations) {
      needed(recorder.add_incarnation(target, incarnation));
    }
    auto steps = needed(recorded.steps(targets.front().info.id));
    for (int i = 0; i < kBaseSamples; ++i) {
      const auto step = needed(steps.next());
      if (!step) break;
      const auto sequence = step->sample.sequence;
      needed(recorder.begin_tick());
      needed(recorder.add_sample(target, step->sample));
      for (const auto& alert : step->alerts) needed(recorder.add_alert(target, sequence, alert));
      for (const auto& decision : step->decisions) {
        needed(recorder.add_decision(target, sequence, decision));
      }
      for (const auto& report : step->reports_before) {
        needed(recorder.add_actuation(target, sequence, report));
      }
      for (const auto& outcome : step->outcomes) {
        needed(recorder.add_outcome(target, sequence, outcome));
      }
      needed(recorder.commit());
    }
  }

  // What the schema forbids stays as it was.
  void edit(trace::Connection& connection, FuzzedDataProvider& input) const {
    const Column& column =
        columns_[input.ConsumeIntegralInRange<std::size_t>(0, columns_.size() - 1)];
    const std::string row = " WHERE " + column.key + " = (SELECT " + column.key + " FROM " +
                            column.table + " LIMIT 1 OFFSET " +
                            std::to_string(input.ConsumeIntegral<std::uint8_t>()) + ")";
    const int kind = input.ConsumeIntegralInRange(0, 5);
    const bool removes = kind == 5;
    auto statement = trace::Statement::prepare(
        connection, removes ? "DELETE FROM " + column.table + row
                            : "UPDATE " + column.table + " SET \"" + column.name + "\" = ?" + row);
    if (!statement) return;
    statement->restart();
    switch (kind) {
      case 0:
        statement->put(input.ConsumeIntegral<std::int64_t>());
        break;
      case 1:
        statement->put(input.ConsumeFloatingPoint<double>());
        break;
      case 2:
        statement->put(input.ConsumeRandomLengthString(kMostText));
        break;
      case 3:
        statement->put_blob(input.ConsumeRandomLengthString(kMostText));
        break;
      case 4:
        statement->put_null();
        break;
      default:
        break;
    }
    static_cast<void>(statement->execute());
  }

  const std::string directory_ = make_directory();
  std::vector<Column> columns_;
};

void check(const Error& error) {
  if (error.message.empty()) finding("refused without a word");
}

void read_all(const std::string& path) {
  auto reader = trace::Reader::open(path);
  if (!reader) return check(reader.error());
  const auto targets = reader->targets();
  if (!targets) return check(targets.error());
  for (const auto& target : *targets) {
    auto steps = reader->steps(target.info.id);
    if (!steps) return check(steps.error());
    for (int count = 0;; ++count) {
      const auto step = steps->next();
      if (!step) return check(step.error());
      if (!*step) break;
      if (count >= kBaseSamples) finding("more samples than were recorded");
    }
  }
}

}  // namespace
}  // namespace rocktune::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rocktune;
  static fuzz::Traces traces;
  FuzzedDataProvider input(data, size);
  const std::string path = traces.edited(input);
  fuzz::read_all(path);
  const auto replayed = replay::run({path, {}, {}}, [](const std::string&) {});
  if (!replayed) fuzz::check(replayed.error());
  return 0;
}
