// What is said of policies and settings at a start, on a reload and by --check-config.
#include "daemon/config/policy_notes.h"

#include "daemon/config/load.h"
#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"

using namespace rocktune;
using namespace rocktune::daemon;

namespace {

std::vector<std::string> notes(const std::string& text) {
  return policy_notes(finalize(parse_yaml(text, "r.yaml").value()).value());
}

}  // namespace

TEST_CASE("a policy that is there for comparison is named when it is to act", "[daemon][config]") {
  CHECK(notes("daemon: {mode: act}").empty());
  const std::string adoc = "defaults: {policy: adoc, budget: {memory_max: 1GiB}}";
  CHECK(notes(adoc).empty());
  const auto defaults = notes("daemon: {mode: act}\n" + adoc);
  REQUIRE(defaults.size() == 1);
  CHECK(defaults[0].starts_with("policy adoc is there to be compared with"));
  const auto targets = notes(adoc +
                             "\ntargets:\n"
                             "  - {path: /a, mode: act}\n"
                             "  - {path: /b, mode: act}\n"
                             "  - {path: /c, mode: act, policy: cockroach-l0}\n"
                             "  - {path: /d, policy: rocksdb-auto-tuned}\n");
  REQUIRE(targets.size() == 2);
  CHECK(targets[0].starts_with("policy adoc "));
  CHECK(targets[1].starts_with("policy cockroach-l0 "));
}

TEST_CASE("what does nothing for want of a device profile is said", "[daemon][config]") {
  const auto share = notes(
      "defaults: {budget: {device_share: 0.5}}\n"
      "targets: [{path: /a}, {path: /b, budget: {device_share: 0.25}}]\n");
  REQUIRE(share.size() == 2);
  CHECK(share[0].starts_with("budget.device_share (0.25) has no effect without device_profile"));
  CHECK(share[1].starts_with("budget.device_share (0.5) has no effect without device_profile"));
  const auto silk = notes("defaults: {policy: silk}");
  REQUIRE(silk.size() == 1);
  CHECK(silk[0].starts_with("policy silk divides what the device can write"));
  CHECK(notes("daemon: {mode: observe}\ndefaults: {policy: silk}").empty());
  CHECK(notes("defaults: {policy: silk, policy_params: {device_bytes_per_second: 1e8}}").empty());
}

TEST_CASE("an adoc that may take no memory is told of", "[daemon][config]") {
  const auto adoc = notes("defaults: {policy: adoc}");
  REQUIRE(adoc.size() == 1);
  CHECK(adoc[0].starts_with("policy adoc enlarges write buffers, and without budget.memory_max"));
  CHECK(notes("daemon: {mode: observe}\ndefaults: {policy: adoc}").empty());
  CHECK(notes("defaults: {policy: adoc, budget: {memory_max: 1GiB}}").empty());
  CHECK(notes("shared: {memory_max: 1GiB}\ndefaults: {policy: adoc}").empty());
}

TEST_CASE("pins above the budget, and those that the mode does not set, are said",
          "[daemon][config]") {
  const auto all = notes(
      "daemon: {mode: act}\n"
      "defaults: {budget: {memory_max: 16MiB}}\n"
      "targets:\n"
      "  - {path: /a, budget: {jobs_max: 3}, pin: {max_background_jobs: 8, "
      "max_subcompactions: 4, block_cache_capacity_bytes: 1GiB, write_buffer_size: 16MiB}}\n"
      "  - {path: /b, mode: observe, pin: {max_background_jobs: 8}}\n"
      "  - {path: /c, mode: advise, pin: {max_background_jobs: 8}}\n");
  CHECK(all ==
        std::vector<std::string>{
            "targets[0].pin.max_background_jobs (8) is above budget.jobs_max (3): the pin counts",
            "targets[0].pin.max_subcompactions (4) is above budget.jobs_max (3): the pin counts",
            "targets[0].pin.block_cache_capacity_bytes (1 GiB) is above budget.memory_max (16 "
            "MiB): the pin counts",
            "targets[1].pin has no effect under mode observe: pins are set in mode act",
            "targets[2].pin is only advised under mode advise: pins are set in mode act"});
}

TEST_CASE("a pin above the share of a device that was probed is said", "[daemon][config]") {
  tests::TempDirectory directory;
  const std::string profile = directory.write("device.yaml",
                                              "read_bytes_per_second: 1073741824\n"
                                              "write_bytes_per_second: 1073741824\n"
                                              "read_iops: 100000\n"
                                              "write_iops: 100000\n"
                                              "mixing_loss: 0.6\n");
  const auto all = notes("daemon: {mode: act}\ndefaults: {device_profile: " + profile +
                         ", budget: {device_share: 0.5}}\n"
                         "targets:\n"
                         "  - {path: /a, pin: {rate_limiter_bytes_per_second: 600MiB/s}}\n"
                         "  - {path: /b, pin: {rate_limiter_bytes_per_second: 500MiB/s}}\n");
  REQUIRE(all.size() == 1);
  CHECK(all[0] ==
        "targets[0].pin.rate_limiter_bytes_per_second (600 MiB/s) is above budget.device_share "
        "(512 MiB/s): the pin counts");
}
