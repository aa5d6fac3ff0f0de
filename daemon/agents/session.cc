#include "daemon/agents/session.h"

#include <cctype>

#include "daemon/agents/translate.h"

namespace rocktune::daemon {
namespace {

// Small by nature: some 300 bytes, and as many for each database.
constexpr std::uint64_t kLargestHello = std::uint64_t{64} << 10;
constexpr std::uint64_t kLargestList = std::uint64_t{1} << 20;

ErrorCode code_for(unsigned status) {
  switch (status) {
    case 403:
      return ErrorCode::kPermission;
    case 404:
      return ErrorCode::kNotFound;
    case 409:
      return ErrorCode::kConflict;
    default:
      return status >= 500 ? ErrorCode::kUnavailable : ErrorCode::kProtocol;
  }
}

Error refused(const HttpReply& reply, const std::string& target) {
  const auto error = wire::decode<wire::Error>(reply.body);
  std::string message = "the agent answered " + std::to_string(reply.status) + " to " + target;
  if (error) message += ": " + shortened(error->message + " (" + error->code + ")");
  return {code_for(reply.status), std::move(message)};
}

std::string path_of(const std::string& database, const char* what) {
  return "/v1/dbs/" + url_escape(database) + "/" + what;
}

}  // namespace

std::string shortened(std::string text) {
  constexpr std::size_t kMost = 500;
  constexpr unsigned kMask = 0xC0, kContinues = 0x80;  // of UTF-8: a character stays whole
  if (text.size() <= kMost) return text;
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & kMask) == kContinues) --end;
  text.resize(end);
  return text + "...";
}

std::string url_escape(std::string_view text) {
  constexpr std::string_view kHex = "0123456789ABCDEF";
  std::string escaped;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isalnum(byte) != 0 || c == '-' || c == '.' || c == '_' || c == '~') {
      escaped += c;
    } else {
      escaped += '%';
      escaped += kHex[byte >> 4U];
      escaped += kHex[byte & 15U];
    }
  }
  return escaped;
}

template <class T>
Session::Answer<T> Session::ask(Connection& connection, std::string target, std::string body,
                                Nanoseconds deadline, std::uint64_t most) {
  const Result<HttpReply> reply =
      co_await connection.request(target, std::move(body), deadline, most);
  if (!reply) co_return tl::unexpected<Error>(reply.error());
  if (reply->status < 200 || reply->status > 299) {
    co_return tl::unexpected<Error>(refused(*reply, target));
  }
  auto decoded = wire::decode<T>(reply->body);
  if (!decoded) {
    co_return tl::unexpected<Error>(
        Error{ErrorCode::kProtocol, "the agent's answer to " + target + ": " + decoded.error()});
  }
  co_return *std::move(decoded);
}

Session::Answer<wire::Hello> Session::hello(Nanoseconds deadline) {
  Result<wire::Hello> hello =
      co_await ask<wire::Hello>(reads_, "/v1/hello", "", deadline, kLargestHello);
  if (hello && hello->version != wire::kVersion) {
    co_return tl::unexpected<Error>(Error{
        ErrorCode::kUnsupported, "the agent speaks wire version " + std::to_string(hello->version) +
                                     ", this rocktuned version " + std::to_string(wire::kVersion) +
                                     ": install the same release on both sides"});
  }
  co_return hello;
}

Session::Answer<std::vector<wire::Database>> Session::databases(Nanoseconds deadline) {
  Result<wire::DatabaseList> list =
      co_await ask<wire::DatabaseList>(reads_, "/v1/dbs", "", deadline, kLargestList);
  if (!list) co_return tl::unexpected<Error>(list.error());
  co_return std::move(list->databases);
}

Session::Answer<wire::Sample> Session::sample(std::string database, std::string holder,
                                              Nanoseconds deadline) {
  std::string target = path_of(database, "sample");
  if (!holder.empty()) target += "?holder=" + url_escape(holder);
  Result<wire::Sample> sample = co_await ask<wire::Sample>(reads_, std::move(target), "", deadline);
  if (!sample) co_return sample;
  const Result<void> fits = check_extent(*sample);
  if (!fits) co_return tl::unexpected<Error>(fits.error());
  co_return sample;
}

Session::Answer<wire::Events> Session::events(std::string database, std::uint64_t after,
                                              Nanoseconds deadline) {
  co_return co_await ask<wire::Events>(
      events_, path_of(database, "events") + "?after=" + std::to_string(after), "", deadline);
}

Session::Answer<wire::Knobs> Session::knobs(std::string database, Nanoseconds deadline) {
  co_return co_await ask<wire::Knobs>(events_, path_of(database, "knobs"), "", deadline);
}

Session::Answer<wire::Options> Session::options(std::string database, Nanoseconds deadline) {
  co_return co_await ask<wire::Options>(events_, path_of(database, "options"), "", deadline);
}

Session::Answer<wire::Knobs> Session::knobs_now(std::string database, Nanoseconds deadline) {
  co_return co_await ask<wire::Knobs>(commands_, path_of(database, "knobs"), "", deadline);
}

Session::Answer<wire::Lease> Session::lease(std::string database, wire::Lease wanted,
                                            Nanoseconds deadline) {
  co_return co_await ask<wire::Lease>(commands_, path_of(database, "lease"), wire::encode(wanted),
                                      deadline);
}

Session::Answer<wire::ChangeResults> Session::changes(std::string database,
                                                      wire::ChangesRequest request,
                                                      Nanoseconds deadline) {
  co_return co_await ask<wire::ChangeResults>(commands_, path_of(database, "changes"),
                                              wire::encode(request), deadline);
}

Session::Answer<wire::ChangeResults> Session::restore(std::string database, bool hold,
                                                      Nanoseconds deadline) {
  co_return co_await ask<wire::ChangeResults>(commands_, path_of(database, "restore"),
                                              wire::encode(wire::RestoreRequest{hold}), deadline);
}

Session::Answer<wire::ChangeResults> Session::release(std::string database,
                                                      wire::ReleaseRequest request,
                                                      Nanoseconds deadline) {
  co_return co_await ask<wire::ChangeResults>(commands_, path_of(database, "release"),
                                              wire::encode(request), deadline);
}

}  // namespace rocktune::daemon
