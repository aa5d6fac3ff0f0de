#include "tools/event_text.h"

#include "support.h"

using namespace rocktune::tools;

namespace {

std::string text_of(const char* fields) {
  Json event = Json::parse(fields);
  event["sequence"] = 7;
  event["wall_ns"] = 1769860800250000000;
  return event_text(event);
}

}  // namespace

TEST_CASE("each kind of event is one line that reads well", "[tools]") {
  CHECK(text_of(R"({"kind":"compaction_end","column_family":"default","numbers":{"job":12,
      "input_level":0,"output_level":1,"input_bytes":4194304,"output_bytes":3145728,
      "elapsed_us":1200,"cpu_us":900},"words":{"reason":"LevelL0FilesNum","status":"OK"}})") ==
        "2026-01-31 12:00:00.250Z  compaction_end    default  job 12 L0 -> L1 (LevelL0FilesNum) "
        "4 MiB -> 3 MiB in 1.2 ms cpu_us=900");
  CHECK(text_of(R"({"kind":"flush_begin","column_family":"a","numbers":{"job":3},
      "words":{"reason":"WriteBufferFull"}})") ==
        "2026-01-31 12:00:00.250Z  flush_begin       a  job 3 (WriteBufferFull)");
  CHECK(text_of(R"({"kind":"stall","column_family":"a","numbers":{"before_us":2500000},
      "words":{"before":"delayed","condition":"stopped","cause":"l0-file-count"}})") ==
        "2026-01-31 12:00:00.250Z  stall             a  delayed -> stopped (l0-file-count) after "
        "2.50 s");
  CHECK(text_of(R"({"kind":"stall","column_family":"a","numbers":{},
      "words":{"before":"normal","condition":"stopped","cause":"memtables",
      "told_by":"RocksDB's counters","late":"the change that followed it was told before"}})") ==
        "2026-01-31 12:00:00.250Z  stall             a  normal -> stopped (memtables), told late: "
        "over already");
  CHECK(text_of(R"({"kind":"change","column_family":"","numbers":{"before":8,"after":2},
      "words":{"knob":"max_background_jobs","why":"lease_expired","status":"applied"}})") ==
        "2026-01-31 12:00:00.250Z  change            -  max_background_jobs 8 -> 2 applied "
        "(lease_expired)");
  CHECK(text_of(R"({"kind":"background_error","column_family":"","words":{"reason":"Flush",
      "status":"IO error: no space"}})") ==
        "2026-01-31 12:00:00.250Z  background_error  -  Flush: IO error: no space");
}

TEST_CASE("an event of a later version, or a hostile one, is printed all the same", "[tools]") {
  CHECK(text_of(R"({"kind":"resharded","column_family":"","numbers":{"parts":3},
      "words":{"by":"x\u001by"}})") ==
        "2026-01-31 12:00:00.250Z  resharded         -   parts=3 by=x?y");
  CHECK(text_of(R"({"kind":"stall","numbers":{"before":1},"words":[]})") ==
        "2026-01-31 12:00:00.250Z  stall             -   before=1");
  CHECK(event_text(Json::parse("{}")) == "?  ?                 -  ");
}
