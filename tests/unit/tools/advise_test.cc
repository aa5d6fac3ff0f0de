#include <algorithm>

#include "advice/rules.h"
#include "tests/support/catch.h"
#include "tools/advise_text.h"
#include "tools/options_check.h"
#include "tools/options_file.h"
#include "tools/text.h"

using namespace rocktune;
using namespace rocktune::tools;

namespace {

constexpr const char* kOptions = R"(# of RocksDB
[Version]
  rocksdb_version=7.8.3
[DBOptions]
  use_direct_reads=false
  listeners={ErrorHandlerListener=x}
[CFOptions "default"]
  num_levels=7
[TableOptions/BlockBasedTable "default"]
  filter_policy=bloomfilter:10:false
[CFOptions "a \"b"]
	num_levels = 3
[Other "default"]
  num_levels=9
)";

AdvisedDatabase advised() {
  AdvisedDatabase out;
  out.name = out.path = "/db\x1b[2J";
  out.traces = {"run.sqlite"};
  out.evidence.seconds = 100;
  out.evidence.samples = 101;
  out.evidence.families["a"];
  out.evidence.families["b"];
  advice::Advice one;
  one.rule = "cache_size";
  one.title = "a larger block cache";
  one.evidence = {{"misses", 12, "12 misses"}};
  one.effect = {"hit ratio", advice::Unit::kRatio, 0.5, 0.5, 0.75, "because"};
  one.confidence = advice::Confidence::kMedium;
  one.confidence_reason = std::string(300, 'x') + " y";
  one.risk = "memory";
  one.steps = {{"block_cache", "1024", false}};
  one.source = "here";
  out.report.advice = {one};
  out.report.not_judged = {{"direct_io", {}, "not in the trace"}};
  out.report.content = {{"memtables", {"a"}, "all is well"},
                        {"level1_size", {"a", "b"}, "so is it"}};
  return out;
}

bool has_line(const std::vector<std::string>& lines, const std::string& part) {
  return std::any_of(lines.begin(), lines.end(),
                     [&](const std::string& line) { return line.find(part) != std::string::npos; });
}

}  // namespace

TEST_CASE("an OPTIONS file is read", "[advise]") {
  const auto options = parse_options(kOptions, "OPTIONS-000007");
  REQUIRE(options);
  CHECK(options->database.at("use_direct_reads") == "false");
  CHECK(options->database.count("rocksdb_version") == 0);
  CHECK(options->column_families.size() == 2);
  CHECK(options->column_families.at("default").at("filter_policy") == "bloomfilter:10:false");
  CHECK(options->column_families.at("default").at("num_levels") == "7");
  CHECK(options->column_families.at("a \\\"b").at("num_levels") == "3");
}

TEST_CASE("what is no OPTIONS file is refused", "[advise]") {
  for (const char* text : {"", "[DBOptions]\n a=b\n", "[CFOptions \"x\"]\n a=b\n",
                           "[CFOptions \"\n", "[]\n=\n[CFOptions \"\"]"}) {
    const auto options = parse_options(text, "OPTIONS-1");
    REQUIRE_FALSE(options);
    CHECK(options.error().code == ErrorCode::kCorrupt);
    CHECK(options.error().message.find("OPTIONS-1 is no OPTIONS file") == 0);
  }
  CHECK(read_options("/nonexistent").error().code == ErrorCode::kNotFound);
}

TEST_CASE("advice for people", "[advise]") {
  const auto lines = advice_lines({advised()});
  CHECK(has_line(lines, "1. a larger block cache   [cache_size]"));
  CHECK(has_line(lines, "hit ratio: from 50 % to between 50 % and 75 %; because"));
  CHECK(has_line(lines, "block_cache=1024 (while it runs, or at the next open)"));
  CHECK(has_line(lines, "a: all is well"));
  CHECK(has_line(lines, "level1_size          so is it"));  // of all column families: no names
  CHECK(has_line(lines, "direct_io            not in the trace"));
  CHECK(lines.front().find('\x1b') == std::string::npos);
  for (const std::string& line : lines) {
    if (line.find("xxx") == std::string::npos) CHECK(display_width(line) <= 100);
  }
  AdvisedDatabase quiet = advised();
  quiet.report.advice.clear();
  CHECK(has_line(advice_lines({quiet}), "No advice: what could be judged gives no reason"));
  quiet.report.not_judged.clear();
  CHECK(has_line(advice_lines({quiet}), "No advice: what was recorded gives no reason"));
}

TEST_CASE("where nothing was judged that is said once, with what to do", "[advise]") {
  AdvisedDatabase brief = advised();
  brief.evidence.seconds = 49;
  brief.report = advice::judge(brief.evidence);
  const auto lines = advice_lines({brief});
  CHECK(
      has_line(lines, "Nothing could be judged: only 49 s were recorded, and 60 s are the least."));
  CHECK_FALSE(has_line(lines, "No advice"));
  CHECK(has_line(lines, "they count together"));
  CHECK(std::count_if(lines.begin(), lines.end(), [](const std::string& line) {
          return line.find("49 s were recorded") != std::string::npos;
        }) == 1);

  AdvisedDatabase blind = advised();  // long enough, but each rule lacks something else
  blind.report.advice.clear();
  blind.report.content.clear();
  blind.report.not_judged.push_back({"memtables", {}, "no column family"});
  const auto why = advice_lines({blind});
  CHECK(has_line(why, "Nothing could be judged."));
  CHECK(has_line(why, "no column family"));
}

TEST_CASE("the OPTIONS file is named, and what does not go with the trace", "[advise]") {
  advice::Evidence evidence;
  ColumnFamilyReading& last = evidence.families["hot"].last;
  evidence.families["hot"].name = last.name = "hot";
  last.write_buffer_bytes = 4 << 20;
  last.level0_slowdown_trigger = 20;
  last.level0_stop_trigger = 40;
  evidence.families["new"].name = "new";
  KnobReading stop;
  stop.name = "level0_stop_writes_trigger";
  stop.column_family = "hot";
  stop.value = 40;
  stop.found = 36;  // rocktune has raised it since
  evidence.knobs.edit().push_back(stop);
  OpenOptions file;
  file.column_families["hot"] = {{"write_buffer_size", "67108864"},
                                 {"level0_slowdown_writes_trigger", "20"},
                                 {"level0_stop_writes_trigger", "36"},
                                 {"max_write_buffer_number", "none"}};
  AdvisedDatabase database = advised();
  database.options_file = "/db/OPTIONS-000012";
  CHECK_FALSE(has_line(advice_lines({database}), "warning"));
  database.differences = option_differences(file, evidence);
  REQUIRE(database.differences.size() == 2);
  const auto lines = advice_lines({database});
  CHECK(has_line(lines, "   options    /db/OPTIONS-000012"));
  CHECK(has_line(lines, "   warning    the options file may be of another database"));
  std::string all;
  for (const std::string& line : lines) {
    if (!line.empty()) all += line.substr(line.find_first_not_of(' ')) + " ";
  }
  CHECK(all.find("another opening, or rocktuned changed it meanwhile: ") != std::string::npos);
  CHECK(all.find("write_buffer_size of hot is 64 MiB in the file and 4 MiB as recorded; the file "
                 "has no column family new") != std::string::npos);
  const Json json = advice_json({database})["databases"][0];
  CHECK(json["options_file"] == "/db/OPTIONS-000012");
  CHECK(json["options_differ"][0]["option"] == "write_buffer_size");
  CHECK(json["options_differ"][1]["option"].is_null());
}

TEST_CASE("advice for programs", "[advise]") {
  const Json json = advice_json({advised()});
  CHECK(json["schema"] == "rocktune-advice/1");
  const Json& one = json["databases"][0]["advice"][0];
  CHECK(one["effect"]["unit"] == "ratio");
  CHECK(one["effect"]["now"] == 0.5);
  CHECK(one["confidence"] == "medium");
  CHECK(one["steps"][0]["needs_open"] == false);
  CHECK(json["databases"][0]["content"][1]["column_families"].size() == 2);
  CHECK(json["databases"][0]["not_judged"][0]["column_families"].empty());
}
