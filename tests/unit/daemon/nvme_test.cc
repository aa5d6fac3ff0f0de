// The NVMe source on hand-made pages: no drive is needed, and none is asked.
#include <deque>

#include "daemon/sources/nvme_health.h"
#include "tests/support/catch.h"
#include "tests/unit/daemon/nvme_pages_made.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace std::chrono_literals;

namespace {

// Work that waits until the test runs it.
struct Later {
  std::deque<std::function<void()>> work;
  NvmeHealth::Run run() {
    return [this](std::function<void()> one) { work.push_back(std::move(one)); };
  }
  void run_one() {
    REQUIRE_FALSE(work.empty());
    work.front()();
    work.pop_front();
  }
};

}  // namespace

TEST_CASE("the health page's fields are where the specification has them", "[daemon][nvme]") {
  const auto reading = parse_smart_page(test::smart_page());
  REQUIRE(reading.has_value());
  CHECK(reading->critical_warning == 2U);
  CHECK(reading->temperature_kelvin == 350U);
  CHECK(reading->spare_percent == 99U);
  CHECK(reading->used_percent == 104U);
  CHECK(reading->data_units_read == 0x0102030405060708U);
  CHECK(reading->data_units_written == 1000U);
  CHECK(reading->media_errors == 3U);
  CHECK(reading->warning_minutes == 11U);
  CHECK(reading->critical_minutes == 12U);
  CHECK(reading->throttle_count == 7U);
  CHECK(reading->throttle_seconds == 90U);
  CHECK_FALSE(reading->media_bytes_written);
  CHECK_FALSE(reading->throttle_seconds_before);
}

TEST_CASE("what no drive says is absent or refused", "[daemon][nvme]") {
  for (const std::size_t size : {0U, 511U, 513U, 4096U}) {
    CHECK_FALSE(parse_smart_page(std::string(size, '\0')));
    CHECK_FALSE(media_bytes_of_ocp_page(std::string(size, '\xff')));
  }
  std::string page = test::smart_page();
  test::put(page, 1, 0, 2);   // kelvin: not reported
  test::put(page, 56, 1, 8);  // more data units than 8 bytes hold
  const auto reading = parse_smart_page(page);
  REQUIRE(reading.has_value());
  CHECK_FALSE(reading->temperature_kelvin);
  CHECK_FALSE(reading->data_units_written);
  CHECK(parse_smart_page(std::string(512, '\xff')));
}

TEST_CASE("only the OCP's page tells what was written to flash", "[daemon][nvme]") {
  CHECK(media_bytes_of_ocp_page(test::ocp_page(1'024'000'000)) == 1'024'000'000U);
  std::string another = test::ocp_page(5);
  another[500] = 'x';
  CHECK_FALSE(media_bytes_of_ocp_page(another));
}

TEST_CASE("which devices are NVMe namespaces", "[daemon][nvme]") {
  CHECK(is_nvme_namespace("nvme0n1"));
  CHECK(is_nvme_namespace("nvme12n3"));
  for (const char* name :
       {"", "nvme", "nvmex", "sda", "loop3", "emulated:nvme-p41", "file:nvme0n1"}) {
    CHECK_FALSE(is_nvme_namespace(name));
  }
}

TEST_CASE("health is read once a minute, and a poll never waits for it", "[daemon][nvme]") {
  Later later;
  int reads = 0;
  std::uint32_t throttled = 90;
  NvmeHealth health(
      "/dev/nvme0n1",
      [&](const std::string& device, NvmePage page) -> Result<std::string> {
        CHECK(device == "/dev/nvme0n1");
        if (page == NvmePage::kOcp) return test::ocp_page(1'024'000'000);
        ++reads;
        std::string text = test::smart_page();
        test::put(text, 228, throttled - 40, 4);
        return text;
      },
      later.run());
  CHECK_FALSE(health.read(0s).reading);
  CHECK(health.read(0s).error.empty());
  CHECK(later.work.size() == 1);
  CHECK_FALSE(health.read(50s).reading);
  CHECK(health.read(200s).error.find("has not answered for 3 minutes") != std::string::npos);
  CHECK(later.work.size() == 1);  // one at a time, however long it takes
  later.run_one();
  auto read = health.read(200s);  // which begins the next
  REQUIRE(read.reading);
  CHECK(read.error.empty());
  CHECK(read.reading->throttle_seconds == 90U);
  CHECK(read.reading->media_bytes_written == 1'024'000'000U);
  CHECK_FALSE(read.reading->period_ms);
  throttled = 120;
  later.run_one();
  for (const auto now : {210s, 259s}) {
    read = health.read(now);
    REQUIRE(read.reading);
    CHECK(read.reading->throttle_seconds == 120U);
    CHECK(read.reading->throttle_seconds_before == 90U);
    CHECK(read.reading->period_ms == 200'000U);
  }
  CHECK(later.work.empty());
  CHECK(reads == 2);
  health.read(260s);
  CHECK(later.work.size() == 1);
}

TEST_CASE("health that cannot be read says why, and is read again", "[daemon][nvme]") {
  bool allowed = false;
  NvmeHealth health(
      "/dev/nvme0n1",
      [&](const std::string&, NvmePage page) -> Result<std::string> {
        if (!allowed) return fail(ErrorCode::kPermission, "needs CAP_SYS_ADMIN");
        if (page == NvmePage::kOcp) return fail(ErrorCode::kUnsupported, "no such page");
        return test::smart_page();
      },
      [](const std::function<void()>& work) { work(); });
  auto read = health.read(0s);
  CHECK_FALSE(read.reading);
  CHECK(read.error == "needs CAP_SYS_ADMIN");
  allowed = true;
  CHECK_FALSE(health.read(30s).reading);
  read = health.read(60s);
  CHECK(read.error.empty());
  REQUIRE(read.reading);
  CHECK_FALSE(read.reading->media_bytes_written);  // most drives: no error
  NvmeHealth without_threads(
      "/dev/nvme0n1", [](const std::string&, NvmePage) { return Result<std::string>(""); },
      [](const std::function<void()>&) {
        throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
      });
  CHECK(without_threads.read(0s).error.find("no thread") != std::string::npos);
}

TEST_CASE("without an NVMe device the real reader gives a reason", "[daemon][nvme]") {
  const auto page = libnvme_reader()("/dev/null", NvmePage::kSmart);
  REQUIRE_FALSE(page.has_value());
  CHECK(page.error().message.find("/dev/null: ") == 0);
}
