// A target against a real recorder, with time moved by hand and an agent that is a function.
#pragma once

#include <fstream>
#include <memory>
#include <string>
#include <vector>

#include "daemon/config/load.h"
#include "daemon/target.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/support.h"
#include "trace/reader.h"

namespace rocktune::daemon::test {

using namespace std::chrono_literals;

struct TargetWorld {
  TempTree tree;
  Instant now{Nanoseconds(1'700'000'000s), 1000s};
  Log log;
  AlertLog alerts{tree.path("alerts.jsonl")};
  Config config = *load_config({"", {}, {{"trace.directory", tree.directory("trace"), "test"}}});
  TraceWriter trace = *TraceWriter::create(config, now, [this] { return now; }, log);
  Journal journal{alerts, trace, log, [this] { return now; }};
  Counters counters;
  LearntStore learnt{tree.path("learnt"), 10min, log};

  TargetWorld() { REQUIRE(log.open("error", "stderr")); }

  std::unique_ptr<Target> target(Mode mode, std::vector<std::string> freeze = {}) {
    TargetRule rule;
    rule.path = "/db";
    rule.mode = mode;
    rule.freeze = std::move(freeze);
    const Roots nowhere{tree.path("proc"), tree.path("sys")};
    auto made = Target::create(1, tree.path("db"), rule, nowhere, journal, counters, learnt);
    REQUIRE(made);
    return *std::move(made);
  }

  Opening opening(const std::string& id = "1") const {
    Opening opening;
    opening.agent.instance = "abc";
    opening.agent.pid = 42;
    opening.agent.command = "host";
    opening.agent.mode = "rw";
    opening.database.id = id;
    opening.database.path = tree.path("db");
    opening.database.access = "read_write";
    opening.database.tunable = true;
    return opening;
  }

  // A database that is limited to 20 MB/s, uses all of it and falls behind.
  wire::Sample squeezed(std::uint64_t n) const {
    wire::Sample sample;
    sample.sequence = n;
    sample.tick_ns = now.tick.count();
    sample.wall_ns = now.wall.count();
    sample.tickers = {{"bytes.written", n * 10'000'000},      {"flush.write.bytes", n * 3'000'000},
                      {"compact.write.bytes", n * 7'000'000}, {"compact.read.bytes", n * 7'000'000},
                      {"number.keys.written", n * 10'000},    {"stall.micros", n * 100'000}};
    sample.properties = {{"num-running-compactions", 1},
                         {"num-running-flushes", 1},
                         {"actual-delayed-write-rate", 0},
                         {"is-write-stopped", 0}};
    sample.limiter = {{"bytes_through", n * 10'000'000}, {"requests", n * 10}};
    wire::ColumnFamily family;
    family.name = "default";
    family.levels = {{std::min<std::uint64_t>(4 + n / 2, 19), n * 1'000'000}, {5, 50'000'000}};
    family.properties = {{"estimate-pending-compaction-bytes", n * 500'000'000},
                         {"num-immutable-mem-table", 1}};
    family.options = {{"max_write_buffer_number", 2},
                      {"level0_slowdown_writes_trigger", 20},
                      {"level0_stop_writes_trigger", 36},
                      {"soft_pending_compaction_bytes_limit", 64LL << 30},
                      {"hard_pending_compaction_bytes_limit", 256LL << 30}};
    sample.column_families.push_back(family);
    wire::Knob limiter{"rate_limiter_bytes_per_second",
                       "",
                       20'000'000,
                       20'000'000,
                       "found",
                       true,
                       "",
                       1 << 20,
                       std::int64_t{1} << 40};
    sample.knobs = {limiter};
    return sample;
  }

  std::vector<Decision> poll(Target& target, std::uint64_t n) {
    now.tick += 500ms;
    now.wall += 500ms;
    return target.poll(now, squeezed(n));
  }

  std::vector<std::string> alert_lines(const std::string& kind) const {
    std::vector<std::string> lines;
    std::ifstream stream(alerts.file());
    for (std::string line; std::getline(stream, line);) {
      if (line.find("\"kind\":\"" + kind + "\"") != std::string::npos) lines.push_back(line);
    }
    return lines;
  }

  std::vector<trace::RecordedStep> recorded() const {
    auto reader = trace::Reader::open(trace.path());
    REQUIRE(reader);
    auto steps = reader->steps(1);
    REQUIRE(steps);
    std::vector<trace::RecordedStep> all;
    for (;;) {
      auto step = steps->next();
      REQUIRE(step);
      if (!*step) return all;
      all.push_back(std::move(**step));
    }
  }
};

}  // namespace rocktune::daemon::test
