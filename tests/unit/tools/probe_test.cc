// rocktune probe-device: what it asks fio, and what it makes of the answers.
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

#include "tests/support/catch.h"
#include "tests/support/temp_directory.h"
#include "tools/child_process.h"
#include "tools/output_file.h"
#include "tools/probe_text.h"
#include "tools/scratch_file.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tests::TempDirectory;

namespace {

constexpr std::int64_t kGiB = std::int64_t{1} << 30;

bool has(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// A device of exactly this model, at its limit.
FioResult at_limit(const DeviceCapacities& device, std::int64_t bytes, double read_share) {
  const auto size = static_cast<double>(bytes);
  double low = 0;
  double high = 1e9;
  for (int i = 0; i < 200; ++i) {
    const double rate = (low + high) / 2;
    const double reads = rate * read_share;
    const double writes = rate - reads;
    const double load =
        mixed_load(capacity_share(*device.read, reads * size, reads),
                   capacity_share(*device.write, writes * size, writes), *device.mixing_loss);
    (load < 1 ? low : high) = rate;
  }
  FioResult out;
  out.version = "fio-3.33";
  const auto direction = [&](double rate) {
    return FioDirection{rate * size, rate, 100, 0.02, static_cast<std::int64_t>(rate * size)};
  };
  out.read = direction(low * read_share);
  out.write = direction(low * (1 - read_share));
  return out;
}

std::vector<MeasuredStep> measured(const DeviceCapacities& device) {
  std::vector<MeasuredStep> out;
  for (const ProbeStep& step : probe_steps(kGiB, true, 60)) {
    const bool only_writes = step.run.pattern == "write" || step.run.pattern == "randwrite";
    out.push_back({step.name, at_limit(device, step.run.request_bytes,
                                       only_writes ? 0 : step.run.read_percent / 100.0)});
  }
  return out;
}

const DeviceCapacities kDevice{DirectionCapacity{3.5e9, 500'000}, DirectionCapacity{2e9, 300'000},
                               0.7, 100 / 1e6};

const std::string kFioJson = R"(note: both iodepth >= 1 and synchronous I/O engine are selected
{"fio version": "fio-3.33", "jobs": [{"jobname": "probe", "error": 0,
 "read": {"io_bytes": 4096000, "bw_bytes": 819200, "iops": 200.0, "iops_mean": 200.0, "iops_stddev": 10.0,
          "lat_ns": {"min": 1, "max": 9, "mean": 5000.5}},
 "write": {"io_bytes": 0, "bw_bytes": 0, "iops": 0.0, "iops_mean": 0.0, "iops_stddev": 0.0,
           "lat_ns": {"min": 0, "max": 0, "mean": 0.0}}}]})";

}  // namespace

TEST_CASE("fio's answer is read, and what is no answer is an error", "[probe]") {
  const auto result = parse_fio(kFioJson);
  REQUIRE(result.has_value());
  CHECK(result->version == "fio-3.33");
  CHECK(result->read.bytes_per_second == 819200);
  CHECK(result->read.requests_per_second == 200);
  CHECK(result->read.mean_us == Approx(5.0005));
  CHECK(result->read.spread_ratio == Approx(0.05));
  CHECK(result->write.bytes == 0);
  std::string failed = kFioJson;
  failed.replace(failed.find("\"error\": 0"), 10, "\"error\": 5");
  CHECK(parse_fio(failed).error().message == "fio reports error 5");
  for (const std::string& text :
       {std::string("nothing"), std::string("{"), std::string("{\"jobs\": []}"),
        kFioJson.substr(0, kFioJson.size() / 2)}) {
    CHECK(parse_fio(text).error().code == ErrorCode::kCorrupt);
  }
}

TEST_CASE("the steps take the seconds that there are, on the one file", "[probe]") {
  const auto steps = probe_steps(kGiB, true, 60);
  CHECK(steps.size() == 11);
  double seconds = fill_step(kGiB, true, 60).run.seconds;
  for (const ProbeStep& step : steps) {
    seconds += step.run.seconds;
    const auto words = fio_arguments("/usr/bin/fio", step.run);
    CHECK(words[0] == "/usr/bin/fio");
    CHECK(has(words, "--filename=/proc/self/fd/3"));
    CHECK(has(words, "--allow_file_create=0"));
    CHECK(has(words, "--size=1073741824"));
    CHECK(has(words, "--direct=1"));
    CHECK(has(words, "--time_based"));
  }
  CHECK(seconds == Approx(60));
  CHECK(has(fio_arguments("fio", steps[5].run), "--rwmixread=75"));
  CHECK_FALSE(has(fio_arguments("fio", fill_step(kGiB, true, 60).run), "--time_based"));
  CHECK(has(fio_arguments("fio", fill_step(kGiB, false, 60).run), "--direct=0"));
}

TEST_CASE("from a device of the model's form its figures come back", "[probe]") {
  const auto fit = fit_probe(measured(kDevice));
  REQUIRE(fit.has_value());
  CHECK(fit->capacities.read->bytes_per_second == Approx(3.5e9).epsilon(1e-3));
  CHECK(fit->capacities.write->bytes_per_second == Approx(2e9).epsilon(1e-3));
  CHECK(fit->capacities.read->iops == Approx(500'000).epsilon(1e-3));
  CHECK(fit->capacities.write->iops == Approx(300'000).epsilon(1e-3));
  CHECK(*fit->capacities.mixing_loss == Approx(0.7).epsilon(1e-3));
  CHECK(*fit->capacities.read_await_seconds == Approx(1e-4));
  CHECK(fit->mixed.size() == 6);
  CHECK(fit->median_error < 1e-3);
}

TEST_CASE("a device whose reads and writes have limits of their own loses nothing", "[probe]") {
  auto steps = measured(kDevice);
  for (MeasuredStep& step : steps) {
    if (step.name.rfind("mixed_", 0) != 0) continue;
    const bool is_long = step.name.rfind("mixed_128k", 0) == 0;
    step.result.read = steps[is_long ? 0 : 2].result.read;
    step.result.write = steps[is_long ? 1 : 3].result.write;
  }
  const auto fit = fit_probe(steps);
  REQUIRE(fit.has_value());
  CHECK(*fit->capacities.mixing_loss == Approx(-1));
  CHECK(fit->median_error < 1e-3);
}

TEST_CASE("a disk that seeks, and steps that are missing, give no profile", "[probe]") {
  auto steps = measured(kDevice);
  steps[2].result.read.requests_per_second = 100;  // of 4 KiB anywhere
  const auto seeks = fit_probe(steps);
  REQUIRE_FALSE(seeks.has_value());
  CHECK(seeks.error().code == ErrorCode::kUnsupported);
  CHECK(seeks.error().message.find("a disk that seeks") != std::string::npos);
  steps = measured(kDevice);
  steps[3].result.write.requests_per_second = 0;
  CHECK_FALSE(fit_probe(steps));
  steps.erase(steps.begin());
  CHECK(fit_probe(steps).error().code == ErrorCode::kNotFound);
}

TEST_CASE("a profile says what was found and how", "[probe]") {
  ProbeReport report;
  report.setting = {"/data \"x\"", "nvme0n1", true, kGiB, 61.5, "2026-01-02T03:04:05.000Z"};
  report.steps = measured(kDevice);
  report.fit = *fit_probe(measured(kDevice));
  const std::string yaml = probe_yaml(report);
  for (const char* part :
       {"\nread_iops: 500000\n", "\nmixing_loss: 0.7\n", "\nread_latency_us: 100\n",
        "\n  place: \"/data \\\"x\\\"\"\n", "\n  device: \"nvme0n1\"\n", "\n  by: \"fio-3.33\"\n",
        "\n  direct: true\n", "\n    mixed_4k_25: {read: {bytes_per_second: "}) {
    CAPTURE(part, yaml);
    CHECK(yaml.find(part) != std::string::npos);
  }
  CHECK(yaml.find("page cache") == std::string::npos);
  report.setting.direct = false;
  report.setting.device.clear();
  CHECK(probe_yaml(report).find("page cache") != std::string::npos);
  const auto json = nlohmann::json::parse(probe_json(report));
  CHECK(json.at("schema") == "rocktune-probe-device/1");
  CHECK(json.at("measured").at("device").is_null());
  CHECK(json.at("measured").at("steps").size() == 11);
}

TEST_CASE("a disk that is or would be nearly full is refused", "[probe]") {
  CHECK(check_room({100 * kGiB, 50 * kGiB}, kGiB));
  CHECK(check_room({100 * kGiB, 11 * kGiB}, kGiB));
  CHECK(check_room({100 * kGiB, 10 * kGiB}, kGiB).error().message.find("90% full") !=
        std::string::npos);
  CHECK(check_room({100 * kGiB, 4 * kGiB}, kGiB).error().message.find("have to be") !=
        std::string::npos);
  CHECK_FALSE(check_room({10 * kGiB, 5 * kGiB}, 3 * kGiB));
  CHECK_FALSE(check_room({0, 0}, kGiB));
}

TEST_CASE("the scratch file leaves nothing in the directory, and devices are refused", "[probe]") {
  TempDirectory directory;
  const std::string neighbour = directory.write("data.sst", "untouched");
  for (const std::string& place : {directory.path().string(), neighbour}) {
    auto file = ScratchFile::create(place, 1 << 20);
    REQUIRE(file.has_value());
    CHECK(file->descriptor() >= 0);
    CHECK(file->directory() == directory.path().string());
    CHECK(std::distance(std::filesystem::directory_iterator(directory.path()), {}) == 1);
  }
  CHECK(ScratchFile::create("/dev/null", 1 << 20).error().message.find("never written to") !=
        std::string::npos);
  CHECK_FALSE(ScratchFile::create(directory.file("none"), 1 << 20));
  CHECK_FALSE(ScratchFile::create(directory.path().string(), std::int64_t{1} << 60));
}

TEST_CASE("a child's output and exit code are kept, and it ends when told to", "[probe]") {
  volatile std::sig_atomic_t stop = 0;
  TempDirectory directory;
  auto scratch = ScratchFile::create(directory.path().string(), 1 << 20);
  REQUIRE(scratch.has_value());
  const auto shell = [&](const std::string& script, double seconds = 20) {
    return run_child({{"/bin/sh", "-c", script}, scratch->descriptor(), seconds}, stop);
  };
  const auto said = shell("echo out; echo err >&2; echo to-file > /proc/self/fd/3; exit 7");
  REQUIRE(said.has_value());
  CHECK(said->exit_code == 7);
  CHECK(said->out == "out\n");
  CHECK(said->err == "err\n");
  std::string kept(8, ' ');
  CHECK(::pread(scratch->descriptor(), kept.data(), kept.size(), 0) == 8);
  CHECK(kept == "to-file\n");
  CHECK(shell("kill -9 $$")->exit_code == 137);
  CHECK(run_child({{"/nowhere/fio"}, -1, 20}, stop)->exit_code == 127);
  const auto begin = std::chrono::steady_clock::now();
  CHECK(shell("sleep 60", 0.1).error().message.find("took too long") != std::string::npos);
  stop = 1;
  CHECK(shell("sleep 60 & wait").error().message == "stopped");
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
}

TEST_CASE("what a probe's profile would write over is left without --force", "[probe]") {
  const TempDirectory directory;
  const std::string profile = directory.file("profile.yaml");
  CHECK(check_new_output(profile, false).has_value());
  CHECK(directory.write("profile.yaml", "mine") == profile);
  const auto refused = check_new_output(profile, false);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == ErrorCode::kConflict);
  CHECK(refused.error().message == profile + " exists: give --force to replace it");
  CHECK(std::filesystem::file_size(profile) == 4);
  CHECK(check_new_output(profile, true).has_value());
  CHECK_FALSE(check_new_output(directory.file("no/profile.yaml"), true).has_value());
  CHECK_FALSE(check_new_output(directory.path().string(), true).has_value());
}

TEST_CASE("a step's time of a request is in a unit that people read", "[tools]") {
  FioResult result;
  result.read = {100e6, 362, 88'500, 0.05, 1};
  CHECK(measured_text(result) == "100 MB/s, 362 requests/s, 88.5 ms each (+-5%)");
}
