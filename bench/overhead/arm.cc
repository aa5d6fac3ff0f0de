#include "bench/overhead/arm.h"

#include <chrono>
#include <thread>
#include <utility>

#include "bench/overhead/http_client.h"
#include "wire/codec.h"

namespace rocktune::bench {
namespace {

// No bounds of the measurement's own: one that ends meanwhile is an error. A recording of 5 s takes
// below 1 GB on two CPUs.
constexpr std::uint64_t kRecordingBytes = std::uint64_t{4} << 30;
constexpr double kRecordingSeconds = 86400;

Result<wire::OpTrace> tell_op_trace(const std::string& socket,
                                    const wire::OpTraceRequest& request) {
  auto agent = HttpClient::connect(socket);
  if (!agent) return tl::unexpected(agent.error());
  const auto targets = database_targets(*agent);
  if (targets.empty()) return fail(ErrorCode::kUnavailable, "the agent has no database");
  const auto answer = agent->post(targets.front() + "/op_trace", wire::encode(request));
  if (!answer) return tl::unexpected(answer.error());
  auto status = wire::decode<wire::OpTrace>(*answer);
  if (!status) return fail(ErrorCode::kProtocol, status.error());
  return *std::move(status);
}

}  // namespace

using std::chrono::duration;
using std::chrono::steady_clock;

Arm::Arm(StartedHost host, const ArmKind& kind) : host_(std::move(host)), kind_(kind) {
  turn(0);  // since it works already
}

// A poller waits for an answer, which comes only from a process that runs.
Arm::~Arm() {
  host_.resume();
}

void Arm::start_polling() {
  if (kind_.poll_milliseconds == 0) return;
  poller_.emplace(host_.socket(), std::chrono::milliseconds(kind_.poll_milliseconds));
}

Result<void> Arm::record_to(const std::string& directory) {
  wire::OpTraceRequest request;
  request.action = "start";
  request.directory = directory;
  request.max_bytes = kRecordingBytes;
  request.seconds = kRecordingSeconds;
  request.checkpoint = false;
  host_.resume();
  const auto started = tell_op_trace(host_.socket(), request);
  host_.pause();
  if (!started) return tl::unexpected(started.error());
  return {};
}

Result<double> Arm::end_recording() {
  wire::OpTraceRequest request;
  request.action = "stop";
  host_.resume();
  const auto status = tell_op_trace(host_.socket(), request);
  host_.pause();
  if (!status) return tl::unexpected(status.error());
  if (status->why_ended != "request") {
    return fail(ErrorCode::kUnavailable, "the recording ended early: " + status->why_ended);
  }
  return status->writer_ns_per_operation.value_or(0);
}

void Arm::turn(double seconds) {
  const auto begin = steady_clock::now();
  host_.resume();
  std::this_thread::sleep_until(begin + duration<double>(seconds));
  host_.pause();
  turns_seconds_ += duration<double>(steady_clock::now() - begin).count();
}

// The signal waits for the process to go on, whose workload then ends before it does anything more.
Result<HostRun> Arm::finish() {
  std::optional<double> recording_ns;
  if (kind_.op_trace) {
    const auto ended = end_recording();
    if (!ended) return tl::unexpected(ended.error());
    recording_ns = *ended;
  }
  host_.finish();
  host_.resume();
  const auto line = host_.wait_for_line();
  if (poller_) polls_ = poller_->polls();
  poller_.reset();
  if (!line) return tl::unexpected(line.error());
  if (kind_.poll_milliseconds > 0 && polls_ == 0) {
    return fail(ErrorCode::kUnavailable, "the agent answered no poll");
  }
  auto run = parse_host_run(*line);
  if (run) {
    run->ops_per_second = run->operations / turns_seconds_;
    run->recording_ns_per_op = recording_ns;
  }
  return run;
}

}  // namespace rocktune::bench
