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
    done.l0_other_bytes += job.input->other_bytes;
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

void RunningJobs::table_created(const std::string& family, int job, std::uint64_t bytes) {
  const auto fits = [&](const Job& one) { return one.key.job == job && one.family == family; };
  const bool several = std::ranges::count_if(jobs_, fits) > 1;
  for (Job& one : jobs_) {
    if (!fits(one)) continue;
    if (several) one.output_bytes.reset();
    if (one.output_bytes) *one.output_bytes += bytes;
  }
}

wire::Jobs RunningJobs::done_in(const void* db, std::string_view family, TimePoint now) const {
  wire::Jobs out;
  out.l0_compactions_other_bytes = 0;
  const auto known = done_.find(ByFamily::Name(db, family));
  if (known == done_.end()) return out;
  const Done& done = known->second;
  out.flushes = done.flushes;
  if (done.last_flush) out.last_flush_age_ms = whole_ms(now - *done.last_flush);
  out.l0_compactions = done.l0;
  out.l0_compactions_ms = whole_ms(done.l0_time);
  out.l0_compactions_input_bytes = done.l0_bytes;
  out.l0_compactions_other_bytes = done.l0_other_bytes;
  out.deep_compactions = done.deep;
  out.deep_compactions_ms = whole_ms(done.deep_time);
  return out;
}

void RunningJobs::add(const Job& job, TimePoint now, wire::ColumnFamily& family) {
  const std::uint64_t age_ms = whole_ms(now - job.since);
  if (job.input->level0_files > 0) {
    wire::L0Compactions& sum = *family.l0_compactions;
    sum.input_files += job.input->level0_files;
    sum.input_bytes += job.input->bytes;
    if (!job.output_bytes) sum.output_bytes.reset();
    if (sum.output_bytes) *sum.output_bytes += *job.output_bytes;
    sum.age_ms = std::max(sum.age_ms, age_ms);
  } else if (job.input->level > 0 && family.jobs->deep_running_level == 0) {  // the oldest is first
    family.jobs->deep_running_level = static_cast<std::uint64_t>(job.input->level);
    family.jobs->deep_running_age_ms = age_ms;
  }
}

void RunningJobs::fill(const void* db, TimePoint now,
                       std::vector<wire::ColumnFamily>& families) const {
  for (wire::ColumnFamily& family : families) {
    family.l0_compactions = wire::L0Compactions{0, 0, 0, 0};
    family.jobs = done_in(db, family.name, now);
  }
  for (const Job& job : jobs_) {
    if (job.key.db != db || !job.input) continue;
    const auto family = std::ranges::find(families, job.family, &wire::ColumnFamily::name);
    if (family != families.end()) add(job, now, *family);
  }
}

}  // namespace rocktune::agent
