#include "bench/workload/workload.h"

#include "bench/config/builtin.h"
#include "bench/config/located_yaml.h"
#include "tests/support/catch.h"

using rocktune::bench::BuiltinKind;
using rocktune::bench::builtins;
using rocktune::bench::Distribution;
using rocktune::bench::load_workload;
using rocktune::bench::Mix;
using rocktune::bench::parse_workload;

TEST_CASE("a workload is read as written", "[bench][workload]") {
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
  CHECK(workload->value_size == 4096);
  CHECK(workload->threads == 3);
  REQUIRE(workload->phases.size() == 2);
  CHECK(workload->phases[0].mix == Mix{0.95, 0.05, 0});
  CHECK(workload->phases[0].ops_per_second == 2500.5);
  CHECK(workload->phases[0].distribution == Distribution::kZipfian);
  CHECK(workload->phases[1].name == "phase 2");
  CHECK(workload->phases[1].mix == Mix{0.2, 0.7, 0.1});
  CHECK(workload->phases[1].ops_per_second == 0);
  CHECK(workload->phases[1].distribution == Distribution::kUniform);
  CHECK(workload->seconds() == 31.5);
}

TEST_CASE("every mistake is reported, with its place", "[bench][workload]") {
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
        "w.yaml:2:1: record: is not known here; known: description, name, phases, records, seed, "
        "threads, value_size\n"
        "w.yaml:3:10: threads: 'many' is not a whole number\n"
        "w.yaml:4:1: threads: is given twice\n"
        "w.yaml:5:13: value_size: '1 furlong' is not a size: write 4096, 64KiB or 1.5MB\n"
        "w.yaml:8:14: phases[0].seconds: -3 is out of range: give 0.1 to 86400\n"
        "w.yaml:9:15: phases[0].workload: 'Q' is no YCSB workload that this knows: A, B, C or F\n"
        "w.yaml:10:5: phases[1].seconds: is required\n"
        "w.yaml:10:18: phases[1].proportions: must add up to 1, not 1.100000\n"
        "w.yaml:11:19: phases[1].distribution: 'gaussian' is neither zipfian nor uniform");
}

TEST_CASE("text that is no YAML, or no map, is one clear error", "[bench][workload]") {
  const auto broken = parse_workload("phases: [\n", "w.yaml");
  REQUIRE_FALSE(broken);
  CHECK(broken.error().message.rfind("w.yaml:", 0) == 0);

  const auto list = parse_workload("- a\n- b\n", "w.yaml");
  REQUIRE_FALSE(list);
  CHECK(list.error().message == "w.yaml:1:1: must be a map of key: value");

  const auto empty = parse_workload("name: x\n", "w.yaml");
  REQUIRE_FALSE(empty);
  CHECK(empty.error().message == "w.yaml:1:1: phases: is required");
}

TEST_CASE("the built-in workloads are valid, the others are named", "[bench][workload]") {
  int found = 0;
  for (const auto& builtin : builtins()) {
    if (builtin.kind != BuiltinKind::kWorkload) continue;
    ++found;
    const auto workload = load_workload(std::string(builtin.name));
    INFO(builtin.name);
    REQUIRE(workload);
    CHECK(workload->threads == 8);
  }
  CHECK(found >= 5);
  const auto unknown = load_workload("ycsb-x");
  REQUIRE_FALSE(unknown);
  CHECK(unknown.error().message.find("ycsb-a") != std::string::npos);
  const auto absent = load_workload("/nonexistent/w.yaml");
  REQUIRE_FALSE(absent);
  CHECK(absent.error().message == "/nonexistent/w.yaml: cannot be opened for reading");
}

TEST_CASE("sizes are read strictly", "[bench][workload]") {
  using rocktune::bench::parse_bytes;
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
