// The wire's codec, both sides of it: whatever comes in, a message or one sentence comes out; and a
// message that was understood is said, understood and said again the same way.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "tests/fuzz/finding.h"
#include "wire/codec.h"

namespace rocktune::fuzz {
namespace {

template <class T>
void check(std::string_view text) {
  const auto message = wire::decode<T>(text);
  if (!message) {
    if (message.error().empty()) finding("refused without a word");
    return;
  }
  const std::string said = wire::encode(*message);
  const auto understood = wire::decode<T>(said);
  if (!understood) finding(understood.error() + ", in what the codec itself wrote: " + said);
  const std::string again = wire::encode(*understood);
  if (again != said) finding(said + "\nbecomes\n" + again);
}

// What is no JSON is none for every message alike, and would cost each of them an exception.
bool is_json(std::string_view text) {
  const auto any = wire::decode<wire::RestoreRequest>(text);
  return any || any.error().find("is not JSON") == std::string::npos;
}

template <class... Messages>
void check_all(std::string_view text) {
  if (is_json(text)) (check<Messages>(text), ...);
}

}  // namespace
}  // namespace rocktune::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace rocktune::wire;
  rocktune::fuzz::check_all<Hello, DatabaseList, Sample, Options, Events, Knobs, ChangesRequest,
                            ChangeResults, Lease, RestoreRequest, ReleaseRequest, HoldRequest,
                            OpTraceRequest, OpTrace, Error>(
      {reinterpret_cast<const char*>(data), size});
  return 0;
}
