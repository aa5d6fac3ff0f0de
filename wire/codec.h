// JSON <-> wire messages. Decoding checks types and ranges and never throws: whatever the other
// side sends, the caller gets a message or one sentence that says what is wrong and where.
#pragma once

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "wire/messages.h"

namespace rocktune::wire {

template <class T>
using Decoded = tl::expected<T, std::string>;

struct ChangesRequest {
  std::string holder;
  std::vector<Change> changes;
  bool hold = false;  // an operator's order: what is changed is manual from then on
};
struct RestoreRequest {
  bool hold = false;
};
struct ReleaseRequest {
  std::string knob;  // empty: every knob
  std::string column_family;
};
struct HoldRequest {
  std::string knob;
  std::string column_family;  // empty: of every one that has the knob
};
struct DatabaseList {
  std::vector<Database> databases;
};
struct ChangeResults {
  std::vector<ChangeResult> results;
};

std::string encode(const Hello&);
std::string encode(const DatabaseList&);
std::string encode(const Sample&);
std::string encode(const Options&);
std::string encode(const Events&);
std::string encode(const Knobs&);
std::string encode(const ChangesRequest&);
std::string encode(const ChangeResults&);
std::string encode(const Lease&);
std::string encode(const RestoreRequest&);
std::string encode(const ReleaseRequest&);
std::string encode(const HoldRequest&);
std::string encode(const OpTraceRequest&);
std::string encode(const OpTrace&);
std::string encode(const Error&);

// decode<Hello>(body) and so on, for each type above.
template <class T>
Decoded<T> decode(std::string_view json);

}  // namespace rocktune::wire
