// The health of an NVMe drive on its way: from the device under a database to its trace and
// features.
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "daemon/config/load.h"
#include "daemon/target.h"
#include "model/features.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/nvme_pages_made.h"
#include "tests/unit/daemon/support.h"
#include "trace/reader.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

// The file system of the test's own directory lies on nvme0n1, as this tree has it.
struct NvmeWorld {
  test::TempTree tree;
  Instant now{Nanoseconds(1'700'000'000s), 1000s};
  Log log;
  AlertLog alerts{tree.path("alerts.jsonl")};
  Config config = *load_config({"", {}, {{"trace.directory", tree.directory("trace"), "test"}}});
  TraceWriter trace = *TraceWriter::create(config, now, [this] { return now; }, log);
  Journal journal{alerts, trace, log, [this] { return now; }};
  Counters counters;
  LearntStore learnt{tree.path("learnt"), 10min, log};
  std::string refusal;

  NvmeWorld() {
    REQUIRE(log.open("error", "stderr"));
    const std::string path = tree.directory("db");
    struct stat status{};
    REQUIRE(::stat(path.c_str(), &status) == 0);
    tree.file("sys/devices/nvme0n1/stat", "100 1 800 50 200 2 1600 90 3 70 140\n");
    tree.link("sys/dev/block/" + std::to_string(major(status.st_dev)) + ":" +
                  std::to_string(minor(status.st_dev)),
              "../../devices/nvme0n1");
    tree.link("sys/class/block/nvme0n1", "../../devices/nvme0n1");
  }
  Result<std::string> page(const std::string& device, NvmePage page) const {
    CHECK(device == "/dev/nvme0n1");
    if (!refusal.empty()) return fail(ErrorCode::kPermission, refusal);
    return page == NvmePage::kOcp ? test::ocp_page(1'024'000'000) : test::smart_page();
  }
  // The samples of two polls.
  std::vector<Sample> polled() {
    const Roots roots{
        tree.path("proc"), tree.path("sys"),
        [this](const auto& device, NvmePage page) { return this->page(device, page); },
        [](const std::function<void()>& work) { work(); }};
    TargetRule rule;
    auto target = Target::create(1, tree.path("db"), rule, roots, journal, counters, learnt);
    REQUIRE(target);
    Opening opening;
    opening.agent.instance = "abc";
    opening.database.id = "1";
    opening.database.path = tree.path("db");
    (*target)->opened(opening);
    for (int i = 0; i < 2; ++i) {
      now.tick += 500ms;
      now.wall += 500ms;
      (*target)->poll(now, fail(ErrorCode::kUnavailable, "busy"));
    }
    auto reader = trace::Reader::open(trace.path());
    REQUIRE(reader);
    auto steps = reader->steps(1);
    REQUIRE(steps);
    std::vector<Sample> samples;
    for (auto step = steps->next(); step && *step; step = steps->next()) {
      samples.push_back((*step)->sample);
    }
    return samples;
  }
};

}  // namespace

TEST_CASE("an NVMe drive's health is in every sample and in the features", "[daemon][nvme]") {
  NvmeWorld world;
  const auto samples = world.polled();
  REQUIRE(samples.size() == 2);
  for (const Sample& sample : samples) {
    REQUIRE(sample.nvme);
    CHECK(sample.nvme->media_errors == 3U);
    CHECK(sample.health.at(2) == SourceHealth{"nvme", ""});
    const Features features = derive(nullptr, sample);
    CHECK(features.nvme_temperature_celsius == 77.0);
    CHECK(features.nvme_wear_ratio == 1.04);
    CHECK(features.nvme_critical_warnings == 1.0);
    CHECK(*features.device_write_amplification == Approx(2));
    CHECK_FALSE(features.nvme_throttled_ratio);  // one reading
  }
}

TEST_CASE("health that is refused is absent, with the reason in the trace", "[daemon][nvme]") {
  NvmeWorld world;
  world.refusal = "needs CAP_SYS_ADMIN";
  const auto samples = world.polled();
  REQUIRE(samples.size() == 2);
  CHECK_FALSE(samples[1].nvme);
  CHECK(samples[1].health.at(2) == SourceHealth{"nvme", "needs CAP_SYS_ADMIN"});
  CHECK(world.counters.source_errors["nvme"] == 2);
  CHECK(samples[1].device);  // what needs no privileges goes on
}
