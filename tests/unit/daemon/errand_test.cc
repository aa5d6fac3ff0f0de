// What one poll decided is carried out while databases are closed, and opened by other processes.
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http.hpp>
#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "daemon/actuator.h"
#include "tests/unit/daemon/target_world.h"
#include "wire/codec.h"

using namespace rocktune;
using namespace rocktune::daemon;
using namespace rocktune::daemon::test;

namespace asio = boost::asio;
namespace http = boost::beast::http;

namespace {

constexpr auto kToTuple = asio::as_tuple(asio::use_awaitable);

// Grants every lease, and leaves every change out of its answer.
class GrantingAgent {
 public:
  GrantingAgent(asio::io_context& context, const std::string& path)
      : acceptor_(context, asio::local::stream_protocol::endpoint(path)) {
    asio::co_spawn(context, serve(), asio::detached);
  }

  std::vector<std::string> asked;
  std::function<void()> before_lease = [] {};
  bool refuses_lease = false, has_closed = false;

 private:
  asio::awaitable<void> serve() {
    asio::local::stream_protocol::socket socket =
        co_await acceptor_.async_accept(asio::use_awaitable);
    boost::beast::flat_buffer buffer;
    for (;;) {
      http::request<http::string_body> request;
      const auto [read_error, got] = co_await http::async_read(socket, buffer, request, kToTuple);
      static_cast<void>(got);
      if (read_error) co_return;
      http::response<http::string_body> reply(http::status::ok, 11);
      reply.body() = answer(std::string(request.target()));
      if (refuses_lease) reply.result(http::status::conflict);
      if (has_closed) reply.result(http::status::not_found);
      reply.prepare_payload();
      const auto [write_error, written] = co_await http::async_write(socket, reply, kToTuple);
      static_cast<void>(written);
      if (write_error) co_return;
    }
  }
  std::string answer(const std::string& target) {
    asked.push_back(target);
    if (!target.ends_with("/lease")) return wire::encode(wire::ChangeResults{});
    before_lease();
    if (has_closed) return R"({"error":{"code":"not_found","message":"no such database"}})";
    if (refuses_lease) return R"({"error":{"code":"lease_held","message":"another holds it"}})";
    return wire::encode(wire::Lease{"rocktuned", 30, "restore", std::nullopt});
  }

  asio::local::stream_protocol::acceptor acceptor_;
};

struct ErrandWorld : TargetWorld {
  asio::io_context context;
  std::shared_ptr<Target> database{target(Mode::kAct)};
  std::string frozen;  // what the operator says
  Overruled overruled = [this] { return frozen; };
  GrantingAgent agent{context, tree.path("agent.1.sock")};

  ErrandWorld() { database->opened(opening()); }

  // What the first poll that decides anything asks for.
  Errand decided() {
    Errand out{database, {}, database->configured(), database->opening()->incarnation()};
    for (std::uint64_t n = 1; n <= 60 && out.decisions.empty(); ++n) {
      out.decisions = poll(*database, n);
    }
    REQUIRE_FALSE(out.decisions.empty());
    return out;
  }
  // Another process opens it, as the first of its databases.
  void open_elsewhere() {
    database->closed("opened anew elsewhere");
    Opening other = opening();
    other.agent.instance = "def";
    database->opened(other);
  }
  void carry_out(Errand errand) {
    const auto peer = std::make_shared<Peer>(context.get_executor(),
                                             AgentSocket{tree.path("agent.1.sock"), 1, 0, 0, 0});
    const HoldTerms terms{"rocktuned", 30, "restore"};
    const Nanoseconds soon = std::chrono::steady_clock::now().time_since_epoch() + 10s;
    asio::co_spawn(context, hold_and_apply(peer, std::move(errand), "run", terms, overruled, soon),
                   [this](const std::exception_ptr& thrown) {
                     CHECK_FALSE(static_cast<bool>(thrown));
                     context.stop();
                   });
    context.run();
  }
  void check_all(const std::string& status) const {
    const auto lines = alert_lines("actuation");
    CHECK_FALSE(lines.empty());
    for (const std::string& line : lines) {
      INFO(line);
      CHECK(line.find("\"status\":\"" + status + "\"") != std::string::npos);
    }
  }
};

}  // namespace

TEST_CASE("an errand goes to the database that was sampled", "[daemon][actuator]") {
  ErrandWorld world;
  world.carry_out(world.decided());
  CHECK(world.agent.asked == std::vector<std::string>{"/v1/dbs/1/lease", "/v1/dbs/1/changes"});
  world.check_all("failed");  // left out of the answer
}

TEST_CASE("an errand is not sent once the operator has frozen what it is for",
          "[daemon][actuator]") {
  ErrandWorld world;
  world.agent.before_lease = [&world] { world.frozen = "frozen by the file"; };
  world.carry_out(world.decided());
  CHECK(world.agent.asked == std::vector<std::string>{"/v1/dbs/1/lease"});
  world.check_all("not_sent");
}

TEST_CASE("an errand is not sent for another process's database", "[daemon][actuator]") {
  ErrandWorld world;
  Errand errand = world.decided();
  SECTION("that has opened it since") {
    world.open_elsewhere();
    world.carry_out(std::move(errand));
    CHECK(world.agent.asked.empty());
  }
  SECTION("that opens it while the lease is waited for") {
    world.agent.before_lease = [&world] { world.open_elsewhere(); };
    world.carry_out(std::move(errand));
    CHECK(world.agent.asked == std::vector<std::string>{"/v1/dbs/1/lease"});
  }
  SECTION("nor for one that was closed") {
    world.database->closed("the database is closed");
    world.carry_out(std::move(errand));
    CHECK(world.agent.asked.empty());
  }
  SECTION("nor for one that was closed, which only the agent knows yet") {
    world.agent.has_closed = true;
    const std::size_t lines = world.alert_lines("source").size();
    world.carry_out(std::move(errand));
    CHECK(world.agent.asked == std::vector<std::string>{"/v1/dbs/1/lease"});
    CHECK(world.alert_lines("source").size() == lines);
  }
  world.check_all("not_sent");
}

TEST_CASE("a change that was refused is not taken for made when another daemon makes it",
          "[daemon][actuator]") {
  ErrandWorld world;
  world.agent.refuses_lease = true;
  Errand errand = world.decided();
  const Decision decision = errand.decisions.front();
  world.carry_out(std::move(errand));
  CHECK(world.agent.asked == std::vector<std::string>{"/v1/dbs/1/lease"});
  world.check_all("refused");
  REQUIRE(decision.proposal.knob == "rate_limiter_bytes_per_second");
  wire::Sample sample = world.squeezed(100);
  sample.knobs[0].value = decision.verdict.value;
  sample.knobs[0].owner = "rocktune";
  sample.lease = wire::Lease{"another", 30, "restore", 30};
  static_cast<void>(world.database->poll(world.now, sample));
  CHECK(world.alert_lines("guard").empty());
  world.check_all("refused");
}
