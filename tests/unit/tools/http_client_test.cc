#include "tools/http_client.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/local/stream_protocol.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/streambuf.hpp>
#include <boost/asio/write.hpp>
#include <string>
#include <thread>

#include "support.h"

using namespace rocktune;
using namespace rocktune::tools;
using rocktune::tools::test::contains;
using rocktune::tools::test::TempDirectory;

namespace {

namespace asio = boost::asio;
using Unix = asio::local::stream_protocol;

// Of a server that says this much and hangs up; where it has not read the request that is a reset.
Result<HttpResponse> answered_with(const std::string& answer, bool reads = true,
                                   const CheckPeer& check = nullptr) {
  const TempDirectory directory;
  const std::string path = directory.file("socket");
  asio::io_context io;
  Unix::acceptor acceptor(io, Unix::endpoint(path));
  std::thread server([&] {
    auto client = acceptor.accept();
    boost::system::error_code ignored;
    asio::streambuf request;
    if (reads) {
      asio::read_until(client, request, "\r\n\r\n", ignored);
    } else {
      client.wait(Unix::socket::wait_read, ignored);
    }
    asio::write(client, asio::buffer(answer), ignored);
  });
  auto response = http_request(path, {"GET", "/", "", std::chrono::seconds(60)}, check);
  server.join();
  return response;
}

}  // namespace

TEST_CASE("a server that hangs up is told from one that speaks no HTTP", "[tools]") {
  const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  const auto good = answered_with(whole);
  REQUIRE(good);
  CHECK(good->status == 200);
  CHECK(good->body == "{}");

  for (const auto& hung_up :
       {answered_with(""), answered_with("", false), answered_with(whole.substr(0, 9)),
        answered_with(whole.substr(0, whole.size() - 1))}) {
    REQUIRE_FALSE(hung_up);
    CHECK(hung_up.error().code == ErrorCode::kIo);
    CHECK(hung_up.error().message == "the other side hung up");
  }

  const auto nonsense = answered_with("how do you do\r\n\r\n");
  REQUIRE_FALSE(nonsense);
  CHECK(nonsense.error().code == ErrorCode::kProtocol);
  CHECK(contains(nonsense.error().message, "no HTTP"));
}

TEST_CASE("who listens is looked at before anything is said", "[tools]") {
  const std::string whole = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}";
  CHECK(answered_with(whole, true, [](int socket) -> Result<void> {
    CHECK(socket >= 0);
    return {};
  }));
  const auto refused = answered_with(whole, true, [](int) -> Result<void> {
    return fail(ErrorCode::kPermission, "not that one");
  });
  REQUIRE_FALSE(refused);
  CHECK(refused.error().message == "not that one");
}
