// The loop that the agent's threads run.
#include "agent/service.h"

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <stdexcept>

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

}  // namespace
}  // namespace rocktune::agent
