# Measurements that somebody runs by hand; what they showed is written where it matters.
rocktune_executable(limiter_bench SOURCES bench/limiter_bench.cc LIBRARIES rocktune_agent_static)
rocktune_executable(forecast_bench SOURCES bench/forecast_bench.cc LIBRARIES rocktune_model)
