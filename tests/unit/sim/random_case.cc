#include "tests/unit/sim/random_case.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "sim/random.h"
#include "tests/support/catch.h"

namespace rocktune::sim {
namespace {

constexpr std::uint64_t kDiceStream = 7, kMemoryStream = 8;

class Dice {
 public:
  explicit Dice(std::uint64_t seed, std::uint64_t stream = kDiceStream) : random_(seed, stream) {}
  bool chance(double share) { return random_.uniform() < share; }
  double between(double low, double high) { return low + (high - low) * random_.uniform(); }
  // Both ends included.
  std::int64_t whole(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(between(0, static_cast<double>(high - low + 1)));
  }
  // `low`, doubled so many times at most, and a random part of that once more.
  double doubled(double low, int times) {
    const auto times_here = static_cast<int>(whole(0, times - 1));
    return std::ldexp(low, times_here) * between(1, 2);
  }

 private:
  Random random_;
};

constexpr double kCaseMiB = 1 << 20;

FamilyOptions random_family(Dice& dice) {
  FamilyOptions family;
  family.write_buffer_bytes = dice.doubled(kCaseMiB, 6);
  family.limits.write_buffers = dice.whole(2, 6);
  family.tree.target_file_bytes = dice.doubled(2 * kCaseMiB, 5);
  family.tree.shape.max_bytes_for_level_base =
      static_cast<std::uint64_t>(dice.doubled(8 * kCaseMiB, 5));
  if (dice.chance(0.5)) {
    const std::int64_t compact = dice.whole(2, 10);
    family.tree.shape.level0_compaction_trigger = static_cast<std::uint64_t>(compact);
    family.limits.l0_slowdown_files = compact + dice.whole(1, 20);
    family.limits.l0_stop_files = family.limits.l0_slowdown_files + dice.whole(1, 24);
  }
  if (dice.chance(0.3)) {
    const double soft = dice.doubled(256 * kCaseMiB, 6);
    family.limits.soft_pending_bytes = static_cast<std::uint64_t>(soft);
    family.limits.hard_pending_bytes = static_cast<std::uint64_t>(soft * dice.between(1.2, 5));
  }
  return family;
}

// What was loaded: full levels from the base on, and files that wait in level 0.
FamilyState random_state(Dice& dice, const FamilyOptions& family) {
  FamilyState state;
  state.level_bytes.assign(4, 0);
  double left = dice.doubled(32 * kCaseMiB, 6);
  auto target = static_cast<double>(family.tree.shape.max_bytes_for_level_base);
  for (std::size_t level = 1; level < 4; ++level) {
    state.level_bytes[level] = level < 3 ? std::min(left, target) : left;
    left -= state.level_bytes[level];
    target *= 10;
  }
  if (dice.chance(0.3)) state.l0_files = static_cast<std::size_t>(dice.whole(2, 24));
  state.level_bytes[0] = static_cast<double>(state.l0_files) * family.write_buffer_bytes;
  return state;
}

// `luck`: of single jobs; 0: there is none.
Plant random_plant(Dice& dice, std::uint64_t luck) {
  PlantOptions options;
  options.max_background_jobs = dice.whole(1, 6);
  if (dice.chance(0.5)) {
    options.rate_limit = dice.doubled(2e6, 7);
  } else {
    bring_limiter(options);
  }
  if (dice.chance(0.3)) {
    options.delayed_write_rate = static_cast<std::uint64_t>(dice.doubled(1e6, 6));
  }
  options.cache_bytes = dice.doubled(4 * kCaseMiB, 7);
  options.families = {random_family(dice)};
  Laws laws;
  if (luck == 0) laws.job_spread = 0;
  laws.bytes_per_write = dice.doubled(64, 7);
  laws.l0_bytes_per_second = dice.doubled(20e6, 3);
  laws.deep_bytes_per_second = dice.doubled(20e6, 3);
  laws.reads.miss_ratio = dice.between(0, 0.5);
  laws.reads.cache_bytes = options.cache_bytes;
  laws.reads.lookups_per_l0_file = dice.chance(0.5) ? 0.01 : 1;
  Plant plant(options, laws, luck);
  const FamilyState state = random_state(dice, options.families[0]);
  plant.restore({&state, 1}, 0);
  return plant;
}

HostLaws random_machine(Dice& dice, double seconds) {
  HostLaws laws;
  laws.cpus = static_cast<double>(dice.whole(2, 16));
  DeviceLaws device;
  device.read = {dice.doubled(200e6, 4), dice.doubled(10e3, 5)};
  device.write = {dice.doubled(100e6, 4), dice.doubled(5e3, 5)};
  laws.device = device;
  if (!dice.chance(0.35)) return laws;
  const double at = seconds * dice.between(0.1, 0.7);
  laws.device_changes.push_back({at, dice.between(0.05, 0.7)});
  if (dice.chance(0.5)) laws.device_changes.push_back({at + 0.15 * seconds, 1});
  return laws;
}

// What is asked for in one step.
Arrivals random_load(Dice& dice, Arrivals before, double bytes_per_write) {
  before.writes_per_second = dice.doubled(0.25e6, 8) / bytes_per_write;
  before.reads_per_second = dice.chance(0.15) ? 0 : dice.doubled(50, 8);
  before.closed = before.one_queue && dice.chance(0.3);
  before.catches_up = !before.closed && dice.chance(0.6);
  return before;
}

Arrivals random_threads(Dice& dice) {
  Arrivals asked;
  asked.threads = static_cast<double>(dice.whole(1, 16));
  asked.one_queue = dice.chance(0.5);
  return asked;
}

std::vector<RandomPhase> random_phases(Dice& dice, double bytes_per_write, double seconds) {
  Arrivals asked = random_threads(dice);
  std::vector<RandomPhase> phases;
  for (double left = seconds; left > 0;) {
    const double length = std::min(left, static_cast<double>(dice.whole(60, 240)));
    left -= length;
    asked = random_load(dice, asked, bytes_per_write);
    const double burst = dice.chance(0.4) ? dice.between(2, 8) : 1;
    for (double at = 0; at < length; at += 20) {
      Arrivals now = asked;
      const bool loud = std::fmod(at, 60) == 0;
      now.writes_per_second *= loud ? burst : 1;
      now.anew = at == 0;
      phases.push_back({std::min(20.0, length - at), now});
    }
  }
  return phases;
}

EngineConfig random_config(Dice& dice) {
  EngineConfig config;
  config.objective.first = kPriorities.at(static_cast<std::size_t>(dice.whole(0, 4)));
  if (dice.chance(0.5)) config.budget.jobs_max = dice.whole(2, 8);
  return config;
}

double most_memory(const PlantOptions& options) {
  double bytes = options.cache_bytes;
  for (const FamilyOptions& family : options.families) {
    bytes += family.write_buffer_bytes * static_cast<double>(family.limits.write_buffers);
  }
  return bytes;
}

// Of its own stream, so that whoever has no use for memory meets the same case with any of it.
// Half of all have a budget beyond what they were found with.
void add_memory(std::uint64_t seed, HostLaws& machine, const std::vector<Plant>& plants,
                std::vector<RandomDatabase>& databases) {
  Dice dice(seed, kMemoryStream);
  double bytes = 0;
  for (std::size_t i = 0; i < plants.size(); ++i) {
    const double most = most_memory(plants[i].options());
    bytes += most;
    if (!dice.chance(0.5)) continue;
    const double budget = most * dice.doubled(1, 3);
    databases[i].config.budget.memory_max = Bytes{static_cast<std::int64_t>(budget)};
  }
  const double total = bytes * dice.doubled(2, 4);
  machine.memory = MemoryLaws{total, total * dice.between(0.2, 0.9)};
}

// Of each database's own.
std::uint64_t luck_of(std::uint64_t luck, std::size_t database) {
  return luck == 0 ? 0 : luck + 1000 * database;
}

}  // namespace

RandomCase random_case(std::uint64_t seed, std::uint64_t luck, double seconds,
                       std::size_t databases) {
  Dice dice(seed);
  HostLaws machine = random_machine(dice, seconds);
  std::vector<Plant> plants;
  std::vector<RandomDatabase> out;
  for (std::size_t i = 0; i < databases; ++i) {
    plants.push_back(random_plant(dice, luck_of(luck, i)));
    auto phases = random_phases(dice, plants.back().laws().bytes_per_write, seconds);
    out.push_back({std::move(phases), random_config(dice)});
  }
  add_memory(seed, machine, plants, out);
  return {Host(machine, std::move(plants)), std::move(out)};
}

RandomCase steady_case(std::uint64_t seed, std::uint64_t luck, double seconds,
                       std::size_t databases) {
  Dice dice(seed);
  HostLaws machine = random_machine(dice, seconds);
  machine.device_changes.clear();
  std::vector<Plant> plants;
  std::vector<RandomDatabase> out;
  for (std::size_t i = 0; i < databases; ++i) {
    plants.push_back(random_plant(dice, luck_of(luck, i)));
    const Arrivals load =
        random_load(dice, random_threads(dice), plants.back().laws().bytes_per_write);
    out.push_back({{{seconds, load}}, random_config(dice)});
  }
  add_memory(seed, machine, plants, out);
  return {Host(machine, std::move(plants)), std::move(out)};
}

ClosedLoop loop_of(const RandomCase& one, const std::string& policy) {
  std::vector<EngineConfig> configs;
  for (const RandomDatabase& database : one.databases) {
    configs.push_back(database.config);
    configs.back().policy = policy;
  }
  auto loop = ClosedLoop::create(one.host, configs);
  REQUIRE(loop);
  for (std::size_t i = 0; i < one.databases.size(); ++i) {
    loop->host().plant(i).set_arrivals(one.databases[i].phases.front().arrivals);
  }
  return *std::move(loop);
}

void run_phases(const RandomCase& one, ClosedLoop& loop) {
  struct Place {
    std::size_t phase = 0;
    double end = 0;
  };
  std::vector<Place> places;
  for (const RandomDatabase& database : one.databases) {
    places.push_back({0, database.phases.front().seconds});
  }
  for (double now = 0;;) {
    const double next =
        std::min_element(places.begin(), places.end(), [](const Place& a, const Place& b) {
          return a.end < b.end;
        })->end;
    loop.run(next - now);
    now = next;
    for (std::size_t i = 0; i < places.size(); ++i) {
      Place& place = places[i];
      if (place.end > now) continue;
      if (++place.phase == one.databases[i].phases.size()) return;
      const RandomPhase& phase = one.databases[i].phases[place.phase];
      place.end += phase.seconds;
      loop.host().plant(i).set_arrivals(phase.arrivals);
    }
  }
}

}  // namespace rocktune::sim
