# What gets installed, and where: `cmake --install build/release [--prefix DIR]`.

# Without the tests, which take most of the time that a whole build takes.
add_custom_target(installed
  DEPENDS rocktuned rocktune_cli rocktune-bench rocktune_preload rocktune_agent rocktune_archive)

install(TARGETS rocktuned rocktune_cli rocktune-bench rocktune_preload
  RUNTIME DESTINATION "${CMAKE_INSTALL_BINDIR}"
  LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(PROGRAMS tools/fleet/rocktune-fleet DESTINATION "${CMAKE_INSTALL_BINDIR}")
install(TARGETS rocktune_agent EXPORT rocktune-targets LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
install(DIRECTORY agent/include/rocktune DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")
install(FILES etc/rocktuned.yaml etc/model.yaml DESTINATION "${CMAKE_INSTALL_DATADIR}/rocktune")
install(FILES etc/prometheus/rocktune.rules.yml DESTINATION "${CMAKE_INSTALL_DATADIR}/rocktune/prometheus")
install(FILES etc/logrotate/rocktune DESTINATION "${CMAKE_INSTALL_DATADIR}/rocktune/logrotate")
install(FILES README.md CHANGELOG.md LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
install(DIRECTORY docs/ DESTINATION "${CMAKE_INSTALL_DOCDIR}/docs" FILES_MATCHING PATTERN "*.md" PATTERN "*.svg")

# The unit names the programs and the documentation where they are installed, which is known only then.
install(FILES etc/systemd/rocktuned.service DESTINATION lib/systemd/system)
install(CODE "set(bin [[${CMAKE_INSTALL_BINDIR}]])\nset(doc [[${CMAKE_INSTALL_DOCDIR}]])")
install(CODE [[
  get_filename_component(prefix "${CMAKE_INSTALL_PREFIX}" ABSOLUTE)
  cmake_path(ABSOLUTE_PATH bin BASE_DIRECTORY "${prefix}")
  cmake_path(ABSOLUTE_PATH doc BASE_DIRECTORY "${prefix}")
  set(file "$ENV{DESTDIR}${prefix}/lib/systemd/system/rocktuned.service")
  file(READ "${file}" unit)
  string(REPLACE "/usr/bin/" "${bin}/" unit "${unit}")
  string(REPLACE "/usr/share/doc/rocktune/" "${doc}/" unit "${unit}")
  file(WRITE "${file}" "${unit}")
]])

# For programs that link the agent: find_package(rocktune) and pkg-config. Both find everything from
# where they lie themselves, so that the installed tree can be moved.
include(CMakePackageConfigHelpers)
set(ROCKTUNE_CMAKE_DIR "${CMAKE_INSTALL_LIBDIR}/cmake/rocktune")
set(ROCKTUNE_PKGCONFIG_DIR "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
# The agent fits the minor version of RocksDB that it was compiled with.
get_target_property(rocksdb_include RocksDB::rocksdb-shared INTERFACE_INCLUDE_DIRECTORIES)
list(GET rocksdb_include 0 rocksdb_include)
if(NOT EXISTS "${rocksdb_include}/rocksdb/version.h")
  set(rocksdb_include /usr/include)
endif()
file(STRINGS "${rocksdb_include}/rocksdb/version.h" defined REGEX "define ROCKSDB_(MAJOR|MINOR) ")
string(REGEX REPLACE ".*ROCKSDB_MAJOR ([0-9]+).*ROCKSDB_MINOR ([0-9]+).*" "\\1.\\2" ROCKTUNE_ROCKSDB_VERSION "${defined}")
string(REGEX MATCH "^([0-9]+)\\.([0-9]+)$" matched "${ROCKTUNE_ROCKSDB_VERSION}")
math(EXPR rocksdb_next_minor "${CMAKE_MATCH_2} + 1")
set(ROCKTUNE_ROCKSDB_NEXT_VERSION "${CMAKE_MATCH_1}.${rocksdb_next_minor}")

configure_package_config_file(cmake/rocktune-config.cmake.in rocktune-config.cmake
  INSTALL_DESTINATION "${ROCKTUNE_CMAKE_DIR}" PATH_VARS CMAKE_INSTALL_INCLUDEDIR CMAKE_INSTALL_LIBDIR
  NO_CHECK_REQUIRED_COMPONENTS_MACRO)
write_basic_package_version_file(rocktune-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES "${PROJECT_BINARY_DIR}/rocktune-config.cmake" "${PROJECT_BINARY_DIR}/rocktune-config-version.cmake"
  DESTINATION "${ROCKTUNE_CMAKE_DIR}")
install(EXPORT rocktune-targets NAMESPACE rocktune:: DESTINATION "${ROCKTUNE_CMAKE_DIR}")

file(RELATIVE_PATH ROCKTUNE_PREFIX_FROM_PC
  "${CMAKE_INSTALL_PREFIX}/${ROCKTUNE_PKGCONFIG_DIR}" "${CMAKE_INSTALL_PREFIX}")
foreach(package "rocktune-agent" "rocktune-agent-static")
  configure_file(cmake/${package}.pc.in ${package}.pc @ONLY)
  install(FILES "${PROJECT_BINARY_DIR}/${package}.pc" DESTINATION "${ROCKTUNE_PKGCONFIG_DIR}")
endforeach()
