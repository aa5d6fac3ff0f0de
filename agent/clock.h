// The steady clock as a value, so that tests move time by hand.
#pragma once

#include <chrono>
#include <functional>

namespace rocktune::agent {

using Clock = std::function<std::chrono::steady_clock::time_point()>;

// What the calling thread has computed: of what holds the DB mutex it tells more than the time that
// passes, most of which may be waiting for that mutex.
Clock thread_cpu_time();

}  // namespace rocktune::agent
