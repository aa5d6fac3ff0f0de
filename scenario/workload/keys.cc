#include "scenario/workload/keys.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "model/text.h"

namespace rocktune::scenario {
namespace {

constexpr std::array<std::pair<KeyKind, const char*>, 5> kKinds = {
    {{KeyKind::kZipfian, "zipfian"},
     {KeyKind::kUniform, "uniform"},
     {KeyKind::kLatest, "latest"},
     {KeyKind::kHotSet, "hot_set"},
     {KeyKind::kMixgraph, "mixgraph"}}};
constexpr double kGoldenSection = 0.6180339887498949;

std::optional<KeyKind> kind_named(const std::string& name) {
  for (const auto& [kind, text] : kKinds) {
    if (name == text) return kind;
  }
  return std::nullopt;
}

std::string name_of_kind(KeyKind wanted) {
  for (const auto& [kind, text] : kKinds) {
    if (kind == wanted) return text;
  }
  return "";
}

constexpr const char* kKnown = "must be zipfian, uniform, latest, hot_set or mixgraph";

void read_shifts(MapReader& map, KeyPlan& plan) {
  if (plan.kind == KeyKind::kUniform || plan.kind == KeyKind::kLatest) return;
  map.number("shift_at_seconds", plan.shift_at_seconds, {0, 86400});
  map.number("shift_every_seconds", plan.shift_every_seconds, {0, 86400});
  map.integer("shifted", plan.shifted, {0, 1'000'000});
}

}  // namespace

KeyPlan read_keys(MapReader& map, const std::string& key, Problems& problems,
                  const KeyPlan& absent) {
  const auto node = map.node(key);
  if (!node) return absent;
  KeyPlan plan;
  std::string name;
  if (!node->IsMap()) {
    if (!map.text(key, name)) return absent;
    if (const auto kind = kind_named(name); kind && *kind != KeyKind::kMixgraph) {
      plan.kind = *kind;
    } else {
      map.problem(key, "'" + name + "' is no distribution: it " + kKnown + " (this as a map)");
    }
    return plan;
  }
  MapReader inner(*node, problems, map.qualified(key) + ".");
  inner.text("kind", name);
  if (const auto kind = kind_named(name)) {
    plan.kind = *kind;
  } else {
    inner.problem("kind", kKnown);
  }
  if (plan.kind == KeyKind::kZipfian || plan.kind == KeyKind::kLatest) {
    // The method of Gray et al. holds below 1; YCSB's own range, too.
    inner.number("theta", plan.theta, {0.01, 0.999});
  } else if (plan.kind == KeyKind::kHotSet) {
    inner.number("access_share", plan.access_share, {0, 1});
    inner.number("key_share", plan.key_share, {0, 1});
  } else if (plan.kind == KeyKind::kMixgraph) {
    plan.mixgraph = read_mixgraph_keys(inner);
  }
  read_shifts(inner, plan);
  inner.finish();
  return plan;
}

std::string keys_text(const KeyPlan& plan) {
  std::string out = name_of_kind(plan.kind);
  const bool skewed = plan.kind == KeyKind::kZipfian || plan.kind == KeyKind::kLatest;
  if (skewed && plan.theta != Zipfian::kYcsbConstant) out += " theta " + text::amount(plan.theta);
  if (plan.kind == KeyKind::kHotSet) {
    out += " " + text::percent(plan.access_share) + " to " + text::percent(plan.key_share);
  }
  if (plan.shift_at_seconds > 0) out += ", shifted at " + text::duration(plan.shift_at_seconds);
  if (plan.shift_every_seconds > 0) {
    out += ", shifted every " + text::duration(plan.shift_every_seconds);
  }
  return out;
}

KeyChooser::KeyChooser(const KeyPlan& plan, std::uint64_t records)
    : plan_(plan),
      records_(records),
      hot_records_(std::clamp<std::uint64_t>(
          static_cast<std::uint64_t>(std::llround(plan.key_share * static_cast<double>(records))),
          1, records)),
      step_(plan.kind == KeyKind::kHotSet
                ? hot_records_
                : static_cast<std::uint64_t>(kGoldenSection * static_cast<double>(records))),
      scrambled_(records, plan.kind == KeyKind::kZipfian ? plan.theta : Zipfian::kYcsbConstant),
      ranks_(plan.kind == KeyKind::kLatest ? records : 2, plan.theta),
      ranges_(plan.mixgraph, records) {}

std::uint64_t KeyChooser::shifts(double seconds) const {
  auto count = static_cast<std::uint64_t>(plan_.shifted);
  if (plan_.shift_at_seconds > 0 && seconds >= plan_.shift_at_seconds) ++count;
  if (plan_.shift_every_seconds > 0) {
    count += static_cast<std::uint64_t>(std::max(0.0, seconds) / plan_.shift_every_seconds);
  }
  return count;
}

std::uint64_t KeyChooser::next(Random& random, double seconds, const Inserted& inserted) const {
  std::uint64_t record = 0;
  switch (plan_.kind) {
    case KeyKind::kUniform:
      return random.below(records_);
    case KeyKind::kLatest:
      return latest(random, inserted);
    case KeyKind::kZipfian:
      record = scrambled_.next(random);
      break;
    case KeyKind::kHotSet:
      record = hot_set(random);
      break;
    case KeyKind::kMixgraph:
      record = ranges_.next(random);
      break;
  }
  return (record + shifts(seconds) % records_ * step_) % records_;
}

std::uint64_t KeyChooser::hot_set(Random& random) const {
  const std::uint64_t cold = records_ - hot_records_;
  if (random.uniform() < plan_.access_share || cold == 0) return random.below(hot_records_);
  return hot_records_ + random.below(cold);
}

// Rank 0 is the newest. What the other threads have inserted meanwhile depends on their speed, so a
// thread takes its own inserts for theirs: each of its own stands for as many ranks as there are
// threads, and all threads together read the newest records as often as the law says.
std::uint64_t KeyChooser::latest(Random& random, const Inserted& inserted) const {
  const std::uint64_t rank = ranks_.next(random);
  const std::uint64_t age = rank / inserted.threads;
  if (age < inserted.count) return inserted.record(inserted.count - 1 - age);
  return records_ - 1 - (rank - inserted.count * inserted.threads);
}

}  // namespace rocktune::scenario
