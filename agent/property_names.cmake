# RocksDB cannot be asked which properties it has: their names are taken from the comments of the
# header it comes with, so that a new version brings its new ones. Those with an argument, such as
# "rocksdb.num-files-at-level<N>", do not match.
get_target_property(directories RocksDB::rocksdb-shared INTERFACE_INCLUDE_DIRECTORIES)
find_file(header rocksdb/db.h HINTS ${directories} REQUIRED NO_CACHE)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${header}")
file(READ "${header}" text)
string(REGEX MATCHALL "\"rocksdb\\.[a-z0-9-]+\"" names "${text}")
list(REMOVE_DUPLICATES names)
list(SORT names)
list(LENGTH names count)
if(count LESS 40)
  message(FATAL_ERROR "${header} names only ${count} properties: its comments have changed")
endif()
list(JOIN names ",\n    " names)
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/generated/agent/property_names.inc"
     CONTENT "constexpr const char* kPropertyNames[] = {\n    @names@};\n" @ONLY)
