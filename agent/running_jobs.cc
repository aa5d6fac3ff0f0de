#include "agent/running_jobs.h"

#include <algorithm>

namespace rocktune::agent {

void RunningJobs::begin(const Key& key, const std::string& family, std::optional<Input> input,
                        TimePoint now) {
  if (jobs_.size() == kMost) jobs_.pop_front();
  jobs_.push_back({key, family, input, now});
}

std::optional<RunningJobs::TimePoint::duration> RunningJobs::end(const Key& key, TimePoint now) {
  const auto it = std::ranges::find(jobs_, key, &Job::key);
  if (it == jobs_.end()) return std::nullopt;
  const auto elapsed = now - it->since;
  jobs_.erase(it);
  return elapsed;
}

void RunningJobs::table_created(const std::string& family, int job, std::uint64_t bytes) {
  const auto fits = [&](const Job& one) { return one.key.job == job && one.family == family; };
  const bool several = std::ranges::count_if(jobs_, fits) > 1;
  for (Job& one : jobs_) {
    if (!fits(one)) continue;
    if (several) one.output_bytes.reset();
    if (one.output_bytes) *one.output_bytes += bytes;
  }
}

std::map<std::string, wire::L0Compactions> RunningJobs::l0_compactions(const void* db,
                                                                       TimePoint now) const {
  using std::chrono::milliseconds;
  std::map<std::string, wire::L0Compactions> sums;
  for (const Job& one : jobs_) {
    if (one.key.db != db || !one.input || one.input->level0_files == 0) continue;
    const auto [it, first] = sums.try_emplace(one.family);
    wire::L0Compactions& sum = it->second;
    sum.input_files += one.input->level0_files;
    sum.input_bytes += one.input->bytes;
    if (first) sum.output_bytes = 0;
    if (!one.output_bytes) sum.output_bytes.reset();
    if (sum.output_bytes) *sum.output_bytes += *one.output_bytes;
    const auto age = std::chrono::duration_cast<milliseconds>(now - one.since).count();
    sum.age_ms = std::max(sum.age_ms, static_cast<std::uint64_t>(std::max<std::int64_t>(age, 0)));
  }
  return sums;
}

}  // namespace rocktune::agent
