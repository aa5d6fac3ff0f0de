// The loop that the agent's threads run.
#include "agent/service.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <memory>
#include <stdexcept>

#include "agent/exiting.h"
#include "agent/one_service.h"
#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

TEST_CASE("an exception costs one handler, and what it left undone is begun again") {
  boost::asio::io_context io;
  const auto work = boost::asio::make_work_guard(io);
  int begun = 0;
  int handled = 0;
  const auto begin = [&] {
    if (++begun == 2) throw std::bad_alloc();  // still no memory
    if (begun == 150) io.stop();
    boost::asio::post(io, [&] {
      ++handled;
      throw std::runtime_error("in a handler");
    });
  };
  begin();
  run_loop(io, begin, std::chrono::milliseconds(0));
  CHECK(begun == 150);
  CHECK(handled == 148);
}

// What the exit handler does while the first attach makes the service, at one moment or another.
struct FakeService {
  int& stops;
  void stop() const { ++stops; }
};

TEST_CASE("a service that begins while the process exits is stopped, once") {
  int stops = 0;
  const auto make = [&] { return std::unique_ptr<FakeService>(new FakeService{stops}); };
  struct AfterTest {
    ~AfterTest() { exit_begun() = false; }
  } const reset;
  // Never destroyed, as the process's own.
  static auto& before = *new OneService<FakeService>;
  exit_begun() = true;
  before.stop();  // it finds nothing
  CHECK_FALSE(before.serve(make()));
  CHECK(stops == 1);
  before.stop();
  CHECK(stops == 1);

  exit_begun() = false;
  static auto& after = *new OneService<FakeService>;
  CHECK_FALSE(after.serves());
  CHECK(after.serve(make()));
  CHECK(after.serves());
  CHECK(stops == 1);
  exit_begun() = true;
  after.stop();
  CHECK(stops == 2);
}

}  // namespace
}  // namespace rocktune::agent
