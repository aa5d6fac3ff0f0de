#include "trace/rocksdb_log/parser.h"

#include "tests/support/catch.h"

using namespace rocktune;
using namespace rocktune::trace::rocksdb_log;

TEST_CASE("A time alone in the far is damage, two lines are another time") {
  const auto at = [](const std::string& day, int second) {
    return "2024/" + day + "-12:00:0" + std::to_string(second) + ".000000 1 [default] " +
           "Stalling writes because we have 25 level-0 files rate 1" + "\n";
  };
  const auto times = [](const std::string& text) {
    Parser parser;
    std::vector<TimedEvent> events;
    std::size_t begin = 0;
    for (auto end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
      parser.add(std::string_view(text).substr(begin, end - begin), false, events);
      begin = end + 1;
    }
    parser.end_of_file(events);
    CHECK(parser.counts().lines ==
          parser.counts().used + parser.counts().passed_over + parser.counts().damaged);
    return std::pair(parser.counts().damaged, parser.counts().used);
  };
  using Counts = std::pair<std::uint64_t, std::uint64_t>;
  CHECK(times(at("03/01", 1)) == Counts{0, 1});
  CHECK(times(at("03/01", 1) + at("03/01", 2) + at("08/01", 3) + at("03/01", 4)) == Counts{1, 3});
  CHECK(times(at("08/01", 1) + at("03/01", 2) + at("03/01", 3)) == Counts{1, 2});
  CHECK(times(at("03/05", 1) + at("03/05", 2) + at("03/01", 3) + at("03/05", 4)) == Counts{1, 3});
  CHECK(times(at("03/01", 1) + at("03/01", 2) + at("08/01", 3) + at("08/01", 4)) == Counts{0, 4});
  CHECK(times(at("03/01", 1) + at("03/01", 2) + at("08/01", 3)) == Counts{1, 2});
}
