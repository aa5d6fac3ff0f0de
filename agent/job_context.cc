#include "agent/job_context.h"

namespace rocktune::agent {
namespace {

thread_local Job g_job = Job::kNone;

}  // namespace

Job current_job() noexcept {
  return g_job;
}

void set_current_job(Job job) noexcept {
  g_job = job;
}

}  // namespace rocktune::agent
