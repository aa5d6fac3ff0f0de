#include "trace/histogram_blob.h"

#include "support.h"

using rocktune::LatencyHistogram;
using namespace rocktune::trace;

TEST_CASE("a histogram's increment holds only what was counted since", "[trace]") {
  const LatencyHistogram older{{{1, 2, 100}, {64, 66, 7}}, 900};
  const LatencyHistogram newer{{{1, 2, 103}, {8, 9, 0}, {64, 66, 7}, {900, 920, 1}}, 1850};
  const auto blob = encode_increment(older, newer);
  REQUIRE(blob);
  CHECK(blob->front() == 'I');
  CHECK(blob->size() < 16);
  CHECK(test::checked(decode_histogram(*blob, &older)) == newer);

  const LatencyHistogram nothing;
  CHECK(test::checked(decode_histogram(*blob, &nothing)).sum_us == 950);
}

TEST_CASE("a histogram that does not go on is no increment", "[trace]") {
  const LatencyHistogram older{{{1, 2, 100}, {64, 66, 7}}, 900};
  const auto differs = [&](LatencyHistogram newer) { return !encode_increment(older, newer); };
  CHECK(differs({{{1, 2, 99}, {64, 66, 7}}, 900}));              // a count fell
  CHECK(differs({{{1, 2, 100}}, 900}));                          // a bucket is gone
  CHECK(differs({{{1, 2, 100}, {64, 66, 7}}, 899}));             // the sum fell
  CHECK(differs({{{64, 66, 7}, {1, 2, 100}}, 900}));             // out of order
  CHECK(differs({{{1, 2, 100}, {1, 2, 1}, {64, 66, 7}}, 900}));  // twice the same
  CHECK(differs({{{1, 3, 100}, {64, 66, 7}}, 900}));             // other bounds
  CHECK_FALSE(differs(older));
}

TEST_CASE("an absolute histogram is exact for any numbers", "[trace]") {
  constexpr std::uint64_t kMax = ~std::uint64_t{0};
  const LatencyHistogram odd{{{kMax, 0, kMax}, {5, 3, 1}, {0, kMax, 0}}, kMax};
  CHECK(test::checked(decode_histogram(encode_histogram(odd), nullptr)) == odd);
  CHECK(test::checked(decode_histogram(encode_histogram({}), nullptr)) == LatencyHistogram{});
}

TEST_CASE("damaged histograms are errors", "[trace]") {
  const LatencyHistogram histogram{{{1, 2, 100}, {64, 66, 7}}, 900};
  const std::string blob = encode_histogram(histogram);
  for (std::size_t size = 0; size < blob.size(); ++size) {
    CHECK_FALSE(decode_histogram(blob.substr(0, size), &histogram));
  }
  CHECK_FALSE(decode_histogram(blob + "x", &histogram));
  CHECK_FALSE(decode_histogram("X" + blob.substr(1), &histogram));
  CHECK_FALSE(decode_histogram("I" + blob.substr(1), nullptr));  // an increment on nothing
  CHECK_FALSE(decode_histogram("A\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f", nullptr));
  CHECK_FALSE(decode_histogram(std::string(12, '\xff'), nullptr));
}
