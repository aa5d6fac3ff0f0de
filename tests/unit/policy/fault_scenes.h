// What the tests of faults put together: scenes in which one loop of headroom has something to do,
// faults, and a loop that stands just before a change or just after it.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tests/unit/policy/fault_loop.h"

namespace rocktune::test {

inline constexpr std::int64_t kFaultMiB = std::int64_t{1} << 20;
inline constexpr Nanoseconds kHour = std::chrono::hours(1);

// A plant in which one loop has something to do.
struct Scene {
  std::string loop;  // what its rules begin with
  std::string knob;
  std::function<void(ToyPlant&)> prepare;
  double within = 60;   // seconds, to its first change
  double resumes = 90;  // ...and again, once a fault is over
  Priority first = Priority::kReadP99;
};

// What begins with a full device.
inline std::vector<Scene> loaded_scenes() {
  auto loaded = [](double demand, std::int64_t jobs) {
    return [=](ToyPlant& plant) {
      plant.demand = demand;
      plant.device_bandwidth = 200e6;
      plant.jobs = plant.found_jobs = jobs;
      plant.loaded_await_ms = 2;
    };
  };
  return {
      {"level_base.", std::string(knob::kLevelBase),
       [=](ToyPlant& plant) {
         loaded(45e6, 4)(plant);
         KnobReading& base = *plant.find_more(knob::kLevelBase);
         base.value = base.found = 32 * kFaultMiB;  // RocksDB's own proportion
       }},
      {"l0_room.", std::string(knob::kL0Slowdown),
       [=](ToyPlant& plant) {
         loaded(30e6, 2)(plant);
         plant.thread_rate = 45e6;
         for (const auto name : {knob::kWriteBufferSize, knob::kL0Trigger}) {
           plant.find_more(name)->changeable = false;  // which would make fewer files of it
         }
       },
       60, 90, Priority::kThroughput},
      {"jobs.spared", std::string(knob::kBackgroundJobs), loaded(45e6, 4), 60, 90,
       Priority::kThroughput},
      {"limiter.defer", std::string(knob::kRateLimit),
       [=](ToyPlant& plant) {
         loaded(10e6, 4)(plant);
         plant.loaded_await_ms = 0.5;
         plant.device_bandwidth = 800e6;
         plant.read_p99_us = 300;
         plant.disturbance = 12;
         plant.degrades_after = 60;
         plant.degraded_bandwidth = 45e6;
       },
       90},
  };
}

inline std::vector<Scene> scenes() {
  auto busy = [](double demand, std::int64_t limit, std::int64_t jobs) {
    return [=](ToyPlant& plant) {
      plant.demand = demand;
      plant.limit = plant.found_limit = limit;
      plant.jobs = plant.found_jobs = jobs;
    };
  };
  auto reads = [](double working_set) {
    return [=](ToyPlant& plant) {
      plant.demand = 5e6;
      plant.jobs = plant.found_jobs = 4;
      plant.working_set = working_set;
    };
  };
  std::vector<Scene> all{
      {"limiter.", std::string(knob::kRateLimit), busy(30e6, 20 * kFaultMiB, 1)},
      {"jobs.", std::string(knob::kBackgroundJobs), busy(60e6, kUnlimitedBytesPerSecond, 2)},
      {"subcompactions.", std::string(knob::kSubcompactions),
       busy(100e6, kUnlimitedBytesPerSecond, 4)},
      {"flow.", std::string(knob::kDelayedWriteRate),
       [=](ToyPlant& plant) {
         busy(300e6, kUnlimitedBytesPerSecond, 4)(plant);
         plant.buffers = 4;
         KnobReading& rate = *plant.find_more(knob::kDelayedWriteRate);
         rate.value = rate.found = 900 * kFaultMiB;
       }},
      {"soft_limit.", std::string(knob::kL0Slowdown),
       [=](ToyPlant& plant) {
         busy(300e6, kUnlimitedBytesPerSecond, 4)(plant);
         KnobReading& rate = *plant.find_more(knob::kDelayedWriteRate);
         rate.value = rate.found = 900 * kFaultMiB;
         KnobReading& slowdown = *plant.find_more(knob::kL0Slowdown);
         slowdown.value = slowdown.found = 34;
       }},
      {"limiter.pace", std::string(knob::kRateLimit),
       [=](ToyPlant& plant) {
         busy(5e6, kUnlimitedBytesPerSecond, 4)(plant);
         plant.disturbance = 3;
       }},
      {"buffers.", std::string(knob::kWriteBufferSize), busy(100e6, kUnlimitedBytesPerSecond, 4)},
      {"l0_trigger.", std::string(knob::kL0Trigger),
       [=](ToyPlant& plant) {
         busy(45e6, kUnlimitedBytesPerSecond, 4)(plant);
         plant.device_bandwidth = 200e6;
       }},
      {"write_size.", std::string(knob::kWriteSize),
       [=](ToyPlant& plant) {
         busy(30e6, kUnlimitedBytesPerSecond, 4)(plant);
         plant.write_await_ms = 1.5;
         plant.read_p99_us = 1900;
       }},
      {"cache.", std::string(knob::kCacheCapacity), reads(2e9)},
      // More than the cache may ever hold.
      {"filter.", std::string(knob::kBloomBits), reads(8e9)},
      {"shape.", std::string(knob::kLevelBase), busy(5e6, kUnlimitedBytesPerSecond, 4), 700, 1300},
  };
  for (Scene& scene : loaded_scenes()) all.push_back(std::move(scene));
  return all;
}

inline Scene scene_of(std::string_view loop) {
  for (const Scene& scene : scenes()) {
    if (scene.loop == loop) return scene;
  }
  FAIL("there is no scene of " << loop);
  return {};
}

inline EngineConfig fault_config(Priority first = Priority::kReadP99) {
  EngineConfig config;
  config.objective.first = first;
  config.budget.jobs_max = 4;
  config.budget.memory_max = Bytes{4096 * kFaultMiB};
  return config;
}

struct Fault {
  std::string name;
  double seconds = 30;
  std::function<FaultHooks(FaultLoop&)> hooks;
  std::function<void(FaultLoop&)> begin;  // once
};

inline void blind(Sample& sample) {
  sample.database.reset();
  sample.knobs = {};
}

inline FaultHooks refusing(FaultLoop& loop, std::function<bool(const Decision&)> refuses) {
  FaultHooks hooks;
  hooks.make = [&loop, refuses = std::move(refuses)](const Decision& decision) {
    const std::int64_t from = decision.proposal.from;
    if (!refuses(decision)) return loop.make(decision);
    return Actuation{decision.id, "refused", "writes are stopped", from, from};
  };
  return hooks;
}

// The knob reads another value than was set: `factor` of it; 0: the one from before.
inline FaultHooks misreading(FaultLoop& loop, double factor) {
  FaultHooks hooks;
  hooks.make = [&loop, factor](const Decision& decision) {
    const std::int64_t from = decision.proposal.from;
    const auto wanted =
        static_cast<double>(std::min(decision.verdict.value, std::int64_t{1} << 50));
    const std::int64_t after = factor > 0 ? static_cast<std::int64_t>(factor * wanted) : from;
    loop.misread(decision.proposal.knob, from, after);
    return Actuation{decision.id, "mismatch", "reads back another value", from, after};
  };
  return hooks;
}

inline FaultHooks seeing(std::function<void(Sample&)> see) {
  FaultHooks hooks;
  hooks.see = std::move(see);
  return hooks;
}

inline constexpr auto kNothing = [](FaultLoop&) { return FaultHooks(); };

inline std::vector<Fault> sight_faults() {
  return {
      {"agent gone for a sample", 0.5, [](FaultLoop&) { return seeing(blind); }, {}},
      {"agent gone for 30 s", 30, [](FaultLoop&) { return seeing(blind); }, {}},
      {"agent's socket gone",
       30,
       [](FaultLoop&) {
         FaultHooks hooks;
         hooks.nobody_asks = true;
         return hooks;
       },
       {}},
      {"agent's socket gone, and the lease expired",
       30,
       [](FaultLoop& loop) {
         loop.return_all();
         FaultHooks hooks;
         hooks.nobody_asks = true;
         return hooks;
       },
       {}},
      {"device source gone",
       30,
       [](FaultLoop&) { return seeing([](Sample& sample) { sample.device.reset(); }); },
       {}},
      {"indicators invalid",
       30,
       [](FaultLoop&) {
         return seeing([](Sample& sample) {
           sample.database->column_families.clear();
           sample.database->read_latency.reset();
           sample.device.reset();
         });
       },
       {}},
      {"knobs absent",
       30,
       [](FaultLoop&) { return seeing([](Sample& sample) { sample.knobs = {}; }); },
       {}},
  };
}

inline std::vector<Fault> clock_faults() {
  return {
      {"reopened", 0, kNothing, [](FaultLoop& loop) { loop.reopen(); }},
      {"wall clock an hour back", 0, kNothing, [](FaultLoop& loop) { loop.wall_jump -= kHour; }},
      {"wall clock an hour on", 0, kNothing, [](FaultLoop& loop) { loop.wall_jump += kHour; }},
      {"suspended for an hour", 0, kNothing, [](FaultLoop& loop) { loop.tick_jump += kHour; }},
      {"a sample twice", 0, kNothing, [](FaultLoop& loop) { loop.give(loop.last); }},
      {"a sample late", 0, kNothing,
       [](FaultLoop& loop) {
         const Sample old = loop.last;
         loop.tick();
         loop.give(old);
       }},
  };
}

inline std::vector<Fault> change_faults() {
  return {
      {"every change refused",
       30,
       [](FaultLoop& loop) { return refusing(loop, [](const Decision&) { return true; }); },
       {}},
      {"every other change refused",
       60,
       [](FaultLoop& loop) {
         return refusing(loop, [n = 0](const Decision&) mutable { return ++n % 2 == 1; });
       },
       {}},
      {"no answer, and made all the same",
       5,
       [](FaultLoop& loop) {
         FaultHooks hooks;
         hooks.make = [&loop](const Decision& decision) {
           loop.make(decision);
           const std::int64_t from = decision.proposal.from;
           return Actuation{decision.id, "failed", "no answer within 2 s", from, from};
         };
         return hooks;
       },
       {}},
      {"reads back less", 5, [](FaultLoop& loop) { return misreading(loop, 0.9); }, {}},
      {"reads back more", 5, [](FaultLoop& loop) { return misreading(loop, 1.05); }, {}},
      {"reads back the same", 5, [](FaultLoop& loop) { return misreading(loop, 0); }, {}},
  };
}

inline std::vector<Fault> all_faults() {
  std::vector<Fault> all;
  for (const auto& some : {sight_faults(), clock_faults(), change_faults()}) {
    all.insert(all.end(), some.begin(), some.end());
  }
  return all;
}

inline Fault fault_named(std::string_view name) {
  for (const Fault& fault : all_faults()) {
    if (fault.name == name) return fault;
  }
  FAIL("there is no fault " << name);
  return {};
}

inline void put(FaultLoop& loop, const Fault& fault) {
  if (fault.begin) fault.begin(loop);
  loop.fault = fault.hooks(loop);
  loop.run(fault.seconds);
  loop.fault.reset();
}

enum class Phase { kBefore, kJudging };

inline FaultLoop begun(const Scene& scene, const EngineConfig& config) {
  FaultLoop loop(config);
  loop.plant.add_all_knobs();
  scene.prepare(loop.plant);
  return loop;
}

// When the scene's first change comes.
inline double first_change(const Scene& scene, const EngineConfig& config) {
  CAPTURE(scene.loop);
  FaultLoop twin = begun(scene, config);
  const auto comes = twin.until(scene.within, [&] { return twin.first(scene.loop) != nullptr; });
  REQUIRE(comes);
  return *comes;
}

// The scene, just before its first change or just after it.
inline FaultLoop run_into(const Scene& scene, Phase phase, double comes,
                          const EngineConfig& config) {
  FaultLoop loop = begun(scene, config);
  loop.run(phase == Phase::kJudging ? comes + 1 : comes - 0.5);
  CHECK((loop.first(scene.loop) != nullptr) == (phase == Phase::kJudging));
  return loop;
}
inline FaultLoop run_into(const Scene& scene, Phase phase) {
  const EngineConfig config = fault_config(scene.first);
  return run_into(scene, phase, first_change(scene, config), config);
}

// Room for one growth of the cache only, so that nothing begins its window anew, and nothing for
// the limiter.
inline EngineConfig one_growth() {
  EngineConfig config;
  config.objective.first = Priority::kStallSeconds;
  config.budget.memory_max = Bytes{336 * kFaultMiB};
  return config;
}

// A growth of the cache that is followed by reads that break their service level, half a second
// before it goes back.
struct Regression {
  Regression() : loop(begin()) {
    FaultLoop twin = begin();
    const auto comes = twin.until(90, [&] { return twin.first("rollback.") != nullptr; });
    REQUIRE(comes);
    made = *loop.first("cache.");
    loop.run(*comes - 0.5);
    CHECK(loop.first("rollback.") == nullptr);
  }
  static FaultLoop begin() {
    const Scene scene = scene_of("cache.");
    const double comes = first_change(scene, one_growth());
    FaultLoop begun = run_into(scene, Phase::kJudging, comes, one_growth());
    begun.plant.read_p99_us = 9000;
    return begun;
  }
  FaultLoop loop;
  Decision made;
};

}  // namespace rocktune::test
