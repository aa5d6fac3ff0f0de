// Several engines, each with a toy plant, on one toy device and host, with the daemon's part in
// between: the slices of each poll go into the next sample.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "policy/engine.h"
#include "policy/sharing.h"
#include "tests/unit/policy/toy_plant.h"

namespace rocktune::test {

class SharedLoop {
 public:
  struct One {
    One(std::string called, EngineConfig wanted)
        : name(std::move(called)), config(std::move(wanted)), engine(*Engine::create(config)) {}
    std::string name;
    EngineConfig config;
    Engine engine;
    ToyPlant plant;
    double weight = 1;
    bool act = true;
    int changes = 0, reversals = 0;
    std::map<std::string, int> direction;
    std::vector<Decision> decisions;  // those that were allowed
    std::optional<ShareMember> member;
    SharedBudget slices;
    double share_of_device = 0;  // taken in the poll before
  };

  One& add(const std::string& name, const EngineConfig& config = {}) {
    return *ones.emplace_back(std::make_unique<One>(name, config));
  }
  One& at(std::size_t i) { return *ones.at(i); }
  void remove(std::size_t i) { ones.erase(ones.begin() + static_cast<std::ptrdiff_t>(i)); }

  void run(double seconds) {
    for (int i = 0; i < static_cast<int>(seconds * 2); ++i) tick();
  }
  void tick() {
    now += at_seconds(0.5);
    std::vector<ShareMember> members;
    for (const auto& one : ones) {
      if (one->member) members.push_back(*one->member);
    }
    slices = shares ? sharing.update(now, host, cpus, members) : Sharing::Slices{};
    for (const auto& one : ones) poll(*one);
  }

  std::vector<std::unique_ptr<One>> ones;
  Sharing sharing;
  Sharing::Slices slices;  // of the last poll
  HostBudget host;
  double cpus = 4;
  bool shares = true;  // false: each as if alone
  Nanoseconds now = at_seconds(1000);

 private:
  void poll(One& one) {
    double others = 0;
    for (const auto& other : ones) others += other.get() == &one ? 0 : other->share_of_device;
    one.plant.other_use = std::min(0.95, others);
    const double before = one.plant.background();
    Sample sample = one.plant.poll();
    one.share_of_device = (one.plant.background() - before) / (0.5 * one.plant.device_bandwidth);
    sample.incarnation = one.name + "/1";
    const auto slice = slices.find(one.name);
    if (slice != slices.end()) sample.shared = slice->second;
    const Step step = one.engine.step(sample);
    for (const Decision& decision : step.decisions) carry_out(one, decision);
    ShareMember& member = one.member.emplace();
    member.name = one.name;
    member.device = "nvme0n1";
    member.weight = one.weight;
    member.tunes = tunes(one.config);
    member.gives_rate = gives_rate(one.config);
    member.acts = one.act;
    member.pins = one.config.pins;
    member.budget = one.config.budget;
    member.cpus = 4;
    member.knobs = sample.knobs;
    member.memory = memory_use(sample.knobs, step.features.column_families);
    member.demand = one.engine.demand(step);
  }
  static void carry_out(One& one, const Decision& decision) {
    const bool allowed = decision.verdict.kind == VerdictKind::kAllowed ||
                         decision.verdict.kind == VerdictKind::kClamped;
    if (!allowed) return;
    one.decisions.push_back(decision);
    ++one.changes;
    const Proposal& proposal = decision.proposal;
    const int direction = decision.verdict.value > proposal.from ? 1 : -1;
    int& last = one.direction[proposal.knob];
    if (last == -direction) ++one.reversals;
    last = direction;
    if (one.act && proposal.knob == knob::kRateLimit) one.plant.limit = decision.verdict.value;
    if (one.act && proposal.knob == knob::kBackgroundJobs) one.plant.jobs = decision.verdict.value;
    if (one.act && proposal.knob == knob::kCacheCapacity) one.plant.cache = decision.verdict.value;
    one.engine.report({decision.id, one.act ? "applied" : "advised", "", proposal.from,
                       one.act ? decision.verdict.value : proposal.from});
  }
};

}  // namespace rocktune::test
