#include "policy/peers/adoc.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/text.h"
#include "policy/peers/common.h"
#include "policy/situation.h"

namespace rocktune::peers {
namespace {

// DOTA_tuner.h and .cc, where no other source is named
constexpr double kTickSeconds = 1;
constexpr double kSlowFlush = 0.5;  // TEA_slow_flush, of the fastest
constexpr double kMoreJobs = 2;     // FillUpChangeList
constexpr double kLeastJobs = 2;    // min_thread
// Ours. What a flush writes is counted as it ends: several have to, so that one more or less in a
// window is no change, however large they are.
constexpr double kSpeedSeconds = 5;
constexpr std::size_t kSpeedEnds = 3;

enum class AdocMove { kKeep, kMore, kHalf };

struct AdocWish {
  AdocMove move = AdocMove::kKeep;
  std::string why;
  std::string_view feature = "memtable_ratio";
  void set(AdocMove wanted, std::string reason, std::string_view moves) {
    move = wanted;
    why = std::move(reason);
    feature = moves;
  }
};

// A memtable that was to be another one: where it stood at the last wish, and whether one of them
// was granted.
struct Wished {
  std::int64_t from = 0;
  bool granted = false;
};

// How fast flushes write, over the last kSpeedSeconds in which one of them ran without a break, or
// over as long as kSpeedEnds polls take in which some ended; absent before.
class FlushSpeed {
 public:
  void add(double bytes, double seconds) {
    last_.bytes += bytes;
    last_.seconds += seconds;
    if (bytes <= 0) return;
    // From the end of one flush on: how long it had run before is not known.
    if (std::exchange(began_, true)) ends_.push_back(last_);
    last_ = {};
    while (ends_.size() > kSpeedEnds && sum(1).seconds >= kSpeedSeconds) ends_.erase(ends_.begin());
  }
  void interrupt() { *this = FlushSpeed(); }
  [[nodiscard]] Value bytes_per_second() const {
    const Part all = sum(0);
    const bool known = ends_.size() >= kSpeedEnds && all.seconds >= kSpeedSeconds;
    return known ? Value(all.bytes / all.seconds) : std::nullopt;
  }

 private:
  struct Part {
    double bytes = 0, seconds = 0;
  };
  [[nodiscard]] Part sum(std::size_t from) const {
    Part all;
    for (std::size_t i = from; i < ends_.size(); ++i) {
      all.bytes += ends_[i].bytes;
      all.seconds += ends_[i].seconds;
    }
    return all;
  }

  std::vector<Part> ends_;  // each up to a poll in which a flush ended, from the one before
  Part last_;               // since
  bool began_ = false;
};

double gauge_or(const Counter& counter, double absent) {
  return counter ? static_cast<double>(*counter) : absent;
}

class Adoc : public Policy {
 public:
  explicit Adoc(const AdocParams& params) : params_(params) {}

  [[nodiscard]] GuardScope guard_scope() const override { return GuardScope::kHardLimits; }

  [[nodiscard]] std::vector<Proposal> decide(const PolicyInput& input) override {
    const Features& f = input.features;
    if (f.reset) *this = Adoc(params_);
    observe(f);
    std::vector<Proposal> out;
    if (!f.fresh || tick_.due(f.at.tick) == 0) return out;
    const bool flushed = std::exchange(flushed_, 0) > 0;
    if (!flushed || !std::exchange(scored_, true)) return out;
    const bool slow = flushes_are_slow();
    tune_jobs(input, slow, out);
    std::map<std::string, Wished> wished;
    for (const ColumnFamilyReading& family : f.column_families) {
      if (const auto one = tune_sizes(f, family, slow, out)) wished[family.name] = *one;
    }
    wished_ = std::move(wished);
    return out;
  }

 private:
  void observe(const Features& f) {
    const bool waits = f.immutable_memtables.value_or(0) >= 1;
    const bool waited = std::exchange(waited_, waits);
    const double flushed = f.flush_bytes_per_second.value_or(0) * f.interval_seconds;
    flushed_ += flushed;
    if (waits && waited && f.flush_bytes_per_second) {
      speed_.add(flushed, f.interval_seconds);
    } else {
      speed_.interrupt();
    }
  }

  bool flushes_are_slow() {
    const Value speed = speed_.bytes_per_second();
    if (!speed) return false;
    fastest_ = std::max(fastest_, *speed);
    return *speed < kSlowFlush * fastest_;
  }

  static void tune_jobs(const PolicyInput& input, bool slow, std::vector<Proposal>& out) {
    const Features& f = input.features;
    const KnobReading* jobs = changeable_knob(f, knob::kBackgroundJobs);
    const auto& told = input.budget.jobs_max;
    const Value cores = told ? Value(static_cast<double>(*told)) : f.cpus;
    if (jobs == nullptr || !cores) return;
    AdocWish wish;
    if (f.immutable_memtables.value_or(0) >= 1) {
      wish.set(AdocMove::kMore, "memtables wait for their flush", "memtable_ratio");
    }
    if (slow) wish.set(AdocMove::kHalf, "flushes are slow: jobs compete", "memtable_ratio");
    if (f.pending_ratio.value_or(0) >= 1) {
      wish.set(AdocMove::kMore, "pending bytes are at the soft limit", "pending_bytes");
    } else if (f.l0_ratio.value_or(0) >= 1) {
      wish.set(AdocMove::kMore, "level 0 is at its slowdown trigger", "l0_ratio");
    }
    if (wish.move == AdocMove::kKeep) return;
    const auto now = static_cast<double>(jobs->value);
    const double to = wish.move == AdocMove::kMore ? now + kMoreJobs : std::floor(now / 2);
    const double within = std::min(std::max(to, kLeastJobs), *cores);
    if (wish.move == AdocMove::kMore && within < now) return;  // found with more than cores
    auto change = turn(f, jobs, within, {"adoc.jobs", wish.why, wish.feature});
    if (change) out.push_back(*std::move(change));
  }

  static AdocWish wish_of(const ColumnFamilyReading& family, bool slow) {
    AdocWish wish;
    if (slow) wish.set(AdocMove::kMore, "flushes are slow", "memtable_ratio");
    if (gauge_or(family.immutable_memtables, 0) > 1) {
      wish.set(AdocMove::kMore, "more than one memtable waits", "memtable_ratio");
    }
    const double soft = gauge_or(family.soft_pending_limit_bytes, 0);
    if (soft > 0 && gauge_or(family.pending_compaction_bytes, 0) >= soft) {
      wish.set(AdocMove::kHalf, "pending bytes are at the soft limit", "pending_bytes");
    }
    return wish;
  }

  // What became of a wish for another memtable is read at the next such tick, and from the first
  // that was granted on the other sizes follow that.
  std::optional<Wished> tune_sizes(const Features& f, const ColumnFamilyReading& family, bool slow,
                                   std::vector<Proposal>& out) const {
    const auto before = wished_.find(family.name);
    std::optional<Wished> wished;
    if (before != wished_.end()) wished = before->second;
    const KnobReading* memtable = changeable_knob(f, knob::kWriteBufferSize, family.name);
    if (memtable == nullptr) return wished;
    if (wished && memtable->value != wished->from) wished->granted = true;
    if (wished && wished->granted) follow(f, family, *memtable, out);
    const AdocWish wish = wish_of(family, slow);
    if (wish.move == AdocMove::kKeep) return wished;
    tune_memtable(f, *memtable, wish, out);
    return Wished{memtable->value, wished && wished->granted};
  }

  void tune_memtable(const Features& f, const KnobReading& memtable, const AdocWish& wish,
                     std::vector<Proposal>& out) const {
    const auto now = static_cast<double>(memtable.value);
    const double wanted = wish.move == AdocMove::kMore ? now + static_cast<double>(memtable.found)
                                                       : std::floor(now / 2);
    const double size =
        std::min(std::max(wanted, params_.memtable_min_bytes), params_.memtable_max_bytes);
    auto change = turn(f, &memtable, size, {"adoc.memtable", wish.why, wish.feature});
    if (change) out.push_back(*std::move(change));
  }

  static void follow(const Features& f, const ColumnFamilyReading& family,
                     const KnobReading& memtable, std::vector<Proposal>& out) {
    const std::string why =
        "write buffers are " + shown(knob::kWriteBufferSize, memtable.value) + " now";
    auto add = [&](std::string_view knob, double to, std::string_view rule) {
      auto change =
          turn(f, changeable_knob(f, knob, family.name), to, {rule, why, "memtable_ratio"});
      if (change) out.push_back(*std::move(change));
    };
    const auto size = static_cast<double>(memtable.value);
    add(knob::kTargetFileSize, size, "adoc.file_size");
    const double trigger = gauge_or(family.level0_compaction_trigger, 0);
    if (trigger > 0) add(knob::kLevelBase, size * trigger, "adoc.level_base");
  }

  AdocParams params_;
  Tick tick_{kTickSeconds};
  FlushSpeed speed_;
  double fastest_ = 0, flushed_ = 0;  // bytes/s, bytes
  bool waited_ = false, scored_ = false;
  std::map<std::string, Wished> wished_;  // by column family
};

}  // namespace

std::unique_ptr<Policy> make_adoc(const AdocParams& params) {
  return std::make_unique<Adoc>(params);
}

}  // namespace rocktune::peers
