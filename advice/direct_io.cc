// direct_io: compactions that fill the page cache beside reads.
#include <algorithm>

#include "advice/family_writes.h"
#include "advice/findings.h"
#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kPageCacheHurts = 2;  // read P99 beside compactions over without
constexpr double kPressure = 0.05;     // PSI of memory
constexpr double kFits = 0.5;          // of the memory: the page cache holds the data as well
constexpr const char* kOption = "use_direct_io_for_flush_and_compaction";

bool told_true(const std::optional<std::string>& value) {
  return value && (*value == "true" || *value == "1");
}

double bytes_on_disk(const Evidence& e) {
  double all = 0;
  for (const auto& [name, one] : e.families) all += one.data_bytes.mean().value_or(0);
  return all;
}

// As the program opens it: rocktuned may have set it since.
Value own_write_size(const Evidence& e) {
  const KnobReading* size = e.knobs.find(knob::kWriteSize, "");
  return size != nullptr ? Value(static_cast<double>(size->found)) : e.knob(knob::kWriteSize);
}

// What the database is opened with and RocksDB refuses beside it; empty: nothing.
std::string refused_with(const Evidence& e) {
  // DBImpl::ValidateOptions refuses the first, and an assertion of PosixMmapReadableFile the
  // second.
  for (const char* mapped : {"allow_mmap_writes", "allow_mmap_reads"}) {
    if (told_true(e.option(mapped))) return mapped;
  }
  // ValidateOptions, too: there would be no buffer to align.
  return own_write_size(e) == 0 ? "writable_file_max_buffer_size=0" : "";
}

Advice bypass(const Evidence& e, double compacting, double quiet) {
  Advice out;
  out.title = "direct I/O for flushes and compactions";
  out.evidence = {
      fact("read_p99_compacting_us", compacting,
           "read P99 " + text::microseconds(compacting) + " in the mean while compactions ran, " +
               text::microseconds(quiet) + " while none did"),
      fact("data_bytes", bytes_on_disk(e),
           "the database holds " + text::bytes(bytes_on_disk(e)) + ", the machine " +
               text::bytes(*e.memory_total) + " of memory")};
  if (const Value pressure = e.memory_pressure.mean()) {
    out.evidence.push_back(
        fact("memory_pressure_ratio", *pressure,
             "something waited for memory " + text::percent(*pressure) + " of the time"));
  }
  out.effect = {"read P99 while compactions run",
                Unit::kMicroseconds,
                compacting,
                quiet,
                compacting,
                "at best as without compactions, where they threw what reads use out of the page "
                "cache; nothing where the device itself is the limit"};
  out.confidence = Confidence::kLow;
  out.confidence_reason = "that the page cache is the cause is not seen; compare on a copy";
  out.risk =
      "compactions then read from the device what the page cache may have held: a load of "
      "writes alone ran at 0.71 times its speed in this project's experiment; a file system may "
      "have no O_DIRECT, and flushes fail there";
  out.steps = {{kOption, "true"}, {"compaction_readahead_size", "2097152"}};
  out.source =
      "source 003; docs/experiments.md, compaction-style (wal-direct-style): write "
      "amplification 0.91 times, operations 0.71 times";
  return out;
}

}  // namespace

void judge_direct_io(const Evidence& e, Findings& findings) {
  const auto now = e.option(kOption);
  if (!now)
    return findings.not_judged(
        "",
        std::string(kOption) + " is not in the trace: --options with the OPTIONS file brings it");
  if (told_true(now)) return findings.content("", "flushes and compactions use it");
  if (told_true(e.option("use_direct_reads"))) {
    return findings.content("", "reads do not use the page cache: nothing is thrown out of it");
  }
  if (const std::string refused = refused_with(e); !refused.empty()) {
    return findings.content("", "RocksDB does not take it together with " + refused);
  }
  if (!e.memory_total) return findings.not_judged("", "memory is not in the trace");
  if (e.blob_files()) return findings.not_judged("", kBlobFiles);
  if (bytes_on_disk(e) < kFits * *e.memory_total) {
    return findings.content("", "the page cache has room for all data");
  }
  const Value compacting = e.read_p99_us_compacting.mean();
  const Value quiet = e.read_p99_us_quiet.mean();
  if (!compacting || !quiet || e.read_p99_us_compacting.seconds() < kLeastSecondsEach ||
      e.read_p99_us_quiet.seconds() < kLeastSecondsEach) {
    return findings.not_judged(
        "", "the trace has not 30 s each of read latencies with and without compactions");
  }
  if (*compacting <= *quiet) {
    return findings.content("", "reads are as fast beside compactions as without");
  }
  const bool pressed = e.memory_pressure.mean().value_or(0) >= kPressure;
  if (*compacting < kPageCacheHurts * std::max(*quiet, 1.0) && !pressed) {
    return findings.content("", "reads are about as fast beside compactions");
  }
  findings.advise(bypass(e, *compacting, *quiet));
}

}  // namespace rocktune::advice
