#include "agent/running_jobs.h"

#include <algorithm>

namespace rocktune::agent {
namespace {

std::uint64_t whole_ms(RunningJobs::TimePoint::duration time) {
  const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(time).count();
  return static_cast<std::uint64_t>(std::max<std::int64_t>(ms, 0));
}

}  // namespace

void RunningJobs::begin(const Key& key, const std::string& family, std::optional<Input> input,
                        TimePoint now) {
  std::erase_if(jobs_, [&](const Job& one) { return one.key == key; });
  if (jobs_.size() == kMost) jobs_.pop_front();
  jobs_.push_back({key, family, input, now});
}

std::optional<RunningJobs::TimePoint::duration> RunningJobs::end(const Key& key, TimePoint now,
                                                                 Ended ended) {
  const auto it = std::ranges::find(jobs_, key, &Job::key);
  if (it == jobs_.end()) return std::nullopt;
  const auto elapsed = now - it->since;
  if (ended != Ended::kFailed) count(*it, now, ended);
  jobs_.erase(it);
  return elapsed;
}

void RunningJobs::count(const Job& job, TimePoint now, Ended ended) {
  Done& done = done_of(job.key.db, job.family);
  const auto elapsed = std::max(now - job.since, TimePoint::duration::zero());
  done.last = now;
  if (!job.input) {
    ++done.flushes;
    done.last_flush = now;
  } else if (job.input->level0_files == 0) {
    ++done.deep;
    done.deep_time += elapsed;
  } else if (ended == Ended::kRewrote) {
    ++done.l0;
    done.l0_time += elapsed;
    done.l0_bytes += job.input->bytes;
  }
}

RunningJobs::Done& RunningJobs::done_of(const void* db, const std::string& family) {
  const std::pair key(db, family);
  if (const auto known = done_.find(key); known != done_.end()) return known->second;
  if (done_.size() >= kMostFamilies) {
    done_.erase(
        std::ranges::min_element(done_, {}, [](const auto& entry) { return entry.second.last; }));
  }
  return done_[key];
}

void RunningJobs::forget(const void* db) {
  std::erase_if(jobs_, [&](const Job& one) { return one.key.db == db; });
  std::erase_if(done_, [&](const auto& entry) { return entry.first.first == db; });
}

wire::Jobs RunningJobs::jobs(const void* db, const std::string& family, TimePoint now) const {
  wire::Jobs out;
  if (const auto known = done_.find({db, family}); known != done_.end()) {
    const Done& done = known->second;
    out.flushes = done.flushes;
    if (done.last_flush) out.last_flush_age_ms = whole_ms(now - *done.last_flush);
    out.l0_compactions = done.l0;
    out.l0_compactions_ms = whole_ms(done.l0_time);
    out.l0_compactions_input_bytes = done.l0_bytes;
    out.deep_compactions = done.deep;
    out.deep_compactions_ms = whole_ms(done.deep_time);
  }
  for (const Job& one : jobs_) {  // the oldest first
    const bool deep = one.input && one.input->level0_files == 0 && one.input->level > 0;
    if (!deep || one.key.db != db || one.family != family) continue;
    out.deep_running_level = static_cast<std::uint64_t>(one.input->level);
    out.deep_running_age_ms = whole_ms(now - one.since);
    break;
  }
  return out;
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
    sum.age_ms = std::max(sum.age_ms, whole_ms(now - one.since));
  }
  return sums;
}

}  // namespace rocktune::agent
