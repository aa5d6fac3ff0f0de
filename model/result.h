// Result<T>: a value, or an Error with a stable code and a sentence for a person.
//
// Codes are stable names that tests and scripts may rely on; messages say what went wrong, where,
// and what to do, and gain context as they rise: `error.within("trace /x/y.sqlite")`.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>

namespace rocktune {

enum class ErrorCode {
  kInvalidArgument,  // the caller's or the user's input is wrong
  kNotFound,
  kUnavailable,  // not now: nobody answers, timed out, busy
  kPermission,
  kProtocol,  // the other side sent what it should not
  kCorrupt,   // a file is not what it should be
  kIo,        // the operating system said no
  kConflict,  // somebody else holds or changed it
  kUnsupported,
};

struct Error {
  ErrorCode code = ErrorCode::kInvalidArgument;
  std::string message;

  [[nodiscard]] Error within(std::string_view context) const {
    return Error{code, std::string(context) + ": " + message};
  }
};

template <class T>
using Result = tl::expected<T, Error>;

[[nodiscard]] inline tl::unexpected<Error> fail(ErrorCode code, std::string message) {
  return tl::unexpected<Error>(Error{code, std::move(message)});
}

}  // namespace rocktune
