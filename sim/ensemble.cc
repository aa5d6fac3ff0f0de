#include "sim/ensemble.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
#include <utility>

#include "sim/median.h"
#include "sim/random.h"

namespace rocktune::sim {
namespace {

constexpr std::uint64_t kDrawStream = 1;
// Of a poll: samples come a little early and late.
constexpr double kPollRounding = 1e-6;
// Seeds of databases on one host lie this far apart.
constexpr int kDatabaseBits = 32;

class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed, kDrawStream) {}
  double around(double value, double spread) {
    const double z = std::clamp(random_.normal(), -kMostDeviations, kMostDeviations);
    return value * std::exp(spread * z);
  }

 private:
  Random random_;
};

// Of intervals [begin, end). Polls are on a grid of their own: each has the mean of what was asked
// for since the one before.
std::vector<Arrivals> by_poll(const DemandSeries& demand, std::size_t begin, std::size_t end) {
  std::vector<Arrivals> polls;
  Arrivals sum;
  double seconds = 0;
  bool anew = false;
  for (std::size_t i = begin; i < end; ++i) {
    const Arrivals& asked = demand.arrivals[i];
    sum.reads_per_second += asked.reads_per_second * demand.seconds[i];
    sum.writes_per_second += asked.writes_per_second * demand.seconds[i];
    seconds += demand.seconds[i];
    anew = anew || asked.anew;
    const double count = std::floor(seconds / kPollSeconds + kPollRounding);
    if (count < 1) continue;
    Arrivals mean = asked;
    mean.anew = false;
    mean.reads_per_second = sum.reads_per_second / seconds;
    mean.writes_per_second = sum.writes_per_second / seconds;
    polls.insert(polls.end(), static_cast<std::size_t>(count), mean);
    if (anew) (polls.end() - static_cast<std::ptrdiff_t>(count))->anew = true;
    anew = false;
    seconds -= count * kPollSeconds;
    sum.reads_per_second = mean.reads_per_second * seconds;
    sum.writes_per_second = mean.writes_per_second * seconds;
  }
  return polls;
}

// At which polls, of those of the group, a database is there, and what it is asked for at each.
// Polls are asked after in rising order.
class Presence {
 public:
  static constexpr std::size_t kNever = std::numeric_limits<std::size_t>::max();

  // `begin_seconds`: since the group's begin.
  Presence(double begin_seconds, const DemandSeries& demand);
  // This poll where it is there, else the next at which it is.
  [[nodiscard]] std::size_t next(std::size_t poll);
  // Null: it is away.
  [[nodiscard]] const Arrivals* at(std::size_t poll) {
    return next(poll) == poll ? &stays_[stay_].polls[poll - stays_[stay_].begin] : nullptr;
  }

 private:
  struct Stay {
    std::size_t begin = 0;
    std::vector<Arrivals> polls;  // at least one
    [[nodiscard]] std::size_t end() const { return begin + polls.size(); }
  };
  std::vector<Stay> stays_;
  std::size_t stay_ = 0;  // the first that is not over
};

Presence::Presence(double begin_seconds, const DemandSeries& demand) {
  double now = begin_seconds;
  std::size_t interval = 0;
  const auto stay_until = [&](std::size_t end) {
    auto polls = by_poll(demand, interval, end);
    const auto begin = static_cast<std::size_t>(std::lround(now / kPollSeconds));
    const std::size_t least = stays_.empty() ? 0 : stays_.back().end();  // both are rounded
    if (!polls.empty()) stays_.push_back({std::max(begin, least), std::move(polls)});
    for (; interval < end; ++interval) now += demand.seconds[interval];
  };
  for (const Absence& one : demand.absences) {
    stay_until(one.interval);
    now += one.seconds;
  }
  stay_until(demand.arrivals.size());
}

std::size_t Presence::next(std::size_t poll) {
  while (stay_ < stays_.size() && poll >= stays_[stay_].end()) ++stay_;
  return stay_ < stays_.size() ? std::max(poll, stays_[stay_].begin) : kNever;
}

void run_poll(std::size_t poll, std::vector<Presence>& asked, ClosedLoop& loop) {
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Arrivals* const now = asked[i].at(poll);
    loop.host().set_away(i, now == nullptr);
    if (now != nullptr) loop.host().plant(i).set_arrivals(*now);
  }
  loop.run(kPollSeconds);
}

// Of a time at which nobody is there one poll is run, so that who comes back is opened anew.
void run_polls(std::vector<Presence>& asked, ClosedLoop& loop) {
  const auto next = [&](std::size_t poll) {
    std::size_t earliest = Presence::kNever;
    for (Presence& one : asked) earliest = std::min(earliest, one.next(poll));
    return earliest;
  };
  std::size_t due = next(0);
  for (std::size_t poll = due; poll != Presence::kNever; poll = next(due)) {
    if (poll > due) run_poll(due, asked, loop);
    run_poll(poll, asked, loop);
    due = poll + 1;
  }
}

double operations_per_second(const LoopFigures& figures) {
  return figures.seconds > 0 ? figures.operations / figures.seconds : 0;
}

bool is_tie(double one, double other) {
  return std::abs(one - other) <= kTieRatio * std::max(std::abs(one), std::abs(other));
}

// Of one seed; ties share the mean of their places.
std::vector<double> ranks_of(const std::vector<double>& merits) {
  std::vector<std::size_t> order(merits.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return merits[a] < merits[b]; });
  std::vector<double> ranks(merits.size());
  for (std::size_t begin = 0; begin < order.size();) {
    std::size_t end = begin + 1;
    while (end < order.size() && is_tie(merits[order[begin]], merits[order[end]])) ++end;
    const double mean = (static_cast<double>(begin + 1) + static_cast<double>(end)) / 2;
    for (std::size_t i = begin; i < end; ++i) ranks[order[i]] = mean;
    begin = end;
  }
  return ranks;
}

// W with ties (Kendall and Gibbons, Rank Correlation Methods, 1990, chapter 6): the spread of the
// sums of ranks over the most that it can be.
std::optional<double> concordance(const std::vector<std::vector<double>>& by_seed) {
  const auto seeds = static_cast<double>(by_seed.size());
  const auto policies = static_cast<double>(by_seed.front().size());
  if (seeds < 2 || policies < 2) return std::nullopt;
  const double mean = seeds * (policies + 1) / 2;
  double spread = 0;
  for (std::size_t i = 0; i < by_seed.front().size(); ++i) {
    double sum = 0;
    for (const auto& ranks : by_seed) sum += ranks[i];
    spread += (sum - mean) * (sum - mean);
  }
  double ties = 0;
  for (const auto& ranks : by_seed) {
    for (const double rank : ranks) {
      const auto alike = static_cast<double>(std::count(ranks.begin(), ranks.end(), rank));
      ties += (alike * alike - 1);  // summed over a group of t: t (t^2 - 1)
    }
  }
  const double most = seeds * seeds * (policies * policies * policies - policies) - seeds * ties;
  if (most <= 0) return std::nullopt;
  return std::clamp(12 * spread / most, 0.0, 1.0);
}

}  // namespace

SimulationInput drawn(const SimulationInput& input, std::uint64_t seed) {
  SimulationInput out = input;
  if (seed == 0) {
    out.laws.job_spread = 0;
    return out;
  }
  Draw draw(seed);
  Laws& laws = out.laws;
  const Seen& seen = input.seen;
  laws.flush_bytes_per_second =
      draw.around(laws.flush_bytes_per_second, rate_spread(seen.flush_speed));
  laws.l0_bytes_per_second = draw.around(laws.l0_bytes_per_second, rate_spread(seen.l0_speed));
  laws.deep_bytes_per_second =
      draw.around(laws.deep_bytes_per_second, rate_spread(seen.deep_speed));
  laws.tree.overlap = draw.around(laws.tree.overlap, kOverlapSpread);
  laws.reads.miss_ratio = std::min(1.0, draw.around(laws.reads.miss_ratio, kCacheSpread));
  laws.reads.cache_exponent = draw.around(laws.reads.cache_exponent, kCacheSpread);
  if (out.host.device) {
    const double speed = draw.around(1, out.host.device_spread);
    for (DirectionCapacity* one : {&out.host.device->read, &out.host.device->write}) {
      one->bytes_per_second *= speed;
      one->iops *= speed;
    }
  }
  return out;
}

Result<std::vector<LoopFigures>> simulate(std::span<const SimulationInput> databases,
                                          const std::vector<EngineConfig>& engines,
                                          std::uint64_t seed, LoopWatch watch) {
  if (databases.empty()) {
    return fail(ErrorCode::kInvalidArgument, "there is no database to simulate");
  }
  const auto& first =
      *std::min_element(databases.begin(), databases.end(),
                        [](const auto& one, const auto& other) { return one.begin < other.begin; });
  std::vector<Plant> plants;
  std::vector<Presence> asked;
  for (std::size_t i = 0; i < databases.size(); ++i) {
    const SimulationInput own = drawn(databases[i], seed);
    Plant plant(own.options, own.laws, seed + (i << kDatabaseBits));
    plant.restore(own.state, own.delayed_rate);
    plants.push_back(std::move(plant));
    asked.emplace_back(seconds_between(first.begin, own.begin), own.demand);
  }
  auto loop = ClosedLoop::create(Host(drawn(first, seed).host, std::move(plants)), engines);
  if (!loop) return tl::unexpected(loop.error());
  for (std::size_t i = 0; i < databases.size(); ++i) {
    if (databases[i].limits) loop->count_above(i, *databases[i].limits);
  }
  loop->watch(std::move(watch));
  run_polls(asked, *loop);
  std::vector<LoopFigures> figures;
  figures.reserve(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    loop->host().plant(i).give_up_backlog();
    figures.push_back(loop->figures(i));
  }
  return figures;
}

Result<LoopFigures> simulate(const SimulationInput& input, const EngineConfig& engine,
                             std::uint64_t seed) {
  auto figures = simulate(std::span(&input, 1), {engine}, seed);
  if (!figures) return tl::unexpected(figures.error());
  return std::move(figures->front());
}

Plant repeat(const SimulationInput& input, std::uint64_t seed) {
  const SimulationInput own = drawn(input, seed);
  Plant plant(own.options, own.laws, seed);
  plant.restore(own.state, own.delayed_rate);
  Host host(own.host, {std::move(plant)});
  for (std::size_t i = 0; i < own.demand.arrivals.size(); ++i) {
    host.plant(0).set_arrivals(own.demand.arrivals[i]);
    host.advance(own.demand.seconds[i]);
  }
  return host.plant(0);
}

double figure_of_merit(const LoopFigures& figures, Priority first) {
  switch (first) {
    case Priority::kReadP99:
      return figures.reads_p99_seconds;
    case Priority::kWriteP99:
      return figures.writes_p99_seconds;
    case Priority::kStallSeconds:
      return figures.stalled_seconds;
    case Priority::kWriteAmplification:
      return figures.write_amplification;
    case Priority::kThroughput:
      break;
  }
  return -operations_per_second(figures);
}

Priority ranked_by(const std::vector<SimulatedPolicy>& policies, Priority first) {
  if (first != Priority::kReadP99 && first != Priority::kWriteP99) return first;
  const auto any = [&](Priority priority) {
    return std::any_of(policies.begin(), policies.end(), [&](const SimulatedPolicy& policy) {
      return std::any_of(
          policy.by_seed.begin(), policy.by_seed.end(),
          [&](const LoopFigures& figures) { return figure_of_merit(figures, priority) > 0; });
    });
  };
  if (any(first)) return first;
  return any(Priority::kStallSeconds) ? Priority::kStallSeconds : Priority::kThroughput;
}

Ranking rank(const std::vector<std::vector<double>>& merits_by_seed) {
  Ranking ranking;
  if (merits_by_seed.empty()) return ranking;
  std::vector<std::vector<double>> by_seed;
  by_seed.reserve(merits_by_seed.size());
  for (const auto& merits : merits_by_seed) by_seed.push_back(ranks_of(merits));
  const std::size_t policies = by_seed.front().size();
  ranking.median_rank.assign(policies, 0);
  ranking.best_ratio.assign(policies, 0);
  if (policies == 0) return ranking;
  for (std::size_t i = 0; i < policies; ++i) {
    std::vector<double> own;
    own.reserve(by_seed.size());
    for (const auto& ranks : by_seed) {
      own.push_back(ranks[i]);
      if (ranks[i] == *std::min_element(ranks.begin(), ranks.end())) ranking.best_ratio[i] += 1;
    }
    ranking.best_ratio[i] /= static_cast<double>(by_seed.size());
    ranking.median_rank[i] = median(std::move(own));
  }
  ranking.concordance = concordance(by_seed);
  return ranking;
}

std::vector<std::size_t> first_places(const Ranking& ranking) {
  const auto merit = [&](std::size_t policy) {
    return std::make_pair(ranking.median_rank[policy], -ranking.best_ratio[policy]);
  };
  std::vector<std::size_t> firsts;
  for (std::size_t policy = 0; policy < ranking.median_rank.size(); ++policy) {
    if (!firsts.empty() && merit(policy) < merit(firsts.front())) firsts.clear();
    if (firsts.empty() || merit(policy) == merit(firsts.front())) firsts.push_back(policy);
  }
  return firsts;
}

Ranking rank(const std::vector<SimulatedPolicy>& policies, Priority first) {
  if (policies.empty()) return {};
  std::vector<std::vector<double>> by_seed(policies.front().by_seed.size());
  for (std::size_t seed = 0; seed < by_seed.size(); ++seed) {
    for (const SimulatedPolicy& policy : policies) {
      by_seed[seed].push_back(figure_of_merit(policy.by_seed[seed], first));
    }
  }
  return rank(by_seed);
}

}  // namespace rocktune::sim
