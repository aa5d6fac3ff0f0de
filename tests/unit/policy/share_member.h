// Members of what is shared, for tests of its division.
#pragma once

#include <cstdint>
#include <string>

#include "policy/memory.h"
#include "policy/sharing.h"
#include "tests/unit/model/sample_builder.h"

namespace rocktune::test {

inline constexpr std::int64_t kShareTestMiB = 1 << 20;

inline ShareMember member(const std::string& name, std::int64_t jobs = 2) {
  ShareMember out;
  out.name = name;
  out.device = "nvme0n1";
  out.cpus = 8;
  out.knobs = {limiter_knob(kUnlimitedBytesPerSecond), jobs_knob(jobs, jobs),
               cache_knob(256 * kShareTestMiB, 256 * kShareTestMiB)};
  out.demand.jobs_used = 2;
  out.memory = memory_use(out.knobs);
  return out;
}

inline void set_cache(ShareMember& member, std::int64_t bytes) {
  member.knobs.edit()[2].value = bytes;
  member.memory = memory_use(member.knobs);
}

}  // namespace rocktune::test
