// The steady clock as a value, so that tests move time by hand.
#pragma once

#include <chrono>
#include <functional>

namespace rocktune::agent {

using Clock = std::function<std::chrono::steady_clock::time_point()>;

}  // namespace rocktune::agent
