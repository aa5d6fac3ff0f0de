#include "policy/headroom.h"

#include <utility>

#include "model/knobs.h"

namespace rocktune {
namespace {

class Headroom : public Policy {
 public:
  explicit Headroom(const HeadroomParams& params)
      : limiter_(params), jobs_(params), cache_(params) {}

  [[nodiscard]] std::string_view name() const override { return "headroom"; }

  [[nodiscard]] std::vector<Proposal> decide(const PolicyInput& input) override {
    if (input.features.reset) reset();
    Situation situation = observer_.observe(input);
    std::vector<Proposal> out;
    // Without a reading there is nothing to change from, and no knob to see.
    if (!input.features.fresh) return out;
    std::optional<Proposal> limiter = limiter_.decide(situation);
    bool raises = limiter && limiter->to > limiter->from;
    std::optional<Proposal> jobs = jobs_.decide(situation, raises);
    std::optional<Proposal> cache = cache_.decide(situation);
    for (auto* proposal : {&limiter, &jobs, &cache}) {
      if (*proposal) out.push_back(*std::move(*proposal));
    }
    return out;
  }

  void reset() override {
    observer_.reset();
    limiter_.reset();
    jobs_.reset();
    cache_.reset();
  }

 private:
  Observer observer_;
  LimiterLoop limiter_;
  JobsLoop jobs_;
  CacheLoop cache_;
};

}  // namespace

std::unique_ptr<Policy> make_headroom(const HeadroomParams& params) {
  return std::make_unique<Headroom>(params);
}

}  // namespace rocktune
