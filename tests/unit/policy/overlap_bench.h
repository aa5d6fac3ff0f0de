// Outcomes of several changes that follow each other within their windows.
#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "policy/outcomes.h"
#include "tests/support/catch.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

// Changes of several knobs under a steady load, sample by sample; the first at tick 10 s.
class OverlapBench {
 public:
  OverlapBench() {
    f.fresh = true;
    f.reads_per_second = 1000;
    f.read_p99_us = 1000;
    f.l0_ratio = 0.2;
    f.cache_hit_ratio = 0.9;
    f.knobs = {limiter_knob(80, 100), jobs_knob(5, 4), cache_knob(300, 256)};
    pass(10);
  }
  std::vector<Finished> pass(double seconds) {
    std::vector<Finished> all;
    for (int i = 0; i < static_cast<int>(seconds * 2); ++i) {
      f.at.tick += at_seconds(0.5);
      for (Finished& one : outcomes.observe(f)) all.push_back(std::move(one));
    }
    return all;
  }
  void begin(const char* id, std::string_view name, std::int64_t from, std::int64_t to,
             const Expectation& expected, std::string_view rule = "memory.shift") {
    Decision made;
    made.id = id;
    made.proposal.knob = name;
    made.proposal.from = from;
    made.proposal.to = to;
    made.proposal.rule = rule;
    made.proposal.expected = expected;
    made.verdict = {VerdictKind::kAllowed, to, "", ""};
    outcomes.begin(made, {id, "applied", "", from, to}, f);
  }

  // A lowering of write buffers whose feature gets worse.
  void begin_by(std::string_view rule, const char* feature) {
    f.memory_pressure_ratio = 0.1;
    Decision made;
    made.id = "9-3";
    made.proposal.knob = knob::kWriteBufferSize;
    made.proposal.from = 300;
    made.proposal.to = 280;
    made.proposal.rule = rule;
    made.proposal.expected = {feature, true, 0.01, 60};
    made.verdict = {VerdictKind::kAllowed, 280, "", ""};
    pass(0.5);
    outcomes.begin(made, {"9-3", "applied", "", 300, 280}, f);
  }

  Outcomes outcomes;
  Features f;
};

}  // namespace rocktune::test
