#include "daemon/config/policy_notes.h"

#include <set>

#include "files/units.h"
#include "model/knobs.h"
#include "policy/guard_limits.h"
#include "policy/peers/adoc.h"
#include "policy/peers/silk.h"
#include "policy/policy.h"

namespace rocktune::daemon {
namespace {

// What one database runs on.
struct NotedRun {
  Mode mode;
  const EngineConfig& engine;
  bool shares_memory;  // shared.memory_max is given
};

std::string note_of_peer(const NotedRun& run) {
  if (run.mode != Mode::kAct) return "";
  const auto policy = make_policy(run.engine.policy, {});
  if (!policy || (*policy)->guard_scope() == GuardScope::kAll) return "";
  return "policy " + run.engine.policy +
         " is there to be compared with: it changes knobs at the pace it was published with; the "
         "guard keeps ranges and relations, but no steps, pauses or budget of changes, and nothing "
         "of it is rolled back (docs/control.md)";
}

// It would say nothing by itself: a policy speaks by what it proposes.
std::string note_of_silk(const NotedRun& run) {
  const bool known = run.engine.objective.device_capacities.write ||
                     run.engine.policy_params.count("device_bytes_per_second") > 0;
  if (run.mode == Mode::kObserve || run.engine.policy != peers::kSilk || known) return "";
  return "policy " + run.engine.policy +
         " divides what the device can write, and is not told how much that is: it leaves the "
         "limiter alone until the device was seen at its limit. Give a device_profile (rocktune "
         "probe-device), or device_bytes_per_second in policy_params";
}

// What a budget of what was found does not allow (policy/guard_limits.h).
std::string note_of_adoc(const NotedRun& run) {
  const bool has_room = run.engine.budget.memory_max || run.shares_memory;
  if (run.mode == Mode::kObserve || run.engine.policy != peers::kAdoc || has_room) return "";
  return "policy " + run.engine.policy +
         " enlarges write buffers, and without budget.memory_max they and the cache may take what "
         "they were found with, together: it can enlarge none but what it has halved. Give a "
         "memory_max";
}

std::string note_of_device_share(const NotedRun& run) {
  const double share = run.engine.budget.device_share;
  if (share == Budget{}.device_share || run.engine.objective.device_capacities.write) return "";
  return "budget.device_share (" + format_number(share) +
         ") has no effect without device_profile: it is a share of the write rate that rocktune "
         "probe-device has measured";
}

// A budget does not bind a pin (docs/control.md).
std::string note_of_pin(const std::string& path, const Pins& pins, std::string_view knob,
                        std::string_view limit, const std::optional<std::int64_t>& most) {
  const auto pin = pins.find(std::string(knob));
  if (pin == pins.end() || !most || pin->second <= *most) return "";
  return path + "." + std::string(knob) + " (" + shown(knob, pin->second) + ") is above budget." +
         std::string(limit) + " (" + shown(knob, *most) + "): the pin counts";
}

std::string note_of_mode(const std::string& path, Mode mode) {
  if (mode == Mode::kAct) return "";
  const std::string what = mode == Mode::kAdvise ? " is only advised" : " has no effect";
  return path + what + " under mode " + std::string(to_string(mode)) + ": pins are set in mode act";
}

std::vector<std::string> notes_of_pins(const std::string& path, const TargetRule& rule) {
  const EngineConfig& engine = rule.engine;
  if (engine.pins.empty()) return {};
  std::optional<std::int64_t> memory;
  if (engine.budget.memory_max) memory = engine.budget.memory_max->value;
  constexpr std::string_view kMemory = "memory_max";
  constexpr std::string_view kJobs = "jobs_max";
  std::vector<std::string> notes{
      note_of_mode(path, rule.mode),
      note_of_pin(path, engine.pins, knob::kRateLimit, "device_share",
                  most_rate(engine.budget, engine.objective.device_capacities)),
      note_of_pin(path, engine.pins, knob::kBackgroundJobs, kJobs, engine.budget.jobs_max),
      note_of_pin(path, engine.pins, knob::kSubcompactions, kJobs, engine.budget.jobs_max),
      note_of_pin(path, engine.pins, knob::kCacheCapacity, kMemory, memory),
      note_of_pin(path, engine.pins, knob::kWriteBufferSize, kMemory, memory)};
  std::erase(notes, "");
  return notes;
}

}  // namespace

std::vector<std::string> policy_notes(const Config& config) {
  const bool shares_memory = config.shared.memory_max.has_value();
  std::vector<NotedRun> runs{{config.mode, config.engine, shares_memory}};
  for (const TargetRule& rule : config.targets) {
    runs.push_back({rule.mode, rule.engine, shares_memory});
  }
  std::vector<std::string> notes;
  for (const auto& note_of : {note_of_peer, note_of_silk, note_of_adoc, note_of_device_share}) {
    std::set<std::string> different;
    for (const NotedRun& run : runs) different.insert(note_of(run));
    different.erase("");
    notes.insert(notes.end(), different.begin(), different.end());
  }
  for (std::size_t i = 0; i < config.targets.size(); ++i) {
    const std::string path = "targets[" + std::to_string(i) + "].pin";
    const std::vector<std::string> of_pins = notes_of_pins(path, config.targets[i]);
    notes.insert(notes.end(), of_pins.begin(), of_pins.end());
  }
  return notes;
}

}  // namespace rocktune::daemon
