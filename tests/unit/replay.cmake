rocktune_unit_test(replay_test
  SOURCES
    unit/replay/agreement_test.cc
    unit/replay/step_stream_test.cc
  LIBRARIES rocktune_replay)
