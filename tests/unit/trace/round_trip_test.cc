#include <algorithm>

#include "model/feature_stream.h"
#include "support.h"
#include "trace/open_options_json.h"
#include "trace/reader.h"
#include "trace/sqlite.h"

using namespace rocktune;
using namespace rocktune::trace;
using namespace rocktune::trace::test;

namespace {

OpenOptions options() {
  return {{{"wal_compression", "kZSTD"}},
          {{"default", {{"filter_policy", "bloomfilter:10:false"}}}, {"a \"b\"\n", {}}},
          3};
}

// Everything in order; fails the test where the stream does.
std::vector<RecordedStep> read_all(const std::string& path, std::int64_t target) {
  auto reader = checked(Reader::open(path));
  auto steps = checked(reader.steps(target));
  std::vector<RecordedStep> all;
  while (auto step = checked(steps.next())) all.push_back(std::move(*step));
  CHECK_FALSE(checked(steps.next()));
  return all;
}

void same_samples(const std::vector<RecordedStep>& steps, const std::vector<Sample>& samples) {
  REQUIRE(steps.size() == samples.size());
  for (std::size_t i = 0; i < samples.size(); ++i) {
    INFO("sample " << i);
    REQUIRE(steps[i].sample == samples[i]);
  }
}

Decision a_decision(const std::string& id) {
  Decision decision;
  decision.id = id;
  decision.proposal = {"block_cache_capacity_bytes",
                       "cf",
                       -1,
                       1LL << 40,
                       "cache.misses",
                       "why",
                       {"read_p99_us", false, 0.1, 30},
                       {{"cache_hit_ratio", 0.1, std::nullopt}}};
  decision.verdict = {VerdictKind::kClamped, 7, "range", "too much"};
  return decision;
}

AlertChange an_alert(const std::string& id) {
  AlertChange alert;
  alert.id = id;
  alert.indicator.kind = IndicatorKind::kDeviceSaturation;
  alert.indicator.state = AlertState::kCritical;
  alert.indicator.cause = "queue";
  alert.indicator.probability = 1.0 / 3;
  alert.indicator.eta_seconds = 0;
  alert.indicator.drivers = {{"device_queue", 40, 32, -0.75}};
  alert.indicator.warn_probability = 0.3;
  alert.indicator.probabilities = {0.1, 0.2, 0.3};
  alert.indicator.foreseen = {{"device_queue", 20, 40.5}};
  alert.from = AlertState::kWarning;
  alert.raised_at = {Nanoseconds(5), Nanoseconds(6)};
  alert.event_came = false;
  alert.lead_seconds = 1.5;
  return alert;
}

}  // namespace

TEST_CASE("random samples of several targets come back equal", "[trace]") {
  for (unsigned seed = 1; seed <= 6; ++seed) {
    const TempDirectory directory;
    const std::string path = directory.file("run.sqlite");
    std::vector<std::vector<Sample>> written(2);
    {
      auto recorder = checked(Recorder::create(path, run_info(), {}));
      RandomSamples random[] = {RandomSamples(seed), RandomSamples(seed + 100)};
      checked(recorder.begin_tick());
      for (const char* name : {"a", "b"}) checked(recorder.add_target(target_info(name)));
      checked(recorder.commit());
      for (int tick = 0; tick < 700; ++tick) {  // past a keyframe
        checked(recorder.begin_tick());
        for (std::size_t i = 0; i < 2; ++i) {
          written[i].push_back(random[i].next());
          checked(recorder.add_sample(static_cast<std::int64_t>(i) + 1, written[i].back()));
        }
        checked(recorder.commit());
      }
    }
    INFO("seed " << seed);
    same_samples(read_all(path, 1), written[0]);
    same_samples(read_all(path, 2), written[1]);
  }
}

TEST_CASE("options of an opening that are damaged are an error, and unknown keys are none",
          "[trace]") {
  CHECK(checked(decode_open_options(encode_open_options(options()))) == options());
  CHECK_FALSE(encode_open_options({}));
  CHECK(checked(decode_open_options(std::nullopt)).empty());
  CHECK(checked(decode_open_options(R"({"database":{"a":"1"},"column_families":{},"later":[]})"))
            .database.at("a") == "1");
  for (const char* text : {"", "{", "[]", "{}", R"({"database":[],"column_families":{}})",
                           R"({"database":{"a":1},"column_families":{}})",
                           R"({"database":{},"column_families":{"default":"x"}})"}) {
    INFO(text);
    const auto read = decode_open_options(text);
    REQUIRE_FALSE(read);
    CHECK(read.error().code == ErrorCode::kCorrupt);
  }
}

TEST_CASE("run, targets and incarnations come back equal", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  IncarnationInfo first{"i-1", 42, "db_bench", "7.8.3", "0.1.0", "agent", "host"};
  const IncarnationInfo second{"i-2", 43, "db_bench", "7.8.3", "0.1.0", "none", "agent"};
  TargetInfo target = target_info("orders");
  {
    auto recorder = checked(Recorder::create(path, run_info(), {}));
    target.id = checked(recorder.add_target(target));
    checked(recorder.add_incarnation(target.id, first));
    Sample sample;
    sample.incarnation = "i-1";
    for (const int second_wall : {10, 12}) {
      sample.at.wall = std::chrono::seconds(second_wall);
      ++sample.sequence;
      checked(recorder.add_sample(target.id, sample));
      sample.database.emplace();
    }
    checked(recorder.add_incarnation(target.id, second));
    first.options = options();
    checked(recorder.add_incarnation(target.id, first));
    checked(recorder.add_alert(target.id, 1, an_alert("x")));
    checked(recorder.commit());
  }
  auto reader = checked(Reader::open(path));
  CHECK(reader.run() == run_info());
  const auto targets = checked(reader.targets());
  REQUIRE(targets.size() == 1);
  CHECK(targets[0].info == target);
  CHECK(targets[0].incarnations == std::vector{first, second});
  CHECK(targets[0].samples == 2);
  CHECK(targets[0].samples_with_database == 1);
  CHECK(targets[0].first_wall == std::chrono::seconds(10));
  CHECK(targets[0].last_wall == std::chrono::seconds(12));
  CHECK(targets[0].alerts == 1);
}

TEST_CASE("the journal comes back beside its samples", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  const Actuation report{"1-0", "applied", "", 3, 4};
  const Outcome outcome{"1-0", "better", 0.1, "lower"};
  {
    auto recorder = checked(Recorder::create(path, run_info(), {}));
    const auto target = checked(recorder.add_target(target_info("a")));
    Sample sample;
    for (sample.sequence = 1; sample.sequence <= 3; ++sample.sequence) {
      checked(recorder.add_sample(target, sample));
    }
    checked(recorder.add_alert(target, 1, an_alert("x")));
    checked(recorder.add_decision(target, 1, a_decision("1-0")));
    checked(recorder.add_decision(target, 1, a_decision("1-1")));
    checked(recorder.add_actuation(target, 2, report));
    checked(recorder.add_outcome(target, 3, outcome));
    checked(recorder.add_outcome(target, 3, {"1-1", "unknown", std::nullopt, "cut short"}));
    checked(recorder.add_event(std::nullopt, {}, "daemon", "{}"));
  }
  const auto steps = read_all(path, 1);
  REQUIRE(steps.size() == 3);
  CHECK(steps[0].alerts == std::vector{an_alert("x")});
  CHECK(steps[0].decisions == std::vector{a_decision("1-0"), a_decision("1-1")});
  CHECK(steps[0].reports_before.empty());
  CHECK(steps[1].reports_before == std::vector{report});
  CHECK(steps[1].decisions.empty());
  CHECK(steps[2].outcomes ==
        std::vector{outcome, Outcome{"1-1", "unknown", std::nullopt, "cut short"}});
}

TEST_CASE("a trace that is being written can be read, and so can a copy as kill -9 leaves it",
          "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  const std::string copy = directory.file("copy.sqlite");
  auto recorder = checked(Recorder::create(path, run_info(), {}));
  const auto target = checked(recorder.add_target(target_info("a")));
  RandomSamples random(3);
  std::vector<Sample> written;
  for (int tick = 0; tick < 20; ++tick) {
    checked(recorder.begin_tick());
    written.push_back(random.next());
    checked(recorder.add_sample(target, written.back()));
    checked(recorder.commit());
  }
  checked(recorder.begin_tick());
  checked(recorder.add_sample(target, random.next()));  // not committed: not seen

  REQUIRE(std::filesystem::file_size(path + "-wal") > 0);
  std::filesystem::copy_file(path, copy);
  std::filesystem::copy_file(path + "-wal", copy + "-wal");
  same_samples(read_all(path, target), written);
  same_samples(read_all(copy, target), written);

  // A reader sees one moment, however long it reads.
  auto reader = checked(Reader::open(path));
  checked(recorder.commit());
  CHECK(checked(reader.targets())[0].samples == 20);
}

TEST_CASE("a closed trace is one file that needs nothing beside it", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  {
    checked(checked(Recorder::create(path, run_info(), {})).add_target(target_info("a")));
  }
  CHECK(std::filesystem::exists(path));
  CHECK_FALSE(std::filesystem::exists(path + "-wal"));
  CHECK_FALSE(std::filesystem::exists(path + "-shm"));
  CHECK(checked(checked(Reader::open(path)).targets()).size() == 1);
}

TEST_CASE("ages of jobs come back exactly, with a row only when something begins or ends",
          "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  std::vector<Sample> written;
  {
    auto recorder = checked(Recorder::create(path, run_info(), {}));
    checked(recorder.add_target(target_info("a")));
    std::mt19937 random(8);
    constexpr std::int64_t kFlushEnd = 1'000'123'456'789;
    for (std::int64_t i = 1; i <= 200; ++i) {
      Sample sample;
      sample.sequence = static_cast<std::uint64_t>(i);
      const std::int64_t tick = kFlushEnd + i * 500'000'000 + random() % 3'000'000;
      sample.at.tick = Nanoseconds(tick);
      sample.database.emplace().agent_tick = Nanoseconds(tick);
      ColumnFamilyReading& family = sample.database->column_families.emplace_back();
      family.levels.resize(7);
      family.active_memtable_bytes = static_cast<std::uint64_t>(i);
      family.last_flush_age_ms = static_cast<std::uint64_t>((tick - kFlushEnd) / 1'000'000);
      family.deep_compaction_age_ms = 0;
      if (i > 100) family.l0_compaction_age_ms = *family.last_flush_age_ms - 50'000;
      written.push_back(sample);
      checked(recorder.add_sample(1, sample));
    }
    checked(recorder.commit());
  }
  same_samples(read_all(path, 1), written);
  auto connection = checked(Connection::open(path, SQLITE_OPEN_READONLY));
  // A guess at the moment within a millisecond is right after a few samples.
  CHECK(checked(connection.number("SELECT count(*) FROM column_family_states")) < 30);
  CHECK(checked(connection.number("SELECT count(*) FROM column_families")) == 200);
  CHECK(checked(connection.number("SELECT last_flush_age_ms FROM column_family_samples WHERE "
                                  "sequence = 150")) ==
        static_cast<std::int64_t>(*written[149].database->column_families[0].last_flush_age_ms));
}

TEST_CASE("histograms since the sample before say what cumulative ones do", "[trace]") {
  const TempDirectory directory;
  const std::string path = directory.file("run.sqlite");
  {
    auto recorder = checked(Recorder::create(path, run_info(), {}));
    checked(recorder.add_target(target_info("a")));
    std::mt19937 random(12);
    LatencyHistogram total;
    for (std::uint64_t i = 1; i <= 700; ++i) {  // past a keyframe
      Sample sample;
      sample.sequence = i;
      if (i == 300) total = {};  // it begins anew
      for (auto more = random() % 20; more > 0; --more) {
        const std::uint64_t us = random() % 100;
        auto at = std::find_if(total.buckets.begin(), total.buckets.end(),
                               [&](const auto& bucket) { return bucket.lower_us >= us; });
        if (at == total.buckets.end() || at->lower_us != us) {
          at = total.buckets.insert(at, {us, us + 1, 0});
        }
        at->count += 4;
        total.sum_us += 4 * us;
      }
      sample.at.tick = std::chrono::milliseconds(500 * i);
      if (random() % 10 != 0) sample.database.emplace().agent_tick = sample.at.tick;
      if (sample.database && random() % 10 != 0) sample.database->read_latency = total;
      checked(recorder.add_sample(1, sample));
    }
    checked(recorder.commit());
  }
  auto reader = checked(Reader::open(path));
  auto cumulative = checked(reader.steps(1));
  auto since = checked(reader.steps(1, HistogramForm::kSincePrevious));
  FeatureStream one, other;
  int told = 0;
  while (auto step = checked(cumulative.next())) {
    const Features a = one.next(step->sample);
    const Features b = other.next(checked(since.next())->sample, HistogramForm::kSincePrevious);
    INFO("sample " << a.sequence);
    REQUIRE(a.read_p50_us == b.read_p50_us);
    REQUIRE(a.read_p99_us == b.read_p99_us);
    REQUIRE(a.read_mean_us == b.read_mean_us);
    told += a.read_p99_us ? 1 : 0;
  }
  CHECK(told > 300);
}
