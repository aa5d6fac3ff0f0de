// What an ELF executable says of the libraries that it is linked to. Little-endian 64-bit files
// only: others are "not known", which is no error.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace rocktune::tools {

struct ElfInfo {
  bool dynamic = false;             // has a program interpreter, so LD_PRELOAD works at all
  std::vector<std::string> needed;  // DT_NEEDED: "librocksdb.so.7.8"
  std::vector<std::string> search;  // DT_RPATH and DT_RUNPATH, with $ORIGIN replaced
};

// nullopt: no such ELF file (a script, another format, cut short, unreadable).
std::optional<ElfInfo> read_elf(const std::string& path);

// Whether the executable is linked to a shared librocksdb, itself or through its libraries;
// nullopt when that cannot be told (a library was not found).
std::optional<bool> linked_to_rocksdb(const std::string& path, const ElfInfo& info);

// Whether RocksDB's code is in the file itself: it has the names of RocksDB's statistics.
bool contains_rocksdb(const std::string& path);

}  // namespace rocktune::tools
