// memtables and small_memtables: how many there are, and how large.
#include <algorithm>
#include <cmath>

#include "advice/family_writes.h"
#include "advice/findings.h"
#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kFlushesTooSlow = 0.3;   // full for this share: flushes cannot keep up
constexpr double kMostMemtables = 16;     // beyond it reads ask too many of them
constexpr double kMemtablesShare = 0.25;  // of what is free for this database
constexpr double kOften = 0.5;            // flushes a second
constexpr double kWantedPerSecond = 0.1;
constexpr double kMostFactor = 8;
constexpr double kLeastSecondsAtSize =
    30;                         // of one write_buffer_size, to tell how often it flushes
constexpr double kRipe = 0.15;  // a file over its memtable; compression and overwriting take some
constexpr double kFull = 0.5;   // what a memtable held over its size; its own structure takes some
constexpr double kDelayedFrom = 4;  // memtables, from which on a delay comes before the stop

double families(const Evidence& e) {
  return static_cast<double>(std::max<std::size_t>(e.families.size(), 1));
}

// How large all memtables may be together; absent when the trace has no memory figures.
Value memory_for_memtables(const Evidence& e) {
  const Value available = e.free_memory();
  return available ? Value(*available * kMemtablesShare) : std::nullopt;
}

Fact full_fact(double share) {
  return fact("memtables_full_ratio", share,
              "memtables alone held writes up " + text::percent(share) + " of the time");
}

// While flushes run, a burst at the recorded peak fills what is free in so many seconds.
std::string burst_text(const Evidence& e, double now, double then) {
  const Value flushing = e.flushed_while_flushing.per_second();
  const Value peak = e.peak_user_bytes_per_second;
  if (!flushing || !peak || *peak <= *flushing) return "";
  const double more = *peak - *flushing;
  return "; at the largest rate of " + text::number(kPeakSeconds, 0) + " s (" + text::rate(*peak) +
         ") less what flushes took (" + text::rate(*flushing) + ") that is " +
         text::amount(now / more) + " s before, " + text::amount(then / more) + " s after";
}

std::string delay_text(double wanted, double size) {
  if (wanted < kDelayedFrom) return "";
  return "; a delay then begins at " + text::bytes((wanted - 1) * size);
}

// So many take a burst, as far as there is memory for them.
double wanted_memtables(const Evidence& e, double count, double size) {
  const double wanted = std::min(std::max(2 * count, count + 2), kMostMemtables);
  const Value memory = memory_for_memtables(e);
  return memory ? std::min(wanted, std::floor(*memory / families(e) / std::max(size, 1.0)))
                : wanted;
}

// Memtables alone hold writers up, and not because flushes cannot keep up.
bool by_bursts(double full_share) {
  return full_share >= kLittleTrouble && full_share < kFlushesTooSlow;
}

// As many as `memtables` advises: both may be followed.
double advised_memtables(const Evidence& e, const FamilyEvidence& f, double size) {
  const Value share = f.memtables_full_alone.share();
  const auto count = static_cast<double>(f.last.max_write_buffer_number.value_or(2));
  if (!share || !f.last.max_write_buffer_number || !by_bursts(*share)) return count;
  return std::max(count, wanted_memtables(e, count, size));
}

Advice more_memtables(const Evidence& e, const FamilyEvidence& f, double count, double wanted) {
  const double size = *f.write_buffer_bytes();
  // RocksDB stops writes at as many immutable memtables as there may be memtables.
  const double now = count * size;
  const double then = wanted * size;
  Advice out;
  out.column_family = f.name;
  out.title = "more memtables for bursts";
  out.evidence = {
      full_fact(*f.memtables_full_alone.share()),
      fact("memtables", count, text::number(count, 0) + " memtables of " + text::bytes(size))};
  out.effect = {"bytes that a burst may bring before writes stop",
                Unit::kBytes,
                now,
                then,
                then,
                "all memtables, full" + delay_text(wanted, size) + burst_text(e, now, then)};
  const bool known = e.memory_available.mean().has_value();
  out.confidence = known ? Confidence::kMedium : Confidence::kLow;
  out.confidence_reason = std::string("bursts of this recording may not be the largest") +
                          (known ? "" : "; the trace does not tell how much memory is free");
  out.risk = text::bytes((wanted - count) * size) +
             " more memory at the worst; the WAL to replay after a crash grows by as much" +
             free_memory_text(e);
  out.steps = {{"max_write_buffer_number", text::number(wanted, 0), false}};
  out.source = "RocksDB's stall rules (db/column_family.cc); a quarter of the free memory at most";
  return out;
}

void judge_count(const Evidence& e, const FamilyEvidence& f, Findings& findings) {
  const Value share = f.memtables_full_alone.share();
  const Value size = f.write_buffer_bytes();
  if (!share || !size || !f.last.max_write_buffer_number) {
    return findings.not_judged(f.name, "memtables or their options are not in the trace");
  }
  if (*share < kLittleTrouble) {
    return findings.content(f.name, "memtables alone hardly ever hold writes up");
  }
  if (*share >= kFlushesTooSlow) {
    return findings.content(f.name,
                            "memtables are full too often for bursts: flushes cannot keep up, and "
                            "more memtables would only put it off");
  }
  const auto count = static_cast<double>(*f.last.max_write_buffer_number);
  const double wanted = wanted_memtables(e, count, *size);
  if (wanted <= count) {
    return findings.content(f.name, "there is no memory for more memtables, or there are many");
  }
  findings.advise(more_memtables(e, f, count, wanted));
}

// Bytes of one table that was flushed at the size of now; of one of level 0 where that is not
// known.
Value file_at_size(const Evidence& e, const FamilyEvidence& f) {
  if (e.families.size() == 1 && !e.blob_files(f)) {
    const Value mean = ratio(f.at_size.flushed_bytes.total(), f.at_size.flushes.total());
    if (mean && *mean > 0) return mean;
  }
  return f.l0_file_bytes.mean();
}

// What is judged is the last size. The program's own, where rocktuned has raised it since.
Value own_size(const Evidence& e, const FamilyEvidence& f) {
  const KnobReading* size = e.knobs.find(knob::kWriteBufferSize, f.name);
  if (size == nullptr || !is_raised(*size)) return std::nullopt;
  return static_cast<double>(size->found);
}

std::string size_text(const Evidence& e, const FamilyEvidence& f) {
  const std::string text = "write_buffer_size is " + text::bytes(*f.write_buffer_bytes());
  const Value own = own_size(e, f);
  return own ? as_raised(text, text::bytes(*own)) : text;
}

// How full memtables were when they were flushed.
struct Fill {
  Value known;         // at least so much of write_buffer_size
  bool exact = false;  // what users wrote was counted, or files are not compressed
  bool full() const { return known.value_or(0) >= kFull; }
};

Fill fill_of(const Evidence& e, const FamilyEvidence& f) {
  const bool alone = e.families.size() == 1;
  const auto compression = e.option(f.name, "compression");
  const Value each = ratio(f.at_size.user_bytes.total(), f.at_size.flushes.total());
  const Value written = ratio(alone ? each : Value(), f.write_buffer_bytes());
  const Value file = ratio(file_at_size(e, f), f.write_buffer_bytes());
  return {std::max(written, file), written || compression == "kNoCompression"};
}

// Files that are smaller than the memtables that they were: compression does that.
bool compressed(const Evidence& e, const FamilyEvidence& f) {
  const auto compression = e.option(f.name, "compression");
  return compression && *compression != "kNoCompression";
}

Advice larger_memtables(const Evidence& e, const FamilyEvidence& f, double trouble, double wanted) {
  const double size = *f.write_buffer_bytes();
  const double per_second = *f.at_size.flushes.per_second();
  Advice out;
  out.column_family = f.name;
  out.title = "larger memtables";
  out.evidence = {trouble_fact(trouble),
                  fact("flushes_per_second", per_second,
                       text::amount(per_second) + " flushes a second, each a file in level 0"),
                  fact("write_buffer_bytes", size, size_text(e, f))};
  out.effect = {"files a second that level 0 gets",
                Unit::kCount,
                per_second,
                0,
                per_second * size / wanted,
                "the same writes in larger memtables; fewer still where keys are overwritten in "
                "them"};
  const bool known = e.memory_available.mean().has_value();
  const Fill fill = fill_of(e, f);
  const bool full = fill.full() || compressed(e, f);
  out.confidence = !full ? Confidence::kLow : known ? Confidence::kHigh : Confidence::kMedium;
  out.confidence_reason =
      !full   ? "files are far smaller than write_buffer_size, and whether compression or an early "
                "flush makes them so is not in the trace: --options tells of compression"
      : known ? "memtables were flushed when full, and there is memory"
              : "the trace does not tell how much memory is free";
  out.risk = "up to " + text::bytes((wanted - size) * advised_memtables(e, f, size)) +
             " more memory; the WAL to replay after a crash grows by as much" + free_memory_text(e);
  out.steps = {{"write_buffer_size", text::number(wanted, 0), false}};
  const double level0 = file_at_size(e, f).value_or(0) * wanted / size *
                        static_cast<double>(f.last.level0_compaction_trigger.value_or(4));
  const auto base = static_cast<double>(f.last.max_bytes_for_level_base_bytes.value_or(0));
  if (f.leveled() && base > 0 && base < level0) {
    out.steps.push_back({"max_bytes_for_level_base", text::number(level0, 0), false});
    out.how = "the level below level 0 stays in proportion to it";
  }
  out.source =
      "source 000's Mild-Pressure (docs/experiments.md, read-latency): small write "
      "buffers were part of what left it 0.25 times the throughput; thresholds are this "
      "project's";
  return out;
}

void judge_size(const Evidence& e, const FamilyEvidence& f, Findings& findings) {
  const Value per_second = f.at_size.flushes.per_second();
  const Value size = f.write_buffer_bytes();
  const Value trouble = family_trouble(e, f);
  if (!f.flushes.per_second() || !size || !trouble || !(*size > 0)) {
    return findings.not_judged(f.name, "flushes or write_buffer_size are not in the trace");
  }
  if (!per_second || f.at_size.flushes.seconds() < kLeastSecondsAtSize) {
    return findings.not_judged(f.name, "write_buffer_size was changed shortly before the end");
  }
  if (*per_second < kOften) {
    const std::string seldom = "flushes are not frequent";
    return findings.content(f.name, own_size(e, f) ? seldom + "; " + size_text(e, f) : seldom);
  }
  if (*trouble < kLittleTrouble) return findings.content(f.name, "writers are not held up");
  const Fill fill = fill_of(e, f);
  if (!fill.known) return findings.not_judged(f.name, "what a flush brings is not in the trace");
  if (*fill.known < (fill.exact ? kFull : kRipe)) {
    return findings.content(f.name,
                            "memtables are flushed long before they are full: by something else "
                            "than write_buffer_size (max_total_wal_size, db_write_buffer_size, "
                            "Flush calls)");
  }
  double factor = std::min(std::ceil(*per_second / kWantedPerSecond), kMostFactor);
  if (const Value memory = memory_for_memtables(e)) {
    const double count = std::max(advised_memtables(e, f, *size), 1.0);
    factor = std::min(factor, std::floor(*memory / families(e) / (*size * count)));
  }
  // 0: no limit
  if (const Value most = e.knob("db_write_buffer_size"); most && *most > 0) {
    factor = std::min(factor, std::floor(*most / std::max(full_memtables(e), 1.0)));
    if (factor < 2) {
      return findings.content(f.name, "db_write_buffer_size has no room for larger memtables");
    }
  }
  if (factor < 2) return findings.content(f.name, "there is no memory for larger memtables");
  findings.advise(larger_memtables(e, f, *trouble, *size * factor));
}

}  // namespace

void judge_memtables(const Evidence& evidence, Findings& findings) {
  for_each_family(evidence, findings,
                  [&](const FamilyEvidence& family) { judge_count(evidence, family, findings); });
}

void judge_small_memtables(const Evidence& evidence, Findings& findings) {
  for_each_family(evidence, findings,
                  [&](const FamilyEvidence& family) { judge_size(evidence, family, findings); });
}

}  // namespace rocktune::advice
