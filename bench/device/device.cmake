# The devices: the emulated NVMe with its fit, the throttled loop device, `rocktune-bench device`.
target_sources(rocktune_bench_lib PRIVATE
  device/block_throttle.cc
  device/closed_loop.cc
  device/cost.cc
  device/device.cc
  device/device_command.cc
  device/file_system.cc
  device/fit.cc
  device/least_squares.cc
  device/loop_control.cc
  device/loop_device.cc
  device/loop_traces.cc
  device/model.cc
  device/points.cc
  device/stat.cc
  device/target_device.cc)
target_link_libraries(rocktune_bench_lib PRIVATE Eigen3::Eigen)
