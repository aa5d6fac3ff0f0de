#include "agent/op_trace/checkpoint.h"

#include <rocksdb/statistics.h>
#include <rocksdb/transaction_log.h>
#include <rocksdb/utilities/checkpoint.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <thread>

#include "agent/write_stop.h"

namespace rocktune::agent {
namespace {

// A write is counted as done before it is counted as logged, and is in between while the log is
// written: microseconds, of each group of writes. 1000 looks over 50 ms find a moment between two.
constexpr int kLooks = 1000;
constexpr std::chrono::microseconds kBetweenLooks{50};
constexpr std::uint64_t kFlushAlways = 0;
constexpr std::uint64_t kFlushNever = std::numeric_limits<std::uint64_t>::max();

std::uint64_t writes_done(const rocksdb::Statistics& statistics) {
  return statistics.getTickerCount(rocksdb::WRITE_DONE_BY_SELF) +
         statistics.getTickerCount(rocksdb::WRITE_DONE_BY_OTHER);
}

}  // namespace

bool log_is_whole(rocksdb::DB* db) {
  const auto statistics = db->GetDBOptions().statistics;
  if (!statistics || statistics->get_stats_level() <= rocksdb::StatsLevel::kExceptTickers) {
    return false;
  }
  for (int look = 0; look < kLooks; ++look) {
    const auto done = writes_done(*statistics);
    const auto logged = statistics->getTickerCount(rocksdb::WRITE_WITH_WAL);
    if (done > 0 && logged == done && writes_done(*statistics) == done) return true;
    std::this_thread::sleep_for(kBetweenLooks);
  }
  return false;
}

std::uint64_t bytes_of_log(rocksdb::DB* db) {
  rocksdb::VectorLogPtr files;
  if (!db->GetSortedWalFiles(files).ok()) return 0;  // then the checkpoint says what is wrong
  std::uint64_t bytes = 0;
  for (const auto& file : files) {
    if (file->Type() == rocksdb::kAliveLogFile) bytes += file->SizeFileBytes();
  }
  return bytes;
}

std::string make_checkpoint(rocksdb::DB* db, const std::string& path) {
  const bool flush = db->GetDBOptions().allow_2pc || !log_is_whole(db);
  if (flush) {
    if (auto why = why_flush_waits(db); !why.empty()) return why;
  }
  rocksdb::Checkpoint* made = nullptr;
  auto status = rocksdb::Checkpoint::Create(db, &made);
  const std::unique_ptr<rocksdb::Checkpoint> checkpoint(made);
  if (status.ok()) status = checkpoint->CreateCheckpoint(path, flush ? kFlushAlways : kFlushNever);
  return status.ok() ? std::string() : status.ToString();
}

}  // namespace rocktune::agent
