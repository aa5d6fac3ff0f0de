#include "tests/integration/agent_stress/poller.h"

#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/write.hpp>
#include <filesystem>
#include <utility>

#include "tests/integration/agent_stress/check.h"
#include "wire/codec.h"

namespace rocktune::stress {
namespace {

namespace http = boost::beast::http;
using std::chrono::steady_clock;

constexpr std::chrono::minutes kPatience{1};

void wait_for(const std::atomic<std::uint64_t>& counter, std::uint64_t more, const char* what) {
  const auto until = steady_clock::now() + kPatience;
  const auto goal = counter + more;
  while (counter < goal) {
    check(steady_clock::now() < until, std::string("too few ") + what + " within a minute");
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

}  // namespace

Poller::Poller(std::string socket, Habits habits)
    : path_(std::move(socket)), habits_(std::move(habits)), thread_([this] { run(); }) {}

void Poller::stop() {
  stopping_ = true;
  if (thread_.joinable()) thread_.join();
}

void Poller::wait_for_samples(std::uint64_t more) {
  wait_for(samples, more, "samples");
}
void Poller::wait_for_changes(std::uint64_t more) {
  wait_for(changes, more, "changes");
}
void Poller::wait_for_family_changes(std::uint64_t more) {
  wait_for(family_changes, more, "changes of the column family");
}

std::string Poller::summary() const {
  return std::to_string(rounds) + " rounds of polling, " + std::to_string(samples) + " samples, " +
         std::to_string(changes) + " changes, " + std::to_string(gone) + " too late";
}

void Poller::run() try {
  boost::asio::io_context io;
  Socket socket(io);
  socket.connect(boost::asio::local::stream_protocol::endpoint(path_));
  auto due = steady_clock::now();
  while (!stopping_) {
    poll(socket, rounds++);
    due += habits_.interval;
    std::this_thread::sleep_until(due);
  }
} catch (const boost::system::system_error& problem) {
  if (!habits_.host_may_end) fail(std::string("polling: ") + problem.what());
} catch (const std::exception& problem) {
  fail(std::string("polling: ") + problem.what());
}

void Poller::poll(Socket& socket, std::uint64_t round) {
  if (round % 10 == 0) visit<wire::Hello>(socket, Verb::get, "/v1/hello", "");
  const auto response = ask(socket, Verb::get, "/v1/dbs", "");
  const auto list = wire::decode<wire::DatabaseList>(response.body());
  check(list.has_value(), response.body());
  for (const auto& database : list->databases) {
    const std::string base = "/v1/dbs/" + database.id;
    visit<wire::Lease>(socket, Verb::post, base + "/lease",
                       wire::encode(wire::Lease{"stress", habits_.lease_seconds, "restore", {}}));
    if (visit<wire::Sample>(socket, Verb::get, base + "/sample?holder=stress", "")) ++samples;
    if (round % 4 == 0) {
      visit<wire::Events>(socket, Verb::get, base + "/events?after=0", "");
      visit<wire::Knobs>(socket, Verb::get, base + "/knobs", "");
      const auto target = base + "/statistics";
      answered(target, ask(socket, Verb::get, target, ""));
    }
    if (round % 3 == 0) change(socket, base, round);
    if (round % 5 == 0) visit<wire::Options>(socket, Verb::get, base + "/options", "");
    if (round % 7 == 0) visit<wire::ChangeResults>(socket, Verb::post, base + "/restore", "{}");
    // Each has a thread of its own, which the scenario of many databases counts.
    if (round % 6 == 0 && list->databases.size() == 1) trace(socket, database.id, round);
    if (round % 6 == 4) {
      visit<wire::OpTrace>(socket, Verb::post, base + "/op_trace", R"({"action":"stop"})");
    }
  }
}

// Most end by a stop or the close of the database, some by their size. Few have a checkpoint, which
// takes room; these may not be full before it is there.
void Poller::trace(Socket& socket, const std::string& database, std::uint64_t round) {
  static std::atomic<std::uint64_t> traces{0};  // several pollers may have one directory
  const auto place =
      path_ + ".trace-" + std::to_string(::getpid()) + "-" + std::to_string(traces++);
  std::filesystem::create_directory(place);
  std::filesystem::permissions(place, std::filesystem::perms::owner_all);
  wire::OpTraceRequest request;
  request.action = "start";
  request.directory = place;
  request.checkpoint = round % 120 == 0;
  request.max_bytes = std::uint64_t{64} << (request.checkpoint ? 20 : 10);
  request.seconds = 60;
  visit<wire::OpTrace>(socket, Verb::post, "/v1/dbs/" + database + "/op_trace",
                       wire::encode(request));
}

void Poller::change(Socket& socket, const std::string& base, std::uint64_t round) {
  const auto value = static_cast<std::int64_t>(round % 7);
  wire::ChangesRequest request{"stress", {}};
  const auto id = std::to_string(round);
  const auto& family = habits_.column_family;
  request.changes.push_back({"r" + id, "rate_limiter_bytes_per_second", "", (1 + value) << 26, {}});
  request.changes.push_back({"j" + id, "max_background_jobs", "", 2 + value, {}});
  request.changes.push_back({"c" + id, "block_cache_capacity_bytes", "", (1 + value) << 22, {}});
  if (!family.empty()) {
    request.changes.push_back({"w" + id, "write_buffer_size", family, (1 + value) << 22, {}});
  }
  const auto answer =
      visit<wire::ChangeResults>(socket, Verb::post, base + "/changes", wire::encode(request));
  if (!answer) return;
  ++changes;
  for (const auto& result : answer->results) {
    if (result.id == "w" + id && result.status == "applied") ++family_changes;
  }
}

// The database may have gone since it was listed, and the lease with it; a round that takes longer
// than a lease finds what it set being returned. These are answers too.
bool Poller::answered(const std::string& target, const Response& response) {
  if (response.result_int() == 200) return true;
  const auto error = wire::decode<wire::Error>(response.body());
  if (!error) fail(target + ": " + error.error() + ": " + response.body());
  const bool expected = error->code == "not_found" || error->code == "no_lease" ||
                        error->code == "lease_held" || error->code == "op_trace_busy";
  if (!expected) fail(target + ": " + error->code + ": " + error->message);
  ++gone;
  return false;
}

template <class T>
std::optional<T> Poller::visit(Socket& socket, Verb verb, const std::string& target,
                               const std::string& body) {
  const auto response = ask(socket, verb, target, body);
  if (!answered(target, response)) return std::nullopt;
  auto message = wire::decode<T>(response.body());
  if (!message) fail(target + ": " + message.error() + ": " + response.body());
  return *std::move(message);
}

Poller::Response Poller::ask(Socket& socket, Verb verb, const std::string& target,
                             const std::string& body) {
  http::request<http::string_body> request(verb, target, 11, body);
  request.set(http::field::host, "agent");
  request.prepare_payload();
  http::write(socket, request);
  http::response_parser<http::string_body> parser;
  parser.body_limit(32 << 20);
  http::read(socket, buffer_, parser);
  return parser.release();
}

}  // namespace rocktune::stress
