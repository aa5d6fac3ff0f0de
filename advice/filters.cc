// bloom_filter and partitioned_filters: what point reads ask, and where filters and indexes lie.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <string>
#include <vector>

#include "advice/family_writes.h"
#include "advice/findings.h"
#include "model/knobs.h"
#include "model/text.h"

namespace rocktune::advice {
namespace {

constexpr double kManyPointReads = 10'000;
constexpr double kFewRuns = 2;
constexpr double kFewLookups = 1.5;
constexpr double kFewSeeks =
    0.03;  // of all reads: one may look up as much as dozens of point reads
constexpr double kFalsePositives = 0.01;  // of 10 bits a key: RocksDB's wiki, Bloom Filter
constexpr double kBits = 10;
constexpr double kMostBlocks = 2;        // of a run that is read: an index block and a data block
constexpr double kCacheShare = 0.5;      // of the cache, for filters and indexes
constexpr double kMetadataShare = 0.10;  // of the memory, outside of any limit
constexpr double kFitsShare = 0.25;      // of the cache, for what moves into it
constexpr double kIndexEntry = 32;       // bytes, of a short key and a block's place
constexpr double kBlock = 4096, kPartition = 4096;  // RocksDB's defaults

bool is_true(const std::string& value) {
  return value == "1" || value == "true";
}

bool is_none(const std::string& policy) {
  return policy.empty() || policy == "nullptr" || policy == "None" || policy == "(nil)";
}

Value number_of(const std::optional<std::string>& text) {
  double value = 0;
  if (!text) return std::nullopt;
  const auto read = std::from_chars(text->data(), text->data() + text->size(), value);
  return read.ec == std::errc() && std::isfinite(value) && value > 0 ? Value(value) : std::nullopt;
}

// Bits a key, of "bloomfilter:10:false" and its like.
Value bits_of(const std::string& policy) {
  const auto colon = policy.find(':');
  return colon == std::string::npos ? std::nullopt : number_of(policy.substr(colon + 1));
}

double largest_runs(const Evidence& e) {
  double runs = 0;
  for (const auto& [name, one] : e.families) runs = std::max(runs, one.runs.mean().value_or(0));
  return runs;
}

double all_data(const Evidence& e) {
  double all = 0;
  for (const auto& [name, one] : e.families) all += one.data_bytes.mean().value_or(0);
  return all;
}

// Keys in so much data, by the mean size of what was written; compression is not known here, and
// neither are values in blob files.
Value keys_in(const Evidence& e, double bytes) {
  if (e.blob_files()) return std::nullopt;
  return ratio(bytes, ratio(e.user_bytes.total(), e.writes.total()));
}

// As it is at the end: it may have been set since the options were told.
std::optional<std::string> filter_policy(const Evidence& e, const std::string& family) {
  auto told = e.option(family, "filter_policy");
  const KnobReading* bits = e.knobs.find(knob::kBloomBits, family);
  if (!told || bits == nullptr || bits->owner == KnobOwner::kFound) return told;
  return bits->value > 0 ? "bloomfilter:" + std::to_string(bits->value) + ":false" : "nullptr";
}

// The column families without a filter, by their options; absent when not all are told.
std::optional<std::vector<std::string>> families_without(const Evidence& e) {
  std::vector<std::string> out;
  for (const auto& [name, one] : e.families) {
    const auto policy = filter_policy(e, name);
    if (!policy) return std::nullopt;
    if (is_none(*policy)) out.push_back(name);
  }
  return out;
}

std::string listed(const std::vector<std::string>& names) {
  std::string out;
  for (const std::string& name : names) out += (out.empty() ? "" : ", ") + name;
  return out;
}

// `without`: those that are known to have none; empty: it is concluded that nobody has one.
Advice bring_filter(const Evidence& e, double lookups, double runs,
                    const std::vector<std::string>& without) {
  const bool told = !without.empty();
  // It can be set from 9.8 on, and before 9.11 a flush or compaction may undo it.
  const bool at_run_time = version_at_least(e, 9, 11).value_or(false);
  const double least = std::min(lookups, 1 + kFalsePositives * (runs - 1));
  Advice out;
  out.title = "a Bloom filter for point reads";
  if (e.families.size() == 1) out.column_family = e.families.begin()->first;
  if (without.size() == 1) out.column_family = without.front();
  const std::string none = e.families.size() == without.size()
                               ? "there is no filter"
                               : "there is no filter in column family " + listed(without);
  out.evidence = {
      fact("lookups_per_read", lookups,
           "each read looks up " + text::amount(lookups) + " blocks in the cache"),
      fact("sorted_runs", runs, "a read may have to ask " + text::amount(runs) + " sorted runs"),
      fact("filter_useful", 0,
           told ? none : "in the whole recording no filter of whole keys spared a look-up")};
  out.effect = {"blocks that a read looks up",
                Unit::kCount,
                lookups,
                least,
                std::max(least, std::min(lookups, kMostBlocks * least)),
                "one run is read, and 1% of the others: 10 bits a key; with its index block, where "
                "that is in the cache too, twice as many; filter blocks come on top"};
  // Look-ups are counted for the whole database.
  const bool all = told && without.size() == e.families.size();
  out.confidence = all ? Confidence::kHigh : Confidence::kLow;
  out.confidence_reason =
      all ? "the options say so, and look-ups were counted"
      : told
          ? "the options say so; whose reads look up what is not counted apart"
          : "that there is none is concluded from a counter, which newer RocksDBs keep apart for "
            "filters of prefixes alone (whole_key_filtering=false): --options tells; scans gain "
            "nothing from one";
  const Value keys = keys_in(e, all_data(e));
  out.risk = (keys ? "about " + text::bytes(*keys * kBits / 8) +
                         " of memory (10 bits for each of " + text::number(*keys, 0) + " keys)"
                   : "10 bits of memory for each key") +
             ", and CPU time when tables are written";
  out.steps = {{"filter_policy", "bloomfilter:10:false", !at_run_time}};
  out.how = at_run_time
                ? "block_based_table_factory={filter_policy=bloomfilter:10:false;} by "
                  "SetOptions (rocktuned has it as a knob); new files only: a full "
                  "compaction brings it to all"
                : "not changeable before RocksDB 9.8, and before 9.11 a flush or compaction "
                  "may undo the change; new files only: a full compaction brings it to all";
  out.source =
      "RocksDB's wiki, Bloom Filter (1% at 10 bits); docs/experiments.md, read-latency: "
      "with twice the cache it gave 1.9 times the throughput";
  return out;
}

struct Metadata {
  double filters = 0, index = 0, bits = kBits;
  bool bits_told = false;
  [[nodiscard]] double bytes() const { return filters + index; }
};

Metadata metadata_of(const Evidence& e, const FamilyEvidence& f, double keys) {
  Metadata out;
  const std::string policy = filter_policy(e, f.name).value_or("");
  if (const Value bits = bits_of(policy)) {
    out.bits = *bits;
    out.bits_told = true;
  }
  if (!is_none(policy)) out.filters = keys * out.bits / 8;
  const double block = number_of(e.option(f.name, "block_size")).value_or(kBlock);
  out.index = f.data_bytes.mean().value_or(0) / block * kIndexEntry;
  return out;
}

// Column families whose filters and indexes lie in the same place: the cache, or the memory
// outside of it.
struct Place {
  bool in_cache = false;
  std::vector<std::pair<std::string, Metadata>> families;
  [[nodiscard]] double bytes() const {
    double all = 0;
    for (const auto& [name, one] : families) all += one.bytes();
    return all;
  }
};

Advice partition(const Evidence& e, const std::string& family, const Metadata& metadata,
                 const Place& place) {
  const double bytes = metadata.bytes();
  const bool in_cache = place.in_cache;
  Advice out;
  out.column_family = family;
  out.title = in_cache ? "partitioned filters and indexes"
                       : "filters and indexes in the block cache, partitioned";
  out.evidence = {fact("metadata_bytes", bytes,
                       "filters take about " + text::bytes(metadata.filters) + ", indexes " +
                           text::bytes(metadata.index))};
  if (place.families.size() > 1) {
    out.evidence.push_back(
        fact("all_metadata_bytes", place.bytes(),
             "with those of the other column families there " + text::bytes(place.bytes())));
  }
  out.evidence.push_back(
      fact("cache_capacity_bytes", *e.cache_capacity,
           std::string(in_cache ? "the cache that holds them has " : "the block cache has ") +
               text::bytes(*e.cache_capacity)));
  if (!in_cache) {
    out.evidence.push_back(fact("memory_total_bytes", *e.memory_total,
                                "they lie outside of it, in " + text::bytes(*e.memory_total) +
                                    " of memory, without a limit"));
  }
  out.effect = {"bytes of filters and indexes that must be in memory",
                Unit::kBytes,
                bytes,
                bytes * kIndexEntry / kPartition,
                bytes,
                "the top level alone (an entry for each partition of 4 KiB), up to all of it where "
                "all partitions are in use"};
  out.confidence = Confidence::kLow;
  out.confidence_reason =
      std::string("their size is an estimate: keys by the mean size of writes, ") +
      "index entries of 32 bytes, " + (metadata.bits_told ? "" : "10 bits a key assumed, ") +
      "no compression";
  out.risk = std::string(in_cache ? "" : "they take that much of the block cache from data; ") +
             "a read that finds its partition not cached reads the device once more";
  out.steps = {{"cache_index_and_filter_blocks", "true"},
               {"partition_filters", "true"},
               {"index_type", "kTwoLevelIndexSearch"},
               {"pin_top_level_index_and_filter", "true"}};
  out.how = "new files only: a full compaction brings it to all";
  out.source =
      "RocksDB's wiki, Partitioned Index Filters; source 000's ReadOpt has them "
      "(docs/experiments.md, read-latency)";
  return out;
}

// Puts the column family's filters and indexes where they lie, unless there is nothing to judge.
void place_metadata(const Evidence& e, const FamilyEvidence& f, Place& cache, Place& memory,
                    Findings& findings) {
  const auto policy = filter_policy(e, f.name);
  const auto cached = e.option(f.name, "cache_index_and_filter_blocks");
  const auto partitioned = e.option(f.name, "partition_filters");
  if (!policy || !cached || !partitioned) {
    return findings.not_judged(
        f.name,
        "the table options are not in the trace: --options with the OPTIONS file brings them");
  }
  if (is_true(*partitioned)) return findings.content(f.name, "filters are partitioned");
  if (e.blob_files()) return findings.not_judged(f.name, kBlobFiles);
  const Value keys = keys_in(e, f.data_bytes.mean().value_or(0));
  if (!keys) return findings.not_judged(f.name, "the size of a written key is not in the trace");
  Place& place = is_true(*cached) ? cache : memory;
  place.families.emplace_back(f.name, metadata_of(e, f, *keys));
}

// Outside of the cache all tables' filters and indexes are in memory where max_open_files is -1;
// else those of as many tables as may be open. Empty: all are; or why that is not known.
std::string bounded_by_files(const Evidence& e) {
  const Value most = e.knob("max_open_files");
  if (!most) {
    return "max_open_files is not in the trace: --options with the OPTIONS file brings it";
  }
  if (*most == -1) return "";
  return "outside of the block cache are the filters and indexes of " + text::number(*most, 0) +
         " open tables at most (max_open_files), and how large these are is not in the trace";
}

// All column families have one cache and one memory: the largest ones are advised, until what is
// left is small. `cached`: metadata that lies in the cache already.
void judge_place(const Evidence& e, Place place, double cached, Findings& findings) {
  const Value limit = place.in_cache ? e.cache_capacity : e.memory_total;
  const double share = place.in_cache ? kCacheShare : kMetadataShare;
  std::stable_sort(place.families.begin(), place.families.end(), [](const auto& a, const auto& b) {
    return a.second.bytes() > b.second.bytes();
  });
  double left = place.bytes();
  bool any = false;
  const std::string bounded = place.in_cache ? "" : bounded_by_files(e);
  // Of two places the rule is not to fill the one to empty the other.
  const bool fits = place.in_cache || cached + left <= kFitsShare * e.cache_capacity.value_or(0);
  for (const auto& [name, metadata] : place.families) {
    if (!limit || !e.cache_capacity) {
      findings.not_judged(name, "cache and memory are not in the trace");
    } else if (left < share * *limit) {
      findings.content(name, std::string("filters and indexes are small beside cache and memory") +
                                 (any ? ", once the largest ones are partitioned" : ""));
    } else if (!bounded.empty()) {
      findings.not_judged(name, bounded);
    } else if (!fits) {
      findings.content(name, "filters and indexes outside of the block cache take much memory (" +
                                 text::bytes(metadata.bytes()) + " by estimate), but a cache of " +
                                 text::bytes(*e.cache_capacity) + " has no room for them");
    } else {
      findings.advise(partition(e, name, metadata, place));
      left -= metadata.bytes();
      any = true;
    }
  }
}

}  // namespace

void judge_bloom_filter(const Evidence& e, Findings& findings) {
  const Value reads = e.reads.total();
  const Value useful = e.filter_useful.total();
  if (!reads || !useful || !e.hits.total()) {
    return findings.not_judged("", "reads, cache look-ups or filters are not counted in the trace");
  }
  if (*reads < kManyPointReads) return findings.content("", "there are few point reads");
  const auto without = families_without(e);
  if (*useful > 0) {
    const bool partly = without && !without->empty();
    return findings.content("", "filters spare reads look-ups" +
                                    (partly ? "; column family " + listed(*without) +
                                                  " has none, and what its reads look up is not "
                                                  "counted apart"
                                            : std::string()));
  }
  if (without && without->empty()) {
    return findings.content("", "every column family has a filter, and reads find what they ask");
  }
  if (!e.seeks.total()) return findings.not_judged("", "seeks are not counted in the trace");
  const double seeks = *e.seeks.total() / (*e.seeks.total() + *reads);
  if (seeks > kFewSeeks) {
    return findings.not_judged("", text::percent(seeks) +
                                       " of the reads are seeks, which no filter of whole keys "
                                       "helps, and what they look up is not counted apart");
  }
  const double runs = largest_runs(e);
  const Value lookups = ratio(e.read_lookups.lookups(), e.read_lookups.reads.total());
  if (!lookups || e.read_lookups.hits.seconds() < kLeastLookupSeconds) {
    return findings.not_judged(
        "", "the trace has not 30 s in which reads alone asked the cache, without compactions");
  }
  if (runs < kFewRuns || *lookups < kFewLookups) {
    return findings.content("", "reads have few runs to ask");
  }
  findings.advise(bring_filter(e, *lookups, runs, without.value_or(std::vector<std::string>())));
}

void judge_partitioned_filters(const Evidence& evidence, Findings& findings) {
  Place cache{true, {}}, memory{false, {}};
  for_each_family(evidence, findings, [&](const FamilyEvidence& family) {
    place_metadata(evidence, family, cache, memory, findings);
  });
  const double cached = cache.bytes();
  judge_place(evidence, std::move(cache), cached, findings);
  judge_place(evidence, std::move(memory), cached, findings);
}

}  // namespace rocktune::advice
