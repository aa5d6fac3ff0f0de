#include "trace/histogram_blob.h"

#include "support.h"
#include "trace/log_linear.h"

using rocktune::LatencyHistogram;
using namespace rocktune::trace;

namespace {

// As read behind `older`.
rocktune::Result<LatencyHistogram> decode_histogram(std::string_view blob,
                                                    std::optional<LatencyHistogram> older) {
  if (auto added = add_histogram(blob, older); !added) return tl::unexpected(added.error());
  return *std::move(older);
}

}  // namespace

TEST_CASE("a histogram's increment holds only what was counted since", "[trace]") {
  const LatencyHistogram older{{{1, 2, 100}, {64, 66, 7}}, 900};
  const LatencyHistogram newer{{{1, 2, 103}, {8, 9, 0}, {64, 66, 7}, {900, 920, 1}}, 1850};
  const auto blob = encode_increment(older, newer);
  REQUIRE(blob);
  CHECK(blob->front() == 'I');
  CHECK(blob->size() < 16);
  CHECK(test::checked(decode_histogram(*blob, older)) == newer);

  const LatencyHistogram nothing;
  CHECK(test::checked(decode_histogram(*blob, nothing)).sum_us == 950);
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
  CHECK(test::checked(decode_histogram(encode_histogram(odd), std::nullopt)) == odd);
  CHECK(test::checked(decode_histogram(encode_histogram({}), std::nullopt)) == LatencyHistogram{});
}

TEST_CASE("damaged histograms are errors", "[trace]") {
  const LatencyHistogram histogram{{{1, 2, 100}, {64, 66, 7}}, 900};
  const std::string blob = encode_histogram(histogram);
  for (std::size_t size = 0; size < blob.size(); ++size) {
    CHECK_FALSE(decode_histogram(blob.substr(0, size), histogram));
  }
  CHECK_FALSE(decode_histogram(blob + "x", histogram));
  CHECK_FALSE(decode_histogram("X" + blob.substr(1), histogram));
  CHECK_FALSE(decode_histogram("I" + blob.substr(1), std::nullopt));  // an increment on nothing
  CHECK_FALSE(decode_histogram("A\x01\xff\xff\xff\xff\xff\xff\xff\xff\x7f", std::nullopt));
  CHECK_FALSE(decode_histogram(std::string(12, '\xff'), std::nullopt));
}

TEST_CASE("the agent's buckets take about a byte each, counts of one weight", "[trace]") {
  const LatencyHistogram older{{{30, 31, 64}, {128, 130, 640}}, 900};
  LatencyHistogram newer = older;
  newer.sum_us = 5000;
  newer.buckets[0].count += 3 * 64;
  newer.buckets.insert(newer.buckets.begin() + 1, {31, 32, 20 * 64});
  newer.buckets.push_back({1056, 1072, 64});
  newer.buckets.push_back(
      {std::uint64_t{1} << 40, (std::uint64_t{1} << 40) + (std::uint64_t{1} << 34), 128});
  for (const auto& blob : {encode_increment(older, newer).value_or(""), encode_histogram(newer)}) {
    CHECK((blob.front() == 'M' || blob.front() == 'L'));
    CHECK(blob.size() < 20);
    CHECK(test::checked(decode_histogram(blob, older)) == newer);
    for (std::size_t size = 0; size < blob.size(); ++size) {
      const auto cut = decode_histogram(blob.substr(0, size), older);
      CHECK((!cut || *cut != newer));
    }
  }
}

TEST_CASE("other buckets than the agent's are kept as they are", "[trace]") {
  for (const LatencyHistogram& odd :
       {LatencyHistogram{{{128, 129, 1}}, 1}, LatencyHistogram{{{30, 31, 0}}, 1},
        LatencyHistogram{{{31, 32, 1}, {30, 31, 1}}, 1}}) {
    CHECK(encode_histogram(odd).front() == 'A');
    CHECK(test::checked(decode_histogram(encode_histogram(odd), std::nullopt)) == odd);
  }
}

TEST_CASE("a gap leads to no bucket beyond the last", "[trace]") {
  using namespace std::string_literals;
  // Unit 1, first bucket 3700 (0xe74: two groups of 7 bits), which counts 1; a gap of 1; another 1.
  const std::string near = "\x01\xf4\x1c\xf1\x10"s;
  REQUIRE(rocktune::trace::decode_log_linear(near));
  CHECK(rocktune::trace::decode_log_linear(near)->size() == 2);
  // ...of 3711, whose 3 bits at a time are 7, 7, 1, 7: more than there are.
  const std::string far = "\x01\xf4\x1c\xf1\xff\x79"s;
  CHECK_FALSE(rocktune::trace::decode_log_linear(far));
}
