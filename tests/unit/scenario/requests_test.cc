#include "scenario/workload/requests.h"

#include <array>
#include <cmath>
#include <vector>

#include "tests/support/catch.h"

using rocktune::scenario::Inserted;
using rocktune::scenario::KeyChooser;
using rocktune::scenario::KeyKind;
using rocktune::scenario::kOperations;
using rocktune::scenario::loaded_value_bytes;
using rocktune::scenario::Mix;
using rocktune::scenario::Operation;
using rocktune::scenario::Phase;
using rocktune::scenario::Request;
using rocktune::scenario::RequestSource;
using rocktune::scenario::Sizes;
using rocktune::scenario::Workload;
using rocktune::scenario::ycsb_mix;

namespace {

constexpr std::uint64_t kRequestRecords = 1000;

Phase phase_of(const Mix& mix) {
  Phase phase;
  phase.seconds = 10;
  phase.mix = mix;
  phase.value_size = Sizes::uniform(10, 20);
  return phase;
}

bool same(const Request& a, const Request& b) {
  return a.operation == b.operation && a.record == b.record && a.value_bytes == b.value_bytes &&
         a.value_seed == b.value_seed && a.scan_length == b.scan_length;
}

}  // namespace

TEST_CASE("operations come in the proportions asked for", "[scenario][requests]") {
  Mix mix;
  for (std::size_t i = 0; i < kOperations; ++i) mix.shares[i] = 1.0 / kOperations;
  const Phase phase = phase_of(mix);
  const KeyChooser keys(phase.keys, kRequestRecords);
  RequestSource source(phase, keys, {kRequestRecords, 0, 1, 0}, 1);
  std::array<int, kOperations> seen{};
  constexpr int kDraws = 70000;
  for (int i = 0; i < kDraws; ++i) {
    const Request request = source.next(0);
    ++seen[static_cast<std::size_t>(request.operation)];
    const bool writes = request.operation == Operation::kUpdate ||
                        request.operation == Operation::kInsert ||
                        request.operation == Operation::kReadModifyWrite;
    CHECK((request.value_bytes > 0) == writes);
    CHECK((request.scan_length > 0) == (request.operation == Operation::kScan));
    CHECK((request.record >= kRequestRecords) == (request.operation == Operation::kInsert));
  }
  for (const int count : seen) CHECK(std::abs(count - 10000) < 5 * std::sqrt(10000));
  CHECK(source.inserted().count ==
        static_cast<std::uint64_t>(seen[static_cast<std::size_t>(Operation::kInsert)]));
}

TEST_CASE("threads insert records that nobody else does, without a gap", "[scenario][requests]") {
  Mix inserts;
  inserts[Operation::kInsert] = 1;
  const Phase phase = phase_of(inserts);
  const KeyChooser keys(phase.keys, kRequestRecords);
  std::vector<bool> written(30, false);
  for (std::uint64_t thread = 0; thread < 3; ++thread) {
    RequestSource source(phase, keys, {kRequestRecords, thread, 3, 0}, thread);
    for (int i = 0; i < 10; ++i) {
      const std::uint64_t at = source.next(0).record - kRequestRecords;
      REQUIRE(at < written.size());
      CHECK_FALSE(written[at]);
      written[at] = true;
    }
  }
}

TEST_CASE("a seed fixes the requests, whatever was skipped", "[scenario][requests]") {
  Phase phase = phase_of(*ycsb_mix("D"));
  phase.keys.kind = KeyKind::kLatest;
  const KeyChooser keys(phase.keys, kRequestRecords);
  const Inserted mine{kRequestRecords, 1, 4, 0};
  RequestSource fast(phase, keys, mine, 9);
  RequestSource slow(phase, keys, mine, 9);
  RequestSource other(phase, keys, mine, 10);
  int different = 0;
  for (int i = 0; i < 500; ++i) {
    const Request request = fast.next(i * 0.01);
    if (i < 200) CHECK(same(request, slow.next(i * 0.01)));
    different += same(request, other.next(i * 0.01)) ? 0 : 1;
  }
  CHECK(different > 400);
  // The slow one could not begin 300 of them: drawn at the end, they leave the next phase's inserts
  // where they are for the fast one.
  for (int i = 200; i < 500; ++i) slow.next(5);
  CHECK(slow.inserted().count == fast.inserted().count);
}

TEST_CASE("what a loaded record holds is fixed by the record", "[scenario][requests]") {
  Workload workload;
  workload.value_size = Sizes::uniform(100, 200);
  double sum = 0;
  for (std::uint64_t record = 0; record < 10000; ++record) {
    const auto bytes = loaded_value_bytes(workload, record);
    CHECK(bytes == loaded_value_bytes(workload, record));
    sum += static_cast<double>(bytes);
  }
  CHECK(sum / 10000 == Approx(150).epsilon(0.02));
}
