#include "agent/job_events.h"

#include "tests/support/catch.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<const rocksdb::TableProperties> table(std::uint64_t bytes, std::uint64_t records) {
  auto made = std::make_shared<rocksdb::TableProperties>();
  made->data_size = bytes;
  made->num_entries = records;
  return made;
}

rocksdb::CompactionJobInfo compaction_info() {
  rocksdb::CompactionJobInfo info{};
  info.cf_name = "cf";
  info.job_id = 12;
  info.base_input_level = 0;
  info.output_level = 1;
  info.input_files = {"/1.sst", "/2.sst"};
  info.compaction_reason = rocksdb::CompactionReason::kLevelL0FilesNum;
  info.table_properties = {
      {"/1.sst", table(100, 5)}, {"/2.sst", table(50, 3)}, {"/9.sst", nullptr}};
  return info;
}

TEST_CASE("reasons have RocksDB's names, unknown ones their number") {
  CHECK(name_of(rocksdb::FlushReason::kWriteBufferFull) == "WriteBufferFull");
  CHECK(name_of(rocksdb::FlushReason::kWalFull) == "WalFull");
  CHECK(name_of(rocksdb::CompactionReason::kManualCompaction) == "ManualCompaction");
  CHECK(name_of(rocksdb::CompactionReason::kRoundRobinTtl) == "RoundRobinTtl");
  CHECK(name_of(rocksdb::BackgroundErrorReason::kManifestWrite) == "ManifestWrite");
  CHECK(name_of(static_cast<rocksdb::CompactionReason>(77)) == "reason 77");
}

TEST_CASE("a flush has its bytes, records and length") {
  rocksdb::FlushJobInfo info{};
  info.cf_name = "cf";
  info.job_id = 3;
  info.flush_reason = rocksdb::FlushReason::kManualFlush;
  const auto begin = flush_begin(info);
  CHECK(begin.kind == "flush_begin");
  CHECK(begin.column_family == "cf");
  CHECK(begin.numbers.at("job") == 3);
  CHECK(begin.words.at("reason") == "ManualFlush");

  info.table_properties.data_size = 1000;
  info.table_properties.index_size = 20;
  info.table_properties.filter_size = 3;
  info.table_properties.raw_key_size = 500;
  info.table_properties.raw_value_size = 5000;
  info.table_properties.num_entries = 42;
  const auto end = flush_end(info, 7us);
  CHECK(end.kind == "flush_end");
  CHECK(end.numbers == std::map<std::string, std::int64_t>{{"job", 3},
                                                           {"input_bytes", 5500},
                                                           {"output_bytes", 1023},
                                                           {"output_records", 42},
                                                           {"output_level", 0},
                                                           {"elapsed_us", 7}});
  CHECK_FALSE(flush_end(info, std::nullopt).numbers.contains("elapsed_us"));
}

TEST_CASE("a compaction tells what it reads before it has read it") {
  const auto begin = compaction_begin(compaction_info());
  CHECK(begin.kind == "compaction_begin");
  CHECK(begin.numbers == std::map<std::string, std::int64_t>{{"job", 12},
                                                             {"input_level", 0},
                                                             {"output_level", 1},
                                                             {"input_files", 2},
                                                             {"input_bytes", 150},
                                                             {"input_records", 8}});
  CHECK(begin.words == std::map<std::string, std::string>{{"reason", "LevelL0FilesNum"}});
}

TEST_CASE("a compaction's end has RocksDB's own figures") {
  auto info = compaction_info();
  info.output_files = {"/3.sst"};
  info.stats.total_input_bytes = 160;
  info.stats.num_input_records = 9;
  info.stats.total_output_bytes = UINT64_MAX;  // more than the wire can say
  info.stats.num_output_records = 4;
  info.stats.elapsed_micros = 55;
  info.stats.cpu_micros = 44;
  const auto end = compaction_end(info, 99us);
  CHECK(end.numbers == std::map<std::string, std::int64_t>{{"job", 12},
                                                           {"input_level", 0},
                                                           {"output_level", 1},
                                                           {"input_files", 2},
                                                           {"output_files", 1},
                                                           {"moved_files", 0},
                                                           {"input_bytes", 160},
                                                           {"output_bytes", INT64_MAX},
                                                           {"input_records", 9},
                                                           {"output_records", 4},
                                                           {"elapsed_us", 55},
                                                           {"cpu_us", 44}});
  CHECK(end.words.at("status") == "OK");
}

TEST_CASE("a compaction that only moves its files is told as such") {
  auto info = compaction_info();
  info.output_files = info.input_files;
  const auto end = compaction_end(info, 99us);
  CHECK(end.numbers.at("moved_files") == 2);
  CHECK(end.numbers.at("input_bytes") == 150);
  CHECK(end.numbers.at("output_bytes") == 0);
  CHECK(end.numbers.at("elapsed_us") == 99);
}

TEST_CASE("errors and recoveries carry their status, cut to a bound") {
  const auto error = background_error(rocksdb::BackgroundErrorReason::kFlush,
                                      rocksdb::Status::IOError("disk", std::string(5000, 'x')));
  CHECK(error.kind == "background_error");
  CHECK(error.words.at("reason") == "Flush");
  CHECK_THAT(error.words.at("status"), Catch::Matchers::StartsWith("IO error: disk"));
  CHECK(error.words.at("status").size() < 600);
  const auto begin =
      recovery_begin(rocksdb::BackgroundErrorReason::kCompaction, rocksdb::Status::NoSpace());
  CHECK(begin.kind == "error_recovery");
  CHECK(begin.words.at("phase") == "begin");
  rocksdb::BackgroundErrorRecoveryInfo info;
  info.old_bg_error = rocksdb::Status::NoSpace();
  info.new_bg_error = rocksdb::Status::OK();
  const auto end = recovery_end(info);
  CHECK(end.words.at("phase") == "end");
  CHECK(end.words.at("status") == "OK");
  CHECK(end.words.at("before") == rocksdb::Status::NoSpace().ToString());
}

}  // namespace
}  // namespace rocktune::agent
