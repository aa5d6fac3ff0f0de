rocktune_unit_test(wire_test
  SOURCES unit/wire/codec_test.cc unit/wire/refusal_test.cc unit/wire/statistics_test.cc
  LIBRARIES rocktune_wire nlohmann_json::nlohmann_json)
