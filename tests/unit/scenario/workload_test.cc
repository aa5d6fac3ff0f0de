#include "scenario/workload/workload.h"

#include "scenario/builtin.h"
#include "scenario/located_yaml.h"
#include "tests/support/catch.h"

using rocktune::scenario::builtin_workloads;
using rocktune::scenario::Family;
using rocktune::scenario::KeyKind;
using rocktune::scenario::load_workload;
using rocktune::scenario::Mix;
using rocktune::scenario::Operation;
using rocktune::scenario::parse_workload;
using rocktune::scenario::Phase;
using rocktune::scenario::Rate;
using rocktune::scenario::RatePlan;
using rocktune::scenario::Sine;
using rocktune::scenario::Sizes;
using rocktune::scenario::Wal;

TEST_CASE("a workload is read as written", "[scenario][workload]") {
  const auto workload = parse_workload(R"(
name: mixed
records: 5000
value_size: 4KiB
threads: 3
phases:
  - name: steady
    seconds: 30
    workload: B
    ops_per_second: 2500.5
  - seconds: 1.5
    proportions: {read: 0.2, update: 0.7, read_modify_write: 0.1}
    distribution: uniform
)",
                                       "w.yaml");
  REQUIRE(workload);
  CHECK(workload->name == "mixed");
  CHECK(workload->records == 5000);
  CHECK(workload->value_size == Sizes(4096));
  CHECK(workload->wal == Wal::kOn);
  CHECK(workload->families == std::vector<Family>{{"default", 1}});
  CHECK(workload->threads == 3);
  REQUIRE(workload->phases.size() == 2);
  CHECK(workload->phases[0].mix == Mix::of(0.95, 0.05));
  CHECK(workload->phases[0].rate == RatePlan::constant(2500.5));
  CHECK(workload->phases[0].keys.kind == KeyKind::kZipfian);
  CHECK(workload->phases[0].value_size == Sizes(4096));
  CHECK(workload->phases[1].name == "phase 2");
  CHECK(workload->phases[1].mix == Mix::of(0.2, 0.7, 0.1));
  CHECK_FALSE(workload->phases[1].rate.paced());
  CHECK(workload->phases[1].keys.kind == KeyKind::kUniform);
  CHECK(workload->seconds() == 31.5);
}

TEST_CASE("every mistake is reported, with its place", "[scenario][workload]") {
  const auto workload = parse_workload(R"(name: wrong
record: 5000
threads: many
threads: 8
value_size: 1 furlong
phases:
  - name: a
    seconds: -3
    workload: Q
  - proportions: {read: 0.5, update: 0.6}
    distribution: gaussian
)",
                                       "w.yaml");
  REQUIRE_FALSE(workload);
  CHECK(workload.error().message ==
        "w.yaml:2:1: record: is not known here; known: backlog, description, families, "
        "load_order, name, phases, records, seed, threads, value_size, wal\n"
        "w.yaml:3:10: threads: 'many' is not a whole number\n"
        "w.yaml:4:1: threads: is given twice\n"
        "w.yaml:5:13: value_size: '1 furlong' is not a size: write 4096, 64KiB or 1.5MB\n"
        "w.yaml:8:14: phases[0].seconds: -3 is out of range: give 0.1 to 86400\n"
        "w.yaml:9:15: phases[0].workload: 'Q' is no YCSB workload: give A, B, C, D, E or F\n"
        "w.yaml:10:5: phases[1].seconds: is required\n"
        "w.yaml:10:18: phases[1].proportions: must add up to 1, not 1.100000\n"
        "w.yaml:11:19: phases[1].distribution: 'gaussian' is no distribution: it must be zipfian, "
        "uniform, latest, hot_set or mixgraph (this as a map)");
}

TEST_CASE("two phases of one name are refused", "[scenario][workload]") {
  const auto workload = parse_workload(
      "records: 5\nphases:\n  - {name: burst, seconds: 4, workload: A}\n"
      "  - {seconds: 4, workload: A}\n  - {name: burst, seconds: 9, workload: C}\n",
      "w.yaml");
  REQUIRE_FALSE(workload);
  CHECK(workload.error().message == "w.yaml:3:3: phases: 'burst' is given twice");
}

TEST_CASE("everything that a workload can say", "[scenario][workload]") {
  const auto workload = parse_workload(R"(
records: 1000
value_size: {kind: uniform, min: 100, max: 2KiB}
wal: sync
families:
  - {name: hot, share: 0.2}
  - {name: cold, share: 0.8}
phases:
  - seconds: 10
    workload: D
  - seconds: 10
    workload: E
    scan_length: 50
    ops_per_second: {from: 100, to: 500}
  - seconds: 20
    proportions: {read: 0.5, delete: 0.25, read_missing: 0.25}
    distribution: {kind: hot_set, access_share: 0.9, key_share: 0.1, shift_every_seconds: 5}
    value_size: 16KiB
    ops_per_second: {sine: {a: 100, b: 0.5, d: 400}}
)",
                                       "w.yaml");
  REQUIRE(workload);
  CHECK(workload->value_size == Sizes::uniform(100, 2048));
  CHECK(workload->wal == Wal::kSync);
  CHECK(workload->families == std::vector<Family>{{"hot", 0.2}, {"cold", 0.8}});
  REQUIRE(workload->phases.size() == 3);
  CHECK(workload->phases[0].mix[Operation::kInsert] == 0.05);
  CHECK(workload->phases[0].keys.kind == KeyKind::kLatest);  // D's own
  CHECK(workload->phases[0].value_size == workload->value_size);
  CHECK(workload->phases[1].mix[Operation::kScan] == 0.95);
  CHECK(workload->phases[1].scan_length == Sizes(50));
  CHECK(workload->phases[1].rate == RatePlan{100, 500, {}});
  CHECK(workload->phases[2].mix[Operation::kReadMissing] == 0.25);
  CHECK(workload->phases[2].keys.kind == KeyKind::kHotSet);
  CHECK(workload->phases[2].keys.key_share == 0.1);
  CHECK(workload->phases[2].value_size == Sizes(16384));
  CHECK(workload->phases[2].rate.sine == Sine{100, 0.5, 0, 400});
  CHECK(workload->may_miss());
}

TEST_CASE("mistakes in the parts of a workload", "[scenario][workload]") {
  const auto workload = parse_workload(R"(value_size: {kind: uniform, min: 10}
wal: perhaps
families: [{name: a, share: 0.5}, {name: a, share: 0.4}]
phases:
  - seconds: 1
    workload: A
    ops_per_second: {from: 5}
    distribution: {kind: hot_set, theta: 0.5}
  - seconds: 1
    proportions: {read: 1, steal: 0}
    ops_per_second: {sine: {a: 9, b: 1, d: 2}}
    scan_length: {kind: list, values: []}
)",
                                       "w.yaml");
  REQUIRE_FALSE(workload);
  const std::string& all = workload.error().message;
  for (const char* line :
       {"w.yaml:1:13: value_size.max: is required", "w.yaml:2:6: wal: 'perhaps' is none of",
        "w.yaml:3:11: families: the shares must add up to 1, not 0.9",
        "w.yaml:3:42: families[1].name: is given twice",
        "w.yaml:7:21: phases[0].ops_per_second.to: is required",
        "w.yaml:8:35: phases[0].distribution.theta: is not known here",
        "w.yaml:10:28: phases[1].proportions.steal: is not known here",
        "w.yaml:11:44: phases[1].ops_per_second.sine.d: must be above 0 and not below |a|",
        "w.yaml:12:39: phases[1].scan_length.values: must be a list"}) {
    INFO(all);
    CHECK(all.find(line) != std::string::npos);
  }
}

TEST_CASE("stretching reaches what counts from a phase's beginning", "[scenario][workload]") {
  auto workload = load_workload("demo");
  REQUIRE(workload);
  workload->phases[0].keys.shift_at_seconds = 10;
  const double before = workload->seconds();
  workload->stretch(0.5);
  CHECK(workload->seconds() == Approx(before / 2));
  CHECK(workload->phases[0].keys.shift_at_seconds == 5);
}

TEST_CASE("a stretched sine has as many periods", "[scenario][workload]") {
  auto workload = load_workload("mixgraph");
  REQUIRE(workload);
  Phase& phase = workload->phases[0];
  REQUIRE(phase.rate.sine);
  const Rate whole(phase.rate, phase.seconds);
  const double seconds = phase.seconds;
  workload->stretch(0.25);
  CHECK(phase.rate.sine->b == Approx(4 * 6.283185 / seconds));
  const Rate quarter(phase.rate, phase.seconds);
  for (const double share : {0.25, 0.5, 0.75, 1.0}) {
    CHECK(quarter.due_by(share * seconds / 4) == Approx(whole.due_by(share * seconds) / 4));
  }
  // What has none stays as it is.
  auto plain = load_workload("ycsb-a");
  REQUIRE(plain);
  plain->stretch(0.1);
  CHECK_FALSE(plain->phases[0].rate.sine);
}

TEST_CASE("text that is no YAML, or no map, is one clear error", "[scenario][workload]") {
  const auto broken = parse_workload("phases: [\n", "w.yaml");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.rfind("w.yaml:", 0) == 0);

  const auto list = parse_workload("- a\n- b\n", "w.yaml");
  REQUIRE_FALSE(list);
  CHECK(list.error().message == "w.yaml:1:1: must be a map of key: value");

  const auto two = parse_workload("name: x\n---\nname: y\n", "w.yaml");
  REQUIRE_FALSE(two);
  CHECK(two.error().message == "w.yaml:3:1: a second document begins here: a file holds one");

  const auto empty = parse_workload("name: x\n", "w.yaml");
  REQUIRE_FALSE(empty);
  CHECK(empty.error().message == "w.yaml:1:1: phases: is required");
}

TEST_CASE("the built-in workloads are valid, the others are named", "[scenario][workload]") {
  int found = 0;
  for (const auto& builtin : builtin_workloads()) {
    ++found;
    const auto workload = load_workload(std::string(builtin.name));
    INFO(builtin.name);
    REQUIRE(workload);
    CHECK(workload->threads == 8);
  }
  CHECK(found >= 9);
  const auto unknown = load_workload("ycsb-x");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("ycsb-a") != std::string::npos);
  const auto absent = load_workload("/nonexistent/w.yaml");
  REQUIRE_FALSE(absent);
  CHECK(absent.error().message == "/nonexistent/w.yaml: No such file or directory");
}

TEST_CASE("sizes are read strictly", "[scenario][workload]") {
  using rocktune::scenario::parse_bytes;
  CHECK(parse_bytes("4096") == 4096);
  CHECK(parse_bytes("64KiB") == 65536);
  CHECK(parse_bytes("1.5 MB") == 1500000);
  CHECK(parse_bytes("1TiB") == std::int64_t{1} << 40);
  CHECK(parse_bytes("7B") == 7);
  for (const char* wrong : {"", "KiB", "64kib", "64 KiB x", "1e400GB", "nan", "0x10", "12 34"}) {
    INFO(wrong);
    CHECK_FALSE(parse_bytes(wrong));
  }
}
