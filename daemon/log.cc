#include "daemon/log.h"

#include <spdlog/logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include "files/printable.h"

namespace rocktune::daemon {

namespace {

std::shared_ptr<spdlog::logger> make_logger(spdlog::sink_ptr sink, std::string_view level) {
  auto logger = std::make_shared<spdlog::logger>("rocktuned", std::move(sink));
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%eZ %l %v", spdlog::pattern_time_type::utc);
  logger->set_level(spdlog::level::from_str(std::string(level)));
  logger->flush_on(spdlog::level::info);
  return logger;
}

}  // namespace

struct Log::State {
  std::shared_ptr<spdlog::logger> logger;
};

Log::Log() : state_(std::make_unique<State>()) {
  state_->logger = make_logger(std::make_shared<spdlog::sinks::stderr_sink_st>(), "info");
}
Log::~Log() = default;

Result<void> Log::open(std::string_view level, const std::string& file) {
  try {
    spdlog::sink_ptr sink;
    if (file == "stderr") {
      sink = std::make_shared<spdlog::sinks::stderr_sink_st>();
    } else {
      sink = std::make_shared<spdlog::sinks::basic_file_sink_st>(file, false);
    }
    state_->logger = make_logger(std::move(sink), level);
    return {};
  } catch (const std::exception& error) {
    return fail(ErrorCode::kIo, "cannot open the log " + file + ": " + error.what());
  }
}

// Much of it is what a config file, or another user's process, has given.
// spdlog reports a failing sink to its error handler (stderr) and does not throw.
void Log::debug(std::string_view message) {
  state_->logger->debug("{}", printable(message));
}
void Log::info(std::string_view message) {
  state_->logger->info("{}", printable(message));
}
void Log::warn(std::string_view message) {
  state_->logger->warn("{}", printable(message));
}
void Log::error(std::string_view message) {
  state_->logger->error("{}", printable(message));
}

}  // namespace rocktune::daemon
