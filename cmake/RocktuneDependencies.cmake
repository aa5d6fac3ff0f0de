# The libraries of others that rocktune is built on, as Debian 12 and Ubuntu 24.04 package them.

find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED)
find_package(spdlog REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
find_package(yaml-cpp REQUIRED)
find_package(nlohmann_json 3.11 REQUIRED)
find_package(tl-expected REQUIRED)
find_package(CLI11 REQUIRED)
find_package(SQLite3 REQUIRED)
find_package(RocksDB REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Catch2 REQUIRED)

if(NOT TARGET yaml-cpp::yaml-cpp)  # yaml-cpp before 0.8 exports the plain name
  add_library(yaml-cpp::yaml-cpp ALIAS yaml-cpp)
endif()
if(NOT TARGET SQLite::SQLite3)  # the name that CMake's own module gives it
  message(FATAL_ERROR "SQLite3 was found, but without the target SQLite::SQLite3")
endif()

# Boost is used for Asio and Beast only, which are headers.
add_library(rocktune_boost INTERFACE)
target_link_libraries(rocktune_boost INTERFACE Boost::headers Threads::Threads)
target_compile_definitions(rocktune_boost INTERFACE BOOST_ASIO_NO_DEPRECATED)

# Third-party headers give warnings of their own: take them as system headers.
add_library(rocktune_rocksdb INTERFACE)
target_link_libraries(rocktune_rocksdb INTERFACE RocksDB::rocksdb-shared)

# The health of NVMe drives (ADR 009): nothing else needs it.
set(ROCKTUNE_NVME "AUTO" CACHE STRING "Read the health of NVMe drives through libnvme: AUTO (where it is found), ON or OFF")
set_property(CACHE ROCKTUNE_NVME PROPERTY STRINGS AUTO ON OFF)
set(ROCKTUNE_HAS_LIBNVME OFF)
if(NOT ROCKTUNE_NVME STREQUAL "OFF")
  # Not by pkg-config, which would want the development files of libnvme's own dependencies, too.
  find_path(LIBNVME_INCLUDE_DIR libnvme.h)
  find_library(LIBNVME_LIBRARY nvme)
  if(LIBNVME_INCLUDE_DIR AND LIBNVME_LIBRARY)
    add_library(rocktune_libnvme INTERFACE)
    target_include_directories(rocktune_libnvme SYSTEM INTERFACE "${LIBNVME_INCLUDE_DIR}")
    target_link_libraries(rocktune_libnvme INTERFACE "${LIBNVME_LIBRARY}")
    # Versions 1.x; 2 has another interface.
    include(CheckCXXSourceCompiles)
    set(CMAKE_REQUIRED_INCLUDES "${LIBNVME_INCLUDE_DIR}")
    set(CMAKE_REQUIRED_LIBRARIES "${LIBNVME_LIBRARY}")
    check_cxx_source_compiles("
      #include <libnvme.h>
      int main() {
        char page[512];
        const int status = nvme_get_nsid_log(0, true, NVME_LOG_LID_SMART, NVME_NSID_ALL, 512, page);
        return nvme_status_to_string(status, false) == nullptr;
      }" ROCKTUNE_HAS_LIBNVME_1)
    unset(CMAKE_REQUIRED_INCLUDES)
    unset(CMAKE_REQUIRED_LIBRARIES)
    set(ROCKTUNE_HAS_LIBNVME ${ROCKTUNE_HAS_LIBNVME_1})
  endif()
  if(ROCKTUNE_NVME STREQUAL "ON" AND NOT ROCKTUNE_HAS_LIBNVME)
    message(FATAL_ERROR "ROCKTUNE_NVME is ON, and there is no libnvme 1.x to build with: install libnvme-dev")
  endif()
endif()
