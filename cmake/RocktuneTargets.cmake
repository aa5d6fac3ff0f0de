# What every target of this project shares: warnings, sanitizers, include root, precompiled headers.
# Include paths start at the repository's root: #include "model/sample.h".

add_library(rocktune_options INTERFACE)
target_include_directories(rocktune_options INTERFACE "${PROJECT_SOURCE_DIR}")
target_compile_options(rocktune_options INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wnon-virtual-dtor -Woverloaded-virtual
  # With -O3 GCC 12 takes "literal" + std::string for copies that overlap (its bug 105651).
  $<$<AND:$<CONFIG:Release>,$<CXX_COMPILER_ID:GNU>,$<VERSION_LESS:$<CXX_COMPILER_VERSION>,13>>:-Wno-restrict>
  $<$<BOOL:${ROCKTUNE_WERROR}>:-Werror>)

if(ROCKTUNE_SANITIZE)
  # The sanitizers slow std::regex and Eigen temporaries enough to matter, hence -Og, which builds in two thirds of
  # the time of -O1.
  add_compile_options(-fsanitize=${ROCKTUNE_SANITIZE} -fno-omit-frame-pointer -Og -g1)
  add_link_options(-fsanitize=${ROCKTUNE_SANITIZE})
  if(ROCKTUNE_SANITIZE MATCHES "undefined")
    add_compile_options(-fno-sanitize-recover=undefined)
  endif()
  if(ROCKTUNE_SANITIZE MATCHES "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    add_compile_options(-Wno-tsan)  # GCC says that Asio's fences are not seen; no finding hangs on them
  endif()
endif()

# Lines and functions, for backtraces: all of -g takes a third longer to build.
add_compile_options($<$<CONFIG:RelWithDebInfo>:-g1>)

if(ROCKTUNE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # tells the fuzzer which code an input has reached
endif()

find_program(ROCKTUNE_CCACHE ccache)
if(ROCKTUNE_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_CXX_COMPILER_LAUNCHER "${ROCKTUNE_CCACHE}")
  set(CMAKE_C_COMPILER_LAUNCHER "${ROCKTUNE_CCACHE}")
endif()

# rocktune_library(NAME SOURCES ... LIBRARIES ...): one static library per part of the design.
function(rocktune_library name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;PRIVATE_LIBRARIES" ${ARGN})
  add_library(${name} STATIC ${ARG_SOURCES})
  target_link_libraries(${name} PUBLIC ${ARG_LIBRARIES} PRIVATE rocktune_options ${ARG_PRIVATE_LIBRARIES})
  target_include_directories(${name} PUBLIC "${PROJECT_SOURCE_DIR}")
endfunction()

# rocktune_executable(NAME SOURCES ... LIBRARIES ...)
function(rocktune_executable name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE rocktune_options ${ARG_LIBRARIES})
endfunction()

# rocktune_unit_test(NAME SOURCES ... LIBRARIES ...): a Catch2 executable, one ctest entry, label "unit".
function(rocktune_unit_test name)
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE rocktune_options rocktune_test_main ${ARG_LIBRARIES})
  target_precompile_headers(${name} REUSE_FROM rocktune_test_pch)
  add_test(NAME ${name} COMMAND ${name})
  set(limit 300)
  if(ROCKTUNE_SANITIZE)
    set(limit 1800)  # closed loops of days take ten times as long
  endif()
  set_tests_properties(${name} PROPERTIES LABELS unit TIMEOUT ${limit})
endfunction()
