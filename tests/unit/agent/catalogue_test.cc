// The catalogue is consistent in itself, and docs/wire.md shows it as it is.
#include "agent/catalogue.h"

#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

// 67108864 as "64 MiB", 1099511627776 as "1 TiB"; what is no round number of them as it is.
std::string shown(std::int64_t value, std::string_view unit) {
  constexpr std::string_view kUnits[] = {"", " KiB", " MiB", " GiB", " TiB", " PiB"};
  std::size_t step = 0;
  if (unit.starts_with("bytes")) {
    while (value >= 1024 && value % 1024 == 0 && step + 1 < std::size(kUnits)) {
      value /= 1024;
      ++step;
    }
  }
  return std::to_string(value) + std::string(kUnits[step]);
}

std::string ceiling_of_table(Ceiling ceiling) {
  switch (ceiling) {
    case Ceiling::kMemory:
      return "the memory";
    case Ceiling::kQuarterOfMemory:
      return "a quarter of the memory";
    case Ceiling::kJobs:
      return "4 per CPU (at least 16)";
    case Ceiling::kOpenFiles:
      return "7/8 of RLIMIT_NOFILE";
    case Ceiling::kNone:
      break;
  }
  return {};
}

std::string accepted(const KnobInfo& info) {
  auto text = shown(info.min, info.unit) + " to " + shown(info.max, info.unit);
  if (const auto ceiling = ceiling_of_table(info.ceiling); !ceiling.empty()) {
    text += ", at most " + ceiling;
  }
  if (info.special) {
    text += "; " + std::to_string(*info.special) + ": " + std::string(info.special_means);
  }
  return text;
}

std::string row(const KnobInfo& info) {
  std::string line = "| `" + std::string(info.name) + "` | " + std::string(to_string(info.scope)) +
                     " | " + std::string(info.type == "boolean" ? info.type : info.unit) + " | " +
                     accepted(info) + " | " + std::string(info.relations) + " | " +
                     std::string(info.cost) + " | " + std::string(info.side_effects) + " |";
  return line;
}

TEST_CASE("every entry of the catalogue is complete, and its range has room") {
  std::set<std::string_view> names;
  for (const auto& info : catalogue()) {
    INFO(info.name);
    CHECK(names.insert(info.name).second);
    CHECK(info.min < info.max);
    CHECK_FALSE(info.cost.empty());
    CHECK((info.type == "integer" || info.type == "boolean"));
    CHECK(info.special.has_value() == !info.special_means.empty());
    CHECK((!info.special || *info.special < info.min || *info.special > info.max));
    CHECK(&catalogue_entry(info.name) == &info);
  }
  CHECK(names.size() == 31);
  CHECK_FALSE(names.contains("wal_bytes_per_sync"));
}

TEST_CASE("the table in docs/wire.md is the catalogue") {
  std::ifstream file(ROCKTUNE_SOURCE_DIR "/docs/wire.md");
  REQUIRE(file);
  std::stringstream read;
  read << file.rdbuf();
  const std::string document = read.str();
  std::string table;
  for (const auto& info : catalogue()) table += row(info) + "\n";
  INFO("docs/wire.md should have these rows:\n" << table);
  CHECK(document.find(table) != std::string::npos);
}

}  // namespace
}  // namespace rocktune::agent
