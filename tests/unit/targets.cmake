find_package(Catch2 REQUIRED)
add_library(rocktune_test_main STATIC support/main.cc)
target_link_libraries(rocktune_test_main PUBLIC Catch2::Catch2)
# Carries the precompiled headers that all of them share; an executable, since the compiler wants the same kind (-fPIE).
add_executable(rocktune_test_pch support/pch.cc)
target_link_libraries(rocktune_test_pch PRIVATE rocktune_options rocktune_test_main)
target_precompile_headers(rocktune_test_pch PRIVATE support/catch.h)

# Each part lists its own tests in unit/<part>.cmake.
foreach(part wire model policy sim score advice trace replay prior page scenario agent daemon tools bench)
  if(EXISTS "${CMAKE_CURRENT_SOURCE_DIR}/unit/${part}.cmake")
    include(unit/${part}.cmake)
  endif()
endforeach()
