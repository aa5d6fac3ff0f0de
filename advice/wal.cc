// wal_sync, manual_wal_flush, wal_compression: what the write-ahead log costs. How a program writes
// (WriteOptions) cannot be changed from outside.
#include <algorithm>

#include "advice/findings.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kFewWrites = 10;          // a second
constexpr double kSyncShare = 0.5;         // of a device write, in the median write
constexpr double kSlowWrite = 50;          // us: no memory copy takes so long
constexpr double kRequestsPerWrite = 0.2;  // device writes for each write: groups of up to five
// Of a write call. A larger one may take as long, and bring as many device writes, without a sync.
constexpr double kMostSynced = 4096;
// What flushes and compactions write at a time, at least: the smallest
// writable_file_max_buffer_size that is set while a database runs (model/knobs.cc).
constexpr double kBackgroundWrite = 64 << 10;
constexpr double kBatch = 10;
constexpr double kFastWrite = 20;      // us: nothing waits for the device
constexpr double kManyCalls = 50'000;  // a second: where the system's write calls are what CPUs do
constexpr double kBusyWriters = 0.5;   // of a core: below it writers mostly do something else
constexpr double kSmallWrite = 1024;   // bytes
constexpr double kMostWithout = 1.46;  // WAL off over on: docs/experiments.md, write-path, wal
constexpr double kLargeShare = 0.4;    // of what RocksDB writes
constexpr double kWalBusyDevice = 0.8, kWalBusyCpus = 0.7;

// Absent when nothing tells; below a few bytes for each megabyte the WAL is off.
std::optional<bool> wal_is_on(const Evidence& e) {
  const Value share = ratio(e.wal_bytes.total(), e.user_bytes.total());
  return share ? std::optional(*share > 1e-6) : std::nullopt;
}

bool is_idle(const Evidence& e) {
  return e.user_bytes.total() && *e.user_bytes.total() == 0;
}

// Of the device, beyond those that flushes and compactions explain.
Value requests_per_write(const Evidence& e) {
  const Value all = e.device_write_iops.mean();
  const Value flushed = e.flushed.per_second(), compacted = e.compaction_written.per_second();
  if (!all || !flushed || !compacted) return std::nullopt;
  const double explained = (*flushed + *compacted) / kBackgroundWrite;
  return ratio(std::max(0.0, *all - explained), e.writes.per_second());
}

constexpr const char* kWalOptionsMissing =
    "the WAL's options are not in the trace: --options with the OPTIONS file brings them";

Advice batch_writes(const Evidence& e, double p50, double requests) {
  Advice out;
  out.title = "several writes for each sync of the WAL";
  out.evidence = {
      fact("write_p50_us", p50,
           "the median write took " + text::microseconds(p50) + ", one of the device " +
               text::microseconds(*e.device_write_await_ms.mean() * 1000)),
      fact("device_writes_per_write", requests,
           text::amount(requests) + " device writes for each write, beyond those of flushes and "
                                    "compactions")};
  out.effect = {"median time for each written key",
                Unit::kMicroseconds,
                p50,
                p50 / kBatch,
                p50,
                "10 writes in one WriteBatch share one sync; nothing is gained where the program "
                "must know each one safe before the next"};
  out.confidence = Confidence::kLow;
  out.confidence_reason =
      "that writes are synced is concluded from times and device requests, which "
      "may be another program's: the trace has no WriteOptions";
  out.risk =
      "writes wait for their batch; without sync, a crash of the machine loses the last ones";
  out.steps = {{"WriteOptions::sync", "true, for a WriteBatch of several writes", false}};
  out.how = "in the program; concurrent writers are grouped by RocksDB already";
  out.source =
      "source 001; docs/experiments.md, write-path: a sync for each write gave 0.02 times "
      "the throughput";
  return out;
}

struct WriteCalls {
  double mean_us = 0, per_second = 0, bytes = 0;
  [[nodiscard]] double cores() const { return mean_us * per_second / 1e6; }
};

// Absent where nothing tells, or none was made.
std::optional<WriteCalls> write_calls(const Evidence& e) {
  const Value mean = ratio(e.write_call_us.total(), e.write_calls.total());
  const Value per_second = e.write_calls.per_second();
  const Value bytes = ratio(e.user_bytes.total(), e.write_calls.total());
  if (!mean || !per_second || !bytes) return std::nullopt;
  return WriteCalls{*mean, *per_second, *bytes};
}

Advice flush_by_hand(const WriteCalls& calls) {
  Advice out;
  out.title = "the WAL flushed by the program (manual_wal_flush)";
  out.evidence = {
      fact("write_mean_us", calls.mean_us,
           "a write call takes " + text::microseconds(calls.mean_us) + " in the mean"),
      fact("write_calls_per_second", calls.per_second,
           text::amount(calls.per_second) + " write calls a second of " + text::bytes(calls.bytes)),
      fact("writing_threads", calls.cores(),
           text::amount(calls.cores()) + " threads are in one in the mean")};
  out.effect = {"write calls a second",
                Unit::kCount,
                calls.per_second,
                calls.per_second,
                calls.per_second * kMostWithout,
                "at most what no WAL at all gained in this project's experiment (1.46 times); the "
                "system's write call is the part that is saved"};
  out.confidence = Confidence::kLow;
  out.confidence_reason =
      "the bound is of another machine and of one writer; whether the writer is "
      "what limits this program is not seen";
  out.risk = "a crash of the process, and not only of the machine, loses what was not flushed";
  out.steps = {{"manual_wal_flush", "true"}};
  out.how = "and DB::FlushWAL(false) every few milliseconds";
  out.source = "source 001; docs/experiments.md, write-path, wal";
  return out;
}

Advice compress(const Evidence& e, double share, double busy) {
  const double kept = std::min(1.0, *ratio(e.flushed.total(), e.user_bytes.total()));
  Advice out;
  out.title = "a compressed WAL";
  out.evidence = {fact("wal_share_ratio", share,
                       "the WAL is " + text::percent(share) + " of what RocksDB writes"),
                  fact("device_busy_ratio", busy,
                       "the device was busy " + text::percent(busy) + " of the time"),
                  fact("flushed_per_written", kept,
                       "flushes wrote " + text::amount(kept) + " bytes for each user byte")};
  out.effect = {"bytes that RocksDB writes, over now",
                Unit::kTimes,
                1,
                1 - share * (1 - kept),
                1,
                "as small as flushes made the same data, where that was compression and not "
                "overwriting; nothing where values are compressed already"};
  out.confidence = Confidence::kLow;
  out.confidence_reason = "how well the data compresses in small records is not in the trace";
  out.risk =
      "CPU time in every write; RocksDB 7.10.2 mended an error in the recovery of compressed "
      "WALs: not before it; and before 9.3.0 not with recycle_log_file_num above 0: RocksDB may "
      "then take the WAL for corrupt and not open the database again";
  out.steps = {{"wal_compression", "kZSTD"}};
  out.source = "RocksDB's options.h and its change log (7.10.2, 9.3.0)";
  return out;
}

}  // namespace

void judge_wal_sync(const Evidence& e, Findings& findings) {
  const auto on = wal_is_on(e);
  const Value writes = e.writes.per_second();
  const Value p50 = e.write_p50_us.mean();
  const Value await = e.device_write_await_ms.mean();
  const Value requests = requests_per_write(e);
  const auto calls = write_calls(e);
  if (on && !*on) return findings.content("", "the WAL is off");
  if (writes && *writes < kFewWrites) return findings.content("", "there are few writes");
  if (!on || !writes || !p50 || !await || !requests || !calls) {
    return findings.not_judged("", "write latencies, the WAL or the device are not in the trace");
  }
  if (*p50 < kSlowWrite || *p50 < kSyncShare * *await * 1000 || *requests < kRequestsPerWrite) {
    return findings.content("", "writes do not wait for the device one by one");
  }
  if (e.write_trouble().value_or(0) >= kLittleTrouble) {
    return findings.not_judged("", "writes are held up by RocksDB, which hides what a sync costs");
  }
  if (calls->bytes > kMostSynced) {
    return findings.not_judged("", "the mean write brings " + text::bytes(calls->bytes) +
                                       ", which takes as long without a sync, and no syncs are "
                                       "counted");
  }
  findings.advise(batch_writes(e, *p50, *requests));
}

void judge_wal_flush(const Evidence& e, Findings& findings) {
  const auto on = wal_is_on(e);
  const auto calls = write_calls(e);
  if (is_idle(e)) return findings.content("", "nothing is written");
  if (on && !*on) return findings.content("", "the WAL is off");
  if (!on || !calls) {
    return findings.not_judged("", "write latencies or the WAL are not in the trace");
  }
  const auto manual = e.option("manual_wal_flush");
  if (manual && (*manual == "true" || *manual == "1")) {
    return findings.content("", "the program flushes the WAL");
  }
  const bool small = calls->bytes <= kSmallWrite && calls->bytes > 0;
  if (calls->per_second < kManyCalls || calls->mean_us > kFastWrite || !small ||
      calls->cores() < kBusyWriters || e.write_trouble().value_or(0) >= kLittleTrouble) {
    return findings.content("", "write calls of the WAL are not what limits the writers");
  }
  if (!manual) return findings.not_judged("", kWalOptionsMissing);
  findings.advise(flush_by_hand(*calls));
}

void judge_wal_compression(const Evidence& e, Findings& findings) {
  const auto on = wal_is_on(e);
  if (is_idle(e)) return findings.content("", "nothing is written");
  if (on && !*on) return findings.content("", "the WAL is off");
  if (!on || !e.flushed.total() || !e.compaction_written.total()) {
    return findings.not_judged("", "the WAL's bytes are not in the trace");
  }
  const double wal = *e.wal_bytes.total();
  const double all = wal + *e.flushed.total() + *e.compaction_written.total();
  const Value share = ratio(wal, all);
  if (!share || *share < kLargeShare) {
    return findings.content("", "the WAL is a small part of what is written");
  }
  const Value device = e.device_busy.mean();
  const Value cpu = e.cpu_busy.mean();
  if (!device || !cpu) return findings.not_judged("", "device and CPUs are not in the trace");
  const auto known = e.option("wal_compression");
  if (known && *known != "kNoCompression") return findings.content("", "it is compressed");
  if (*device < kWalBusyDevice || *cpu > kWalBusyCpus) {
    return findings.content("", "the device is not what is short, or CPUs are");
  }
  if (const auto mended = version_at_least(e, 7, 11); !mended.value_or(false)) {
    return findings.content("",
                            "this RocksDB is older than 7.11, or not told: compressed WALs had "
                            "an error in recovery");
  }
  const Value recycled = e.knob("recycle_log_file_num");
  const bool recycles_safely = version_at_least(e, 9, 3).value_or(false);
  if (!known || (!recycles_safely && !recycled)) {
    return findings.not_judged("", kWalOptionsMissing);
  }
  if (!recycles_safely && *recycled > 0) {
    return findings.content("",
                            "this RocksDB is older than 9.3 and recycles WALs "
                            "(recycle_log_file_num): with compressed ones the database may not "
                            "open again");
  }
  findings.advise(compress(e, *share, *device));
}

}  // namespace rocktune::advice
