#include "daemon/http/control.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "daemon/metrics.h"
#include "model/text.h"

namespace rocktune::daemon {

namespace asio = boost::asio;

namespace {

using Json = nlohmann::ordered_json;

std::string dump(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

HttpResponse error(unsigned status, const std::string& code, const std::string& message) {
  return {status, dump({{"error", {{"code", code}, {"message", message}}}})};
}

HttpResponse plain(unsigned status, std::string text) {
  return {status, std::move(text), "text/plain; charset=utf-8"};
}

HttpResponse health(const Status& status, const Clock& clock) {
  const double since = seconds_between(status.last_poll.tick, clock().tick);
  const double limit = std::max(5.0, 5 * status.poll_interval_seconds);
  if (status.counters.polls_done > 0 && since > limit) {
    return plain(503, "the last poll began " + std::to_string(since) + " s ago\n");
  }
  return plain(200, "ok\n");
}

// Made once for what is published, however often it is asked for: it takes time from the polls.
class MetricsText {
 public:
  const std::string& of(const Snapshot& status) {
    if (status != status_) text_ = metrics_text(*status);
    status_ = status;
    return text_;
  }

 private:
  Snapshot status_;
  std::string text_;
};

HttpResponse monitoring(Daemon& daemon, const Clock& clock, MetricsText& metrics,
                        const HttpRequest& request) {
  const Snapshot status = daemon.snapshot();
  if (request.method != "GET" && request.method != "HEAD") {
    return error(405, "bad_method", request.path + " takes GET");
  }
  if (request.path == "/metrics") {
    return {200, metrics.of(status), "text/plain; version=0.0.4; charset=utf-8"};
  }
  if (request.path == "/healthz") return health(*status, clock);
  if (request.path == "/readyz") {
    return status->counters.polls_done > 0 ? plain(200, "ready\n")
                                           : plain(503, "no poll was made yet\n");
  }
  return error(404, "not_found", "no such path: " + request.path);
}

struct Order {
  std::string target;
  KnobReturn knob;     // of a release: its name and column family
  bool check = false;  // nothing is done: may it be?
};

bool are_integers(const Json& list) {
  return list.is_array() &&
         std::ranges::all_of(list, [](const Json& one) { return one.is_number_integer(); });
}

// An empty body is an empty object; unknown and wrongly typed members are refused, and so are an
// empty "knob" or "target", so that what is misspelt never releases everything.
Result<Order> parse_order(const std::string& body, bool is_rollback) {
  Order order;
  const Json json = body.empty() ? Json::object() : Json::parse(body, nullptr, false);
  if (!json.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "the body is not a JSON object");
  }
  for (const auto& [key, value] : json.items()) {
    if (is_rollback && key == "value" && value.is_number_integer()) {
      order.knob.value = value.get<std::int64_t>();
      continue;
    }
    if (is_rollback && key == "left_at" && are_integers(value)) {
      order.knob.left_at = value.get<std::vector<std::int64_t>>();
      continue;
    }
    if (is_rollback && key == "check" && value.is_boolean()) {
      order.check = value.get<bool>();
      continue;
    }
    std::string* place = key == "target"                    ? &order.target
                         : key == "knob"                    ? &order.knob.knob
                         : key == "column_family"           ? &order.knob.column_family
                         : is_rollback && key == "decision" ? &order.knob.decision
                                                            : nullptr;
    if (place == nullptr || !(value.is_string() || value.is_null())) {
      return fail(ErrorCode::kInvalidArgument,
                  place == nullptr ? "unknown member '" + key + "'" : "'" + key + "' is no string");
    }
    if (value.is_string()) *place = value.get<std::string>();
    if (place->empty() && (key == "target" || key == "knob")) {
      return fail(ErrorCode::kInvalidArgument, "'" + key + "' is empty: leave it out, or name one");
    }
  }
  if (order.knob.knob.empty() && !order.knob.column_family.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a 'column_family' needs a 'knob'");
  }
  const bool of_knob = order.knob.value || order.knob.left_at || !order.knob.decision.empty();
  if (of_knob && order.knob.knob.empty()) {
    return fail(ErrorCode::kInvalidArgument, "a 'value', 'left_at' or 'decision' needs a 'knob'");
  }
  return order;
}

HttpResponse answer(const Result<std::vector<KnobResult>>& results) {
  if (!results) {
    const std::string& message = results.error().message;
    if (results.error().code == ErrorCode::kNotFound) return error(404, "not_found", message);
    if (results.error().code == ErrorCode::kInvalidArgument) return error(409, "conflict", message);
    return error(503, "unavailable", message);
  }
  Json list = Json::array();
  for (const KnobResult& result : *results) {
    list.push_back({{"target", result.target},
                    {"knob", result.result.id},
                    {"column_family", result.result.column_family},
                    {"status", result.result.status},
                    {"reason", result.result.reason},
                    {"before", result.result.before},
                    {"after", result.result.after}});
  }
  return {200, dump({{"results", std::move(list)}})};
}

asio::awaitable<HttpResponse> order(Daemon& daemon, HttpRequest request) {
  if (request.method != "POST") co_return error(405, "bad_method", request.path + " takes POST");
  const bool release = request.path == "/v1/release";
  const Result<Order> wanted = parse_order(request.body, !release);
  if (!wanted) co_return error(400, "bad_request", wanted.error().message);
  const KnobReturn& knob = wanted->knob;
  if (release) {
    co_return answer(co_await daemon.release(wanted->target, knob.knob, knob.column_family));
  }
  if (wanted->check) {
    const Result<void> may = daemon.may_roll_back(wanted->target, knob);
    co_return answer(may ? Result<std::vector<KnobResult>>() : tl::unexpected(may.error()));
  }
  if (!knob.knob.empty()) co_return answer(co_await daemon.rollback_knob(wanted->target, knob));
  co_return answer(co_await daemon.rollback(wanted->target));
}

// {"for_seconds": number}, or nothing: until it is removed.
Result<std::optional<double>> parse_freeze(const std::string& body) {
  constexpr double kLongest = 365.0 * 86400;
  const Json json = body.empty() ? Json::object() : Json::parse(body, nullptr, false);
  if (!json.is_object()) {
    return fail(ErrorCode::kInvalidArgument, "the body is not a JSON object");
  }
  std::optional<double> seconds;
  for (const auto& [key, value] : json.items()) {
    if (key != "for_seconds") {
      return fail(ErrorCode::kInvalidArgument, "unknown member '" + key + "'");
    }
    if (!value.is_number() || value.get<double>() <= 0 || value.get<double>() > kLongest) {
      return fail(ErrorCode::kInvalidArgument, "'for_seconds' has to be above 0, to a year");
    }
    seconds = value.get<double>();
  }
  return seconds;
}

HttpResponse freeze_order(Daemon& daemon, const HttpRequest& request) {
  if (request.method != "POST") return error(405, "bad_method", request.path + " takes POST");
  const bool freezes = request.path == "/v1/freeze";
  const Result<std::optional<double>> seconds = parse_freeze(request.body);
  if (!seconds) return error(400, "bad_request", seconds.error().message);
  if (!freezes && *seconds) return error(400, "bad_request", "unknown member 'for_seconds'");
  const Result<void> done = freezes ? daemon.freeze(*seconds) : daemon.unfreeze();
  if (!done) return error(503, "unavailable", done.error().message);
  const std::optional<Nanoseconds> until = daemon.frozen_until();
  return {200, dump({{"frozen", daemon.frozen().frozen},
                     {"file", daemon.config().freeze_file},
                     {"until", until ? Json(text::rfc3339(*until)) : Json(nullptr)}})};
}

asio::awaitable<HttpResponse> control(Daemon& daemon, Clock clock,
                                      std::shared_ptr<MetricsText> metrics, HttpRequest request) {
  if (request.path == "/v1/release" || request.path == "/v1/rollback") {
    co_return co_await order(daemon, std::move(request));
  }
  if (request.path == "/v1/freeze" || request.path == "/v1/unfreeze") {
    co_return freeze_order(daemon, request);
  }
  if (request.path != "/v1/status") co_return monitoring(daemon, clock, *metrics, request);
  if (request.method != "GET") co_return error(405, "bad_method", "/v1/status takes GET");
  co_return HttpResponse{200, status_json(*daemon.snapshot())};
}

asio::awaitable<HttpResponse> monitor(Daemon& daemon, Clock clock,
                                      std::shared_ptr<MetricsText> metrics, HttpRequest request) {
  co_return monitoring(daemon, clock, *metrics, request);
}

}  // namespace

HttpHandler monitoring_handler(Daemon& daemon, const Clock& clock) {
  return [&daemon, clock, metrics = std::make_shared<MetricsText>()](HttpRequest request) {
    return monitor(daemon, clock, metrics, std::move(request));
  };
}

HttpHandler control_handler(Daemon& daemon, const Clock& clock) {
  return [&daemon, clock, metrics = std::make_shared<MetricsText>()](HttpRequest request) {
    return control(daemon, clock, metrics, std::move(request));
  };
}

}  // namespace rocktune::daemon
