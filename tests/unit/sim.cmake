rocktune_unit_test(sim_test
  SOURCES
    unit/sim/arrival_clock_test.cc
    unit/sim/calibration_test.cc
    unit/sim/demand_test.cc
    unit/sim/device_test.cc
    unit/sim/ensemble_test.cc
    unit/sim/foreground_test.cc
    unit/sim/host_test.cc
    unit/sim/latency_test.cc
    unit/sim/loop_test.cc
    unit/sim/plant_test.cc
    unit/sim/reading_test.cc
    unit/sim/together_test.cc
    unit/sim/tree_test.cc
    unit/sim/validation_test.cc
    unit/sim/write_control_test.cc
  LIBRARIES rocktune_sim)
