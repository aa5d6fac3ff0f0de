#include "trace/checked_pages.h"

#include <zlib.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <new>
#include <string>
#include <string_view>

namespace rocktune::trace {
namespace {

constexpr const char* kVfsName = "rocktune-checked-pages";
// https://www.sqlite.org/fileformat.html, "The Database Header"
constexpr std::string_view kFileMagic("SQLite format 3\0", 16);
constexpr int kHeaderBytes = 100;
constexpr int kReservedAt = 20;
constexpr int kContentBytes = kPageBytes - kPageCheckBytes;

using Page = std::array<unsigned char, kPageBytes>;

// The system's file lies behind it, in memory that SQLite gives (aligned to 8 bytes).
struct CheckedFile {
  sqlite3_file head{};
  bool checks = false;
};

CheckedFile& checked(sqlite3_file* file) {
  return *reinterpret_cast<CheckedFile*>(file);
}

sqlite3_file* real(sqlite3_file* file) {
  return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + sizeof(CheckedFile));
}

sqlite3_vfs* system_vfs() {
  static sqlite3_vfs* const vfs = sqlite3_vfs_find(nullptr);
  return vfs;
}

std::uint32_t check_of(std::uint64_t number, const unsigned char* page) {
  std::array<unsigned char, 8> bytes{};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes.at(i) = static_cast<unsigned char>(number >> (8 * i));
  }
  uLong check = crc32(0, bytes.data(), bytes.size());
  check = crc32(check, page, kContentBytes);
  return check == 0 ? 1 : static_cast<std::uint32_t>(check);
}

std::uint32_t stored_check(const unsigned char* page) {
  std::uint32_t check = 0;
  for (int i = kPageCheckBytes - 1; i >= 0; --i) check = check << 8 | page[kContentBytes + i];
  return check;
}

void store_check(std::uint32_t check, unsigned char* page) {
  for (int i = 0; i < kPageCheckBytes; ++i) {
    page[kContentBytes + i] = static_cast<unsigned char>(check >> (8 * i));
  }
}

bool reserves_checks(const unsigned char* header) {
  return std::memcmp(header, kFileMagic.data(), kFileMagic.size()) == 0 &&
         header[kReservedAt] == kPageCheckBytes;
}

// Reads a whole page. SQLite sees 0 for a checksum that was looked at: it goes into the WAL with
// the page's next state, of which it would not be the checksum.
int read_page(sqlite3_file* file, unsigned char* page, sqlite3_int64 offset) {
  const int code = real(file)->pMethods->xRead(real(file), page, kPageBytes, offset);
  if (code == SQLITE_IOERR_SHORT_READ) return offset == 0 ? code : SQLITE_IOERR_DATA;
  if (code != SQLITE_OK) return code;
  const std::uint32_t stored = stored_check(page);
  if (stored != 0 && stored != check_of(static_cast<std::uint64_t>(offset / kPageBytes), page)) {
    return SQLITE_IOERR_DATA;
  }
  store_check(0, page);
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* to, int amount, sqlite3_int64 offset) {
  const sqlite3_int64 within = offset % kPageBytes;
  // The header alone is read before its page is.
  if (!checked(file).checks || offset + amount <= kHeaderBytes) {
    return real(file)->pMethods->xRead(real(file), to, amount, offset);
  }
  if (within == 0 && amount == kPageBytes) {
    return read_page(file, static_cast<unsigned char*>(to), offset);
  }
  // Of a page that overflows SQLite may read a part. Pages of another size are no trace's.
  if (within + amount > kPageBytes) return SQLITE_IOERR_DATA;
  Page page;
  const int code = read_page(file, page.data(), offset - within);
  if (code == SQLITE_OK) {
    std::memcpy(to, page.data() + within, static_cast<std::size_t>(amount));
  }
  return code;
}

int write_file(sqlite3_file* file, const void* from, int amount, sqlite3_int64 offset) {
  const auto* bytes = static_cast<const unsigned char*>(from);
  if (offset == 0 && amount == kPageBytes && reserves_checks(bytes)) checked(file).checks = true;
  if (!checked(file).checks || amount != kPageBytes || offset % kPageBytes != 0) {
    return real(file)->pMethods->xWrite(real(file), from, amount, offset);
  }
  Page page;
  std::memcpy(page.data(), bytes, kPageBytes);
  store_check(check_of(static_cast<std::uint64_t>(offset / kPageBytes), bytes), page.data());
  return real(file)->pMethods->xWrite(real(file), page.data(), kPageBytes, offset);
}

int close_file(sqlite3_file* file) {
  return real(file)->pMethods->xClose(real(file));
}
int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  return real(file)->pMethods->xTruncate(real(file), size);
}
int sync_file(sqlite3_file* file, int flags) {
  return real(file)->pMethods->xSync(real(file), flags);
}
int file_size(sqlite3_file* file, sqlite3_int64* size) {
  return real(file)->pMethods->xFileSize(real(file), size);
}
int lock_file(sqlite3_file* file, int lock) {
  return real(file)->pMethods->xLock(real(file), lock);
}
int unlock_file(sqlite3_file* file, int lock) {
  return real(file)->pMethods->xUnlock(real(file), lock);
}
int check_lock(sqlite3_file* file, int* reserved) {
  return real(file)->pMethods->xCheckReservedLock(real(file), reserved);
}
int control_file(sqlite3_file* file, int what, void* argument) {
  return real(file)->pMethods->xFileControl(real(file), what, argument);
}
int sector_size(sqlite3_file* file) {
  return real(file)->pMethods->xSectorSize(real(file));
}
int device_characteristics(sqlite3_file* file) {
  return real(file)->pMethods->xDeviceCharacteristics(real(file));
}
int map_shared(sqlite3_file* file, int page, int size, int extend, void volatile** mapped) {
  return real(file)->pMethods->xShmMap(real(file), page, size, extend, mapped);
}
int lock_shared(sqlite3_file* file, int offset, int count, int flags) {
  return real(file)->pMethods->xShmLock(real(file), offset, count, flags);
}
void order_shared(sqlite3_file* file) {
  real(file)->pMethods->xShmBarrier(real(file));
}
int unmap_shared(sqlite3_file* file, int remove) {
  return real(file)->pMethods->xShmUnmap(real(file), remove);
}

// Version 2: no memory-mapped pages, which nobody would look at.
constexpr sqlite3_io_methods kMethods = {2,
                                         close_file,
                                         read_file,
                                         write_file,
                                         truncate_file,
                                         sync_file,
                                         file_size,
                                         lock_file,
                                         unlock_file,
                                         check_lock,
                                         control_file,
                                         sector_size,
                                         device_characteristics,
                                         map_shared,
                                         lock_shared,
                                         order_shared,
                                         unmap_shared,
                                         nullptr,
                                         nullptr};

bool file_reserves_checks(sqlite3_file* file) {
  std::array<unsigned char, kHeaderBytes> header{};
  return file->pMethods->xRead(file, header.data(), kHeaderBytes, 0) == SQLITE_OK &&
         reserves_checks(header.data());
}

int open_file(sqlite3_vfs*, const char* name, sqlite3_file* file, int flags, int* out) {
  sqlite3_vfs* const system = system_vfs();
  if ((flags & SQLITE_OPEN_MAIN_DB) == 0) return system->xOpen(system, name, file, flags, out);
  auto* const own = new (file) CheckedFile;
  const int code = system->xOpen(system, name, real(file), flags, out);
  if (real(file)->pMethods == nullptr) return code;  // then SQLite does not close it
  own->head.pMethods = &kMethods;
  own->checks = code == SQLITE_OK && file_reserves_checks(real(file));
  return code;
}

int register_vfs() {
  if (system_vfs() == nullptr) return SQLITE_ERROR;
  static sqlite3_vfs vfs = [] {
    sqlite3_vfs made = *system_vfs();  // everything else is the system's
    made.szOsFile += static_cast<int>(sizeof(CheckedFile));
    made.zName = kVfsName;
    made.pNext = nullptr;
    made.xOpen = open_file;
    return made;
  }();
  return sqlite3_vfs_register(&vfs, 0);
}

}  // namespace

Result<const char*> checked_pages_vfs() {
  static const int code = register_vfs();
  if (code != SQLITE_OK) {
    return fail(ErrorCode::kIo, std::string("SQLite takes no VFS: ") + sqlite3_errstr(code));
  }
  return kVfsName;
}

Result<void> reserve_page_checks(sqlite3* connection) {
  int bytes = kPageCheckBytes;
  const int code = sqlite3_file_control(connection, "main", SQLITE_FCNTL_RESERVE_BYTES, &bytes);
  if (code != SQLITE_OK) {
    return fail(ErrorCode::kIo,
                std::string("SQLite reserves no bytes for checksums: ") + sqlite3_errstr(code));
  }
  return {};
}

bool has_page_checks(sqlite3* connection) {
  sqlite3_file* file = nullptr;
  return sqlite3_file_control(connection, "main", SQLITE_FCNTL_FILE_POINTER, &file) == SQLITE_OK &&
         file != nullptr && file->pMethods == &kMethods && checked(file).checks;
}

}  // namespace rocktune::trace
