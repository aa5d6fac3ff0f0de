# Fuzzers of what the agent and the tools read from others. They need Clang with libFuzzer: the preset `fuzz`. Each is a ctest entry that
# runs for ROCKTUNE_FUZZ_SECONDS on the kept corpus; what it finds beyond that stays in the build folder.
set(ROCKTUNE_FUZZ_SECONDS 5 CACHE STRING "How long each fuzzer runs as a test")
add_custom_target(fuzz)

function(rocktune_fuzzer name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;ARGUMENTS" ${ARGN})
  rocktune_executable(fuzz_${name} SOURCES ${ARG_SOURCES} LIBRARIES ${ARG_LIBRARIES})
  target_link_options(fuzz_${name} PRIVATE -fsanitize=fuzzer)
  add_dependencies(fuzz fuzz_${name})
  set(found "${CMAKE_BINARY_DIR}/fuzz/${name}")
  file(MAKE_DIRECTORY "${found}")
  add_test(NAME fuzz_${name}
    COMMAND fuzz_${name} -max_total_time=${ROCKTUNE_FUZZ_SECONDS} -timeout=60 -seed=1 -print_final_stats=1
      "-artifact_prefix=${CMAKE_BINARY_DIR}/fuzz/${name}-" "-dict=${CMAKE_CURRENT_SOURCE_DIR}/fuzz/${name}.dict" ${ARG_ARGUMENTS}
      "${found}" "${CMAKE_CURRENT_SOURCE_DIR}/fuzz/corpus/${name}")
  math(EXPR limit "${ROCKTUNE_FUZZ_SECONDS} + 120")
  set_tests_properties(fuzz_${name} PROPERTIES LABELS fuzz TIMEOUT ${limit})
endfunction()

rocktune_fuzzer(wire SOURCES fuzz/wire.cc LIBRARIES rocktune_wire ARGUMENTS -max_len=4096)
rocktune_fuzzer(http SOURCES fuzz/http.cc fuzz/agent_host.cc LIBRARIES rocktune_agent_static ARGUMENTS -max_len=2048)
rocktune_fuzzer(rocksdb_log SOURCES fuzz/rocksdb_log.cc LIBRARIES rocktune_trace ARGUMENTS -max_len=8192)
rocktune_fuzzer(prior SOURCES fuzz/prior.cc LIBRARIES rocktune_prior ARGUMENTS -max_len=65536)
rocktune_fuzzer(trace SOURCES fuzz/trace.cc LIBRARIES rocktune_replay ZLIB::ZLIB ARGUMENTS -max_len=512)
target_compile_definitions(fuzz_trace PRIVATE ROCKTUNE_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
