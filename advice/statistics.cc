// statistics: without them nobody sees latencies, the tuner included.
#include "advice/findings.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kReadsToTime = 1000;

Advice bring_statistics() {
  Advice out;
  out.title = "open the database with a Statistics object";
  out.evidence = {fact("statistics", 0, "nobody brought one: no tickers, no latencies")};
  // docs/bench.md, "overhead", RocksDB 11.8.1.
  out.effect = {"CPU time of cached reads",
                Unit::kTimes,
                1,
                1,
                1.13,
                "RocksDB's own costs 9 to 13% of it (docs/adr/005); what it brings is sight: P99, "
                "cache hits, write amplification"};
  out.confidence = Confidence::kHigh;
  out.confidence_reason = "the cost was measured; figures that are not counted cannot be judged";
  out.risk = "its cost, in the CPU time of reads that the cache answers";
  out.steps = {{"statistics", "rocksdb::CreateDBStatistics()"}};
  out.how = "or start under `rocktune run`, whose agent brings one of its own that costs less";
  out.source = "docs/adr/005-statistics-by-sample.md";
  return out;
}

Advice time_them(double reads) {
  Advice out;
  out.title = "a statistics level that times operations";
  out.evidence = {fact("reads", reads,
                       text::number(reads, 0) + " reads were counted, and the latency of none")};
  out.effect = {"CPU time of cached reads",
                Unit::kTimes,
                1,
                1,
                1.13,
                "all that RocksDB's Statistics cost of it is 9 to 13% (docs/adr/005)"};
  out.confidence = Confidence::kHigh;
  out.confidence_reason = "tickers are there and histograms are not";
  out.risk = "its cost, in the CPU time of reads that the cache answers";
  out.steps = {{"stats_level", "kExceptDetailedTimers", false}};
  out.how = "statistics->set_stats_level(), at any time";
  out.source = "RocksDB's statistics.h; docs/adr/005-statistics-by-sample.md";
  return out;
}

}  // namespace

void judge_statistics(const Evidence& e, Findings& findings) {
  if (e.opening.statistics.empty()) {
    return findings.not_judged("", "the trace does not tell whether there are any");
  }
  if (e.opening.statistics == "none") return findings.advise(bring_statistics());
  const Value reads = e.reads.total();
  if (!reads) {
    return findings.not_judged("", "tickers are not in the trace (a LOG has none)");
  }
  if (e.reads_timed || *reads < kReadsToTime) {
    return findings.content("", "they are there, and reads are timed or few");
  }
  if (!e.hits.total()) {
    return findings.not_judged("",
                               "the reads were counted beside RocksDB (a LOG has no latencies)");
  }
  findings.advise(time_them(*reads));
}

}  // namespace rocktune::advice
