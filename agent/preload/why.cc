#include "agent/preload/why.h"

#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

namespace rocktune::preload {
namespace {

constexpr int kMostLines = 16;
int g_lines = 0;
bool g_writing = false;       // by one thread at a time
uint64_t g_said[kMostLines];  // digests of what was written; 0: nothing
pid_t g_writer = 0;           // the process that made the file: a forked child leaves it alone
char g_path[4096];            // its; not touched any more once g_writer is this process

// Where nobody else could have put something at the file's name. -1 if that is not so.
int open_directory(const char* path) {
  struct stat info;
  if (path[0] != '/' || lstat(path, &info) != 0) return -1;
  if (S_ISLNK(info.st_mode) && info.st_uid != 0 && info.st_uid != geteuid()) return -1;
  const int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return -1;
  const bool trusted = fstat(fd, &info) == 0 && (info.st_uid == 0 || info.st_uid == geteuid()) &&
                       ((info.st_mode & (S_IWOTH | S_IWGRP)) == 0 || (info.st_mode & S_ISVTX) != 0);
  if (trusted) return fd;
  close(fd);
  return -1;
}

bool is_plain_and_ours(int fd) {
  struct stat info;
  return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) && info.st_uid == geteuid() &&
         info.st_nlink == 1;
}

// No mutex: a child forked while another thread writes would wait for it for ever. A line takes
// microseconds; one that cannot be written within a tenth of a second is left out.
bool begin_writing() {
  constexpr int kMostWaits = 100;
  constexpr timespec kMillisecond{0, 1000000};
  for (int waits = 0; __atomic_exchange_n(&g_writing, true, __ATOMIC_ACQUIRE); ++waits) {
    if (waits == kMostWaits) return false;
    nanosleep(&kMillisecond, nullptr);
  }
  return true;
}

void end_writing() {
  __atomic_store_n(&g_writing, false, __ATOMIC_RELEASE);
}

void remove_at_exit() {
  if (__atomic_load_n(&g_writer, __ATOMIC_ACQUIRE) == getpid()) unlink(g_path);
}

// The file, new at the first call of this process. -1 if it cannot be.
int open_file(int directory, const char* path) {
  char name[64];
  snprintf(name, sizeof name, "agent.%ld.why", static_cast<long>(getpid()));
  const pid_t writer = __atomic_load_n(&g_writer, __ATOMIC_RELAXED);
  const bool first = writer != getpid();
  if (first) {
    const int length = snprintf(g_path, sizeof g_path, "%s/%s", path, name);
    if (length <= 0 || static_cast<size_t>(length) >= sizeof g_path) return -1;
  }
  // Neither through a link nor into something that would block.
  const int flags = O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  const int fd = openat(directory, name, flags, 0600);
  if (fd < 0) return -1;
  if (is_plain_and_ours(fd) && (!first || ftruncate(fd, 0) == 0)) {
    if (writer == 0) atexit(remove_at_exit);
    __atomic_store_n(&g_writer, getpid(), __ATOMIC_RELEASE);
    return fd;
  }
  close(fd);
  return -1;
}

// FNV-1a, of the line and the process: a forked child says it once more, in a file of its own.
uint64_t digest_of(const char* line) {
  uint64_t digest = 0xcbf29ce484222325u ^ static_cast<uint64_t>(getpid());
  for (; *line != '\0'; ++line) {
    digest = (digest ^ static_cast<unsigned char>(*line)) * 0x100000001b3u;
  }
  return digest;
}

// Where to remember it; nullptr: it was said, as of a database that is opened once more.
uint64_t* place_for(uint64_t digest) {
  for (uint64_t& said : g_said) {
    if (said == digest) return nullptr;
    if (said == 0) return &said;
  }
  return nullptr;
}

int open_why() {
  const char* path = secure_getenv("ROCKTUNE_AGENT_DIR");
  if (path == nullptr || path[0] == '\0') path = "/run/rocktune";
  const int directory = open_directory(path);
  if (directory < 0) return -1;
  const int fd = open_file(directory, path);
  close(directory);
  return fd;
}

void write_line(const char* subject, const char* reason) {
  char line[1024];
  const int length = subject == nullptr
                         ? snprintf(line, sizeof line - 1, "%s", reason)
                         : snprintf(line, sizeof line - 1, "%s: %s", subject, reason);
  if (length <= 0) return;
  const uint64_t digest = digest_of(line);
  uint64_t* const place = place_for(digest);
  const int fd = place == nullptr ? -1 : open_why();
  if (fd < 0) return;
  const size_t end = strlen(line);
  line[end] = '\n';
  if (write(fd, line, end + 1) > 0) *place = digest;
  close(fd);
}

}  // namespace

void say_why(const char* subject, const char* reason) {
  if (__atomic_fetch_add(&g_lines, 1, __ATOMIC_RELAXED) >= kMostLines || !begin_writing()) return;
  write_line(subject, reason);
  end_writing();
}

}  // namespace rocktune::preload
