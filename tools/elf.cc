#include "tools/elf.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <deque>
#include <filesystem>
#include <set>
#include <string_view>

namespace rocktune::tools {
namespace {

constexpr std::size_t kMostLibraries = 500;

// A file in memory, read only where it is asked for.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    struct stat status{};
    if (::fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_size > 0) {
      const auto size = static_cast<std::size_t>(status.st_size);
      void* memory = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file, 0);
      if (memory != MAP_FAILED) content_ = {static_cast<const char*>(memory), size};
    }
    ::close(file);
  }
  ~MappedFile() {
    if (!content_.empty()) ::munmap(const_cast<char*>(content_.data()), content_.size());
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  [[nodiscard]] std::string_view content() const { return content_; }

 private:
  std::string_view content_;
};

// Copies a structure out of the file; false when the file is too short.
template <class T>
bool take(std::string_view file, std::uint64_t offset, T& value) {
  if (offset > file.size() || file.size() - offset < sizeof value) return false;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return true;
}

std::string string_at(std::string_view file, std::uint64_t offset) {
  if (offset >= file.size()) return {};
  const auto rest = file.substr(offset);
  const auto end = rest.find('\0');
  return end == std::string_view::npos ? std::string() : std::string(rest.substr(0, end));
}

// Where an address of the loaded program lies in the file.
std::optional<std::uint64_t> file_offset(const std::vector<Elf64_Phdr>& segments,
                                         std::uint64_t address) {
  for (const auto& segment : segments) {
    if (segment.p_type == PT_LOAD && address >= segment.p_vaddr &&
        address - segment.p_vaddr < segment.p_filesz) {
      return segment.p_offset + (address - segment.p_vaddr);
    }
  }
  return std::nullopt;
}

void add_search_path(std::string paths, const std::string& origin, ElfInfo& info) {
  for (const std::string_view variable : {"$ORIGIN", "${ORIGIN}"}) {
    for (auto at = paths.find(variable); at != std::string::npos; at = paths.find(variable)) {
      paths.replace(at, variable.size(), origin);
    }
  }
  std::size_t begin = 0;
  while (begin <= paths.size()) {
    const std::size_t end = std::min(paths.find(':', begin), paths.size());
    if (end > begin) info.search.push_back(paths.substr(begin, end - begin));
    begin = end + 1;
  }
}

void read_dynamic(std::string_view file, const std::vector<Elf64_Phdr>& segments,
                  const Elf64_Phdr& dynamic, const std::string& path, ElfInfo& info) {
  std::vector<Elf64_Dyn> entries;
  std::optional<std::uint64_t> strings;
  for (std::uint64_t at = 0; at + sizeof(Elf64_Dyn) <= dynamic.p_filesz; at += sizeof(Elf64_Dyn)) {
    Elf64_Dyn entry{};
    if (!take(file, dynamic.p_offset + at, entry) || entry.d_tag == DT_NULL) break;
    if (entry.d_tag == DT_STRTAB) strings = file_offset(segments, entry.d_un.d_ptr);
    entries.push_back(entry);
  }
  if (!strings) return;
  const std::string origin = std::filesystem::path(path).parent_path().string();
  for (const auto& entry : entries) {
    const std::uint64_t at = *strings + entry.d_un.d_val;
    if (entry.d_tag == DT_NEEDED) info.needed.push_back(string_at(file, at));
    if (entry.d_tag == DT_RPATH || entry.d_tag == DT_RUNPATH) {
      add_search_path(string_at(file, at), origin, info);
    }
  }
}

std::optional<std::string> find_library(const std::string& name, const ElfInfo& user) {
  std::vector<std::string> places = user.search;
  ElfInfo environment;
  if (const char* paths = std::getenv("LD_LIBRARY_PATH")) add_search_path(paths, "", environment);
  places.insert(places.end(), environment.search.begin(), environment.search.end());
  for (const char* place : {"/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu",
                            "/lib/aarch64-linux-gnu", "/usr/lib/aarch64-linux-gnu", "/lib64",
                            "/usr/lib64", "/lib", "/usr/lib", "/usr/local/lib"}) {
    places.emplace_back(place);
  }
  std::error_code ignored;
  for (const std::string& place : places) {
    const auto candidate = std::filesystem::path(place) / name;
    if (std::filesystem::exists(candidate, ignored)) return candidate.string();
  }
  return std::nullopt;
}

}  // namespace

std::optional<ElfInfo> read_elf(const std::string& path) {
  const MappedFile mapped(path);
  const std::string_view file = mapped.content();
  Elf64_Ehdr header{};
  if (!take(file, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
      header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB ||
      header.e_phentsize != sizeof(Elf64_Phdr)) {
    return std::nullopt;
  }
  std::vector<Elf64_Phdr> segments(header.e_phnum);
  for (std::size_t i = 0; i < segments.size(); ++i) {
    if (!take(file, header.e_phoff + i * sizeof(Elf64_Phdr), segments[i])) return std::nullopt;
  }
  ElfInfo info;
  for (const auto& segment : segments) {
    if (segment.p_type == PT_INTERP) info.dynamic = true;
    if (segment.p_type == PT_DYNAMIC) read_dynamic(file, segments, segment, path, info);
  }
  return info;
}

std::optional<bool> linked_to_rocksdb(const std::string& path, const ElfInfo& info) {
  std::deque<std::pair<std::string, ElfInfo>> open = {{path, info}};
  std::set<std::string> seen;
  bool all_found = true;
  while (!open.empty() && seen.size() < kMostLibraries) {
    const ElfInfo user = std::move(open.front().second);
    open.pop_front();
    for (const std::string& name : user.needed) {
      if (name.starts_with("librocksdb")) return true;
      if (!seen.insert(name).second) continue;
      const auto file = find_library(name, user);
      const auto library = file ? read_elf(*file) : std::nullopt;
      if (library) {
        open.emplace_back(*file, *library);
      } else {
        all_found = false;
      }
    }
  }
  return all_found ? std::optional(false) : std::nullopt;
}

bool contains_rocksdb(const std::string& path) {
  const MappedFile mapped(path);
  // The name of a statistic that every RocksDB has. Put together here, so that this program does
  // not contain it itself.
  const std::string marker = std::string("rocksdb.") + "block.cache.miss";
  return mapped.content().find(marker) != std::string_view::npos;
}

}  // namespace rocktune::tools
