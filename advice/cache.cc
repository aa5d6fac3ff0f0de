// cache_size: a block cache that is full and misses, also beyond what rocktuned may give it.
#include <algorithm>
#include <cmath>

#include "advice/family_writes.h"
#include "advice/findings.h"
#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kFullCache = 0.95;
constexpr double kGoodHits = 0.95;  // of look-ups
constexpr double kManyLookups = 10'000;
constexpr double kOtherSize = 1.2;  // a capacity that differs by this shows the marginal gain
constexpr double kFlat = 0.01;      // hit ratio that doubling adds: the knee is behind
constexpr double kCacheMemoryShare = 0.5;  // of what is free for this database

double data_bytes(const Evidence& e) {
  double all = 0;
  for (const auto& [name, one] : e.families) all += one.data_bytes.mean().value_or(0);
  return all;
}

// Hit ratio that each doubling of the capacity added, from the two that differ most; absent where
// the capacity was (nearly) the same all the time.
Value gain_per_doubling(const Evidence& e) {
  const std::pair<const std::uint64_t, CacheTally>* small = nullptr;
  const std::pair<const std::uint64_t, CacheTally>* large = nullptr;
  for (const auto& one : e.by_capacity) {  // by size
    if (one.first == 0 || one.second.reads.hits.seconds() < kLeastLookupSeconds) continue;
    if (small == nullptr) small = &one;
    large = &one;
  }
  if (small == nullptr) return std::nullopt;
  const double factor = static_cast<double>(large->first) / static_cast<double>(small->first);
  const Value before = small->second.reads.hit_ratio();
  const Value after = large->second.reads.hit_ratio();
  if (factor < kOtherSize || !before || !after) return std::nullopt;
  return (*after - *before) / std::log2(factor);
}

// What was seen at the last capacity, and at those that hardly differ from it.
CacheTally at_capacity(const Evidence& e, double now) {
  CacheTally out;
  for (const auto& [bytes, tally] : e.by_capacity) {
    const auto capacity = static_cast<double>(bytes);
    if (capacity * kOtherSize < now || capacity > now * kOtherSize) continue;
    out.reads.add(tally.reads);
    out.fill.add(tally.fill.mean(), tally.fill.seconds());
  }
  return out;
}

struct CachePlan {
  double now = 0, wanted = 0, hits = 0, fill = 0;
  Value misses_per_read;
  Value learnt;  // hit ratio per doubling
};

std::string budget_text(const Evidence& e, const CachePlan& plan) {
  if (!e.memory_max) {
    return "rocktuned stays within what cache and write buffers were found with, as long as "
           "budget.memory_max is unset: raise it, or give more at the next open";
  }
  const auto most = static_cast<double>(*e.memory_max);
  if (plan.wanted + full_memtables(e) <= most) {
    return "within budget.memory_max: rocktuned can do it in act mode";
  }
  return "budget.memory_max is " + text::bytes(most) +
         ", the write buffers included: only the operator can go beyond it";
}

Effect more_hits(const CachePlan& plan) {
  const double doublings = std::log2(plan.wanted / plan.now);
  const double bound = std::min(1.0, plan.hits * plan.wanted / plan.now);
  const double learnt = plan.hits + plan.learnt.value_or(0) * doublings;
  return {"cache hit ratio",
          Unit::kRatio,
          plan.hits,
          plan.hits,
          std::clamp(plan.learnt ? learnt : bound, plan.hits, 1.0),
          plan.learnt ? "what each doubling added in this recording; less beyond a knee"
                      : "no more than in proportion: the last bytes of a cache bring less "
                        "than the first; nothing beyond a knee"};
}

Advice larger_cache(const Evidence& e, const CachePlan& plan) {
  Advice out;
  out.title = "a larger block cache";
  out.evidence = {
      fact("cache_hit_ratio", plan.hits,
           text::percent(plan.hits) + " of what reads look up hits, in a cache of " +
               text::bytes(plan.now) + " that is " + text::percent(plan.fill) + " full"),
      fact("data_bytes", data_bytes(e),
           (e.blob_files() ? "its tables, without blob files, hold " : "the database holds ") +
               text::bytes(data_bytes(e)))};
  if (const Value& misses = plan.misses_per_read) {
    out.evidence.push_back(
        fact("misses_per_read", *misses, text::amount(*misses) + " misses for each read"));
  }
  if (e.memory_available.mean()) {
    out.evidence.push_back(fact("memory_available_bytes", *e.memory_available.mean(),
                                text::bytes(*e.memory_available.mean()) + " of memory is free"));
  }
  out.effect = more_hits(plan);
  out.confidence = plan.learnt ? Confidence::kMedium : Confidence::kLow;
  out.confidence_reason = plan.learnt
                              ? "two capacities were seen in this recording"
                              : "one capacity was seen: where the knee is, only trying tells "
                                "(source 000: 512 MB to 1 GB gained nothing)";
  out.risk = text::bytes(plan.wanted - plan.now) +
             " more memory, which the page cache then lacks where reads are buffered" +
             free_memory_text(e);
  out.steps = {{"block_cache (Cache::SetCapacity)", text::number(plan.wanted, 0), false}};
  out.how = budget_text(e, plan);
  out.source =
      "source 000; docs/experiments.md, read-latency: 1 GB gave 1.03 times 512 MB's "
      "throughput";
  return out;
}

}  // namespace

void judge_cache_size(const Evidence& e, Findings& findings) {
  if (!e.hits.total() || !e.cache_capacity) {
    return findings.not_judged("", "the cache's capacity, use or hits are not in the trace");
  }
  const CacheTally tally = at_capacity(e, *e.cache_capacity);
  if (tally.reads.hits.seconds() < kLeastLookupSeconds) {
    return findings.not_judged("",
                               "the trace has not 30 s at the cache's last capacity in which "
                               "reads alone asked it, without compactions");
  }
  const Value lookups = tally.reads.lookups(), hits = tally.reads.hit_ratio();
  if (!lookups || !tally.fill.mean()) {
    return findings.not_judged("", "the cache's capacity, use or hits are not in the trace");
  }
  CachePlan plan{*e.cache_capacity,
                 0,
                 hits.value_or(0),
                 *tally.fill.mean(),
                 ratio(tally.reads.misses.total(), tally.reads.reads.total()),
                 std::nullopt};
  if (*lookups < kManyLookups || !(plan.now > 0)) {
    return findings.content("", "it is hardly asked");
  }
  if (plan.hits >= kGoodHits) {
    const std::string good = "it answers nearly all look-ups";
    const KnobReading* cache = e.knobs.find(knob::kCacheCapacity, "");
    const bool ours = cache != nullptr && is_raised(*cache);
    return findings.content(
        "", ours ? as_raised(good, text::bytes(static_cast<double>(cache->found))) : good);
  }
  if (plan.fill < kFullCache) return findings.content("", "it is not full");
  const Value available = e.free_memory();
  if (!available) return findings.not_judged("", "free memory is not in the trace");
  plan.learnt = gain_per_doubling(e);
  if (plan.learnt && *plan.learnt < kFlat) {
    return findings.content("", "another capacity in this recording made no difference");
  }
  const double room = plan.now + kCacheMemoryShare * *available;
  plan.wanted = std::min({2 * plan.now, room, std::max(data_bytes(e), plan.now)});
  plan.wanted = std::floor(plan.wanted / kMiB) * kMiB;
  if (plan.wanted < kOtherSize * plan.now) {
    return findings.content("", "there is no memory for more, or no data");
  }
  findings.advise(larger_cache(e, plan));
}

}  // namespace rocktune::advice
