#include "daemon/sources/nvme_health.h"

#include <cctype>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>

namespace rocktune::daemon {
namespace {

constexpr Nanoseconds kReadEvery = std::chrono::minutes(1);
// Longer than the kernel's own timeout: what was read before says nothing any more.
constexpr Nanoseconds kUnanswered = std::chrono::minutes(3);

}  // namespace

bool is_nvme_namespace(std::string_view device) {
  constexpr std::string_view kPrefix = "nvme";
  return device.size() > kPrefix.size() && device.starts_with(kPrefix) &&
         std::isdigit(static_cast<unsigned char>(device[kPrefix.size()])) != 0;
}

struct NvmeHealth::State {
  std::string device;
  ReadNvmePage read_page;
  std::mutex mutex;
  bool running = false;
  Read last;
  Nanoseconds last_at{0};  // when the reading of `last` was begun

  // On the thread.
  Read fetch(Nanoseconds at) {
    const Result<std::string> page = read_page(device, NvmePage::kSmart);
    if (!page) return {std::nullopt, page.error().message};
    Result<NvmeReading> reading = parse_smart_page(*page);
    if (!reading) return {std::nullopt, device + ": " + reading.error().message};
    // Most drives do not have it: that is no error.
    if (const auto ocp = read_page(device, NvmePage::kOcp)) {
      reading->media_bytes_written = media_bytes_of_ocp_page(*ocp);
    }
    const std::lock_guard lock(mutex);
    if (last.reading && at > last_at) {
      reading->throttle_seconds_before = last.reading->throttle_seconds;
      reading->period_ms = static_cast<std::uint64_t>((at - last_at).count() / 1'000'000);
    }
    return {*std::move(reading), ""};
  }
};

void NvmeHealth::run_on_thread(std::function<void()> work) {
  std::thread(std::move(work)).detach();
}

NvmeHealth::NvmeHealth(std::string device, ReadNvmePage read, Run run)
    : state_(std::make_shared<State>()), run_(std::move(run)) {
  state_->device = std::move(device);
  state_->read_page = std::move(read);
}

NvmeHealth::Read NvmeHealth::read(Nanoseconds now) {
  bool begin = false;
  {
    const std::lock_guard lock(state_->mutex);
    begin = !state_->running && (!begun_ || now - *begun_ >= kReadEvery || now < *begun_);
    if (begin) state_->running = true;
  }
  if (begin) {
    begun_ = now;
    try {
      run_([state = state_, now] {
        Read read = state->fetch(now);
        const std::lock_guard lock(state->mutex);
        state->last = std::move(read);
        state->last_at = now;
        state->running = false;
      });
    } catch (const std::system_error& problem) {  // no more threads
      const std::lock_guard lock(state_->mutex);
      state_->running = false;
      state_->last = {std::nullopt, std::string("no thread to read it: ") + problem.what()};
    }
  }
  const std::lock_guard lock(state_->mutex);
  if (state_->running && now - *begun_ >= kUnanswered) {
    return {std::nullopt, state_->device + ": its controller has not answered for 3 minutes"};
  }
  return state_->last;
}

}  // namespace rocktune::daemon
