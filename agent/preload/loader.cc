#include "agent/preload/loader.h"

#include <dlfcn.h>
#include <rocksdb/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <string>

#include "agent/preload/close.h"
#include "agent/preload/names.h"
#include "agent/preload/real.h"
#include "agent/preload/why.h"

namespace rocktune::preload {
namespace {

const Api* g_api = nullptr;         // set once, when it is found usable
const void* g_real_open = nullptr;  // input of load_once: what the first open stands before

constexpr long kNobody = 0;
constexpr long kLoaded = -1;  // or found not to be loadable
long g_loader = kNobody;      // the process of which a thread is loading
bool g_waited = false;        // as long as anybody shall for that one
thread_local bool t_loads = false;

// Not destroyed: operator delete would be the only thing needed from the C++ library.
union Version {
  using Get = std::string (*)(bool);
  explicit Version(Get get) : text(get(true)) {}
  ~Version() {}
  std::string text;
};

// The RocksDB that the host uses must be the one that the agent was built for.
bool is_our_version(const void* get_version) {
  Version::Get get = nullptr;
  memcpy(&get, &get_version, sizeof get);
  char ours[32];
  const int length = snprintf(ours, sizeof ours, "%d.%d.", ROCKSDB_MAJOR, ROCKSDB_MINOR);
  const Version theirs(get);
  if (strncmp(theirs.text.c_str(), ours, static_cast<size_t>(length)) == 0) return true;
  char reason[256];
  snprintf(reason, sizeof reason,
           "not attached: this process uses RocksDB %.32s, and this agent was built for %sx: build "
           "the agent with that RocksDB",
           theirs.text.c_str(), ours);
  say_why(nullptr, reason);
  return false;
}

const Api* not_loaded(const char* path) {
  const char* const error = dlerror();
  char reason[768];
  snprintf(reason, sizeof reason, "not attached: %.300s cannot be used: %.400s", path,
           error == nullptr ? "it does not fit this preload library" : error);
  say_why(nullptr, reason);
  return nullptr;
}

// librocktune_agent.so from the directory of this library; never unloaded.
const Api* load_agent() {
  Dl_info self;
  if (dladdr(ROCKTUNE_ADDRESS(load_agent), &self) == 0) return nullptr;
  const char* const slash = strrchr(self.dli_fname, '/');
  const int directory = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname) + 1;
  char path[4096];
  const int length =
      snprintf(path, sizeof path, "%.*slibrocktune_agent.so", directory, self.dli_fname);
  if (length <= 0 || static_cast<size_t>(length) >= sizeof path) return nullptr;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  void* const symbol = library == nullptr ? nullptr : dlsym(library, kApiSymbol);
  if (symbol == nullptr) return not_loaded(path);
  GetApi get = nullptr;
  memcpy(&get, &symbol, sizeof get);
  return get();
}

void load_once() {
  const char* const mode = secure_getenv("ROCKTUNE_AGENT_MODE");
  if (mode != nullptr && strcmp(mode, "off") == 0) return;
  const void* const version =
      symbol_near(__atomic_load_n(&g_real_open, __ATOMIC_ACQUIRE), ROCKSDB_VERSION);
  if (version == nullptr) {
    say_why(nullptr, "not attached: this RocksDB does not tell its version");
    return;
  }
  if (!is_our_version(version)) return;
  const Api* const loaded = load_agent();
  if (loaded == nullptr) return;
  if (loaded->rocksdb_anchor != version) {  // that one would have other globals: hands off
    say_why(
        nullptr,
        "not attached: there are two copies of RocksDB in this process, and the agent is bound to "
        "the other one than opens the database");
    return;
  }
  look_up_closes();
  __atomic_store_n(&g_api, loaded, __ATOMIC_RELEASE);
}

// With several copies of RocksDB in one process only what that one opens is attached that the agent
// is bound to: the objects of another one may be laid out otherwise, and have other globals.
const Api* api_if_its(const void* real_open) {
  const Api* const loaded = api();
  if (loaded == nullptr || symbol_near(real_open, ROCKSDB_VERSION) == loaded->rocksdb_anchor) {
    return loaded;
  }
  say_why(
      nullptr,
      "a database is not attached: another copy of RocksDB opens it than the one that the agent "
      "is bound to");
  return nullptr;
}

// Loading takes some ten milliseconds. Where it does not end within five seconds, the opens that
// follow do not wait for it either.
void wait_until_loaded() {
  constexpr int kMostWaits = 5000;
  constexpr timespec kMillisecond{0, 1000000};
  for (int waits = 0; __atomic_load_n(&g_loader, __ATOMIC_ACQUIRE) != kLoaded; ++waits) {
    if (waits == kMostWaits) __atomic_store_n(&g_waited, true, __ATOMIC_RELAXED);
    if (__atomic_load_n(&g_waited, __ATOMIC_RELAXED)) {
      say_why(nullptr,
              "a database is not attached: another thread was loading the agent for five seconds");
      return;
    }
    nanosleep(&kMillisecond, nullptr);
  }
}

}  // namespace

const Api* api() {
  return __atomic_load_n(&g_api, __ATOMIC_ACQUIRE);
}

// Neither a mutex nor pthread_once: the one that loads waits for the dynamic loader's lock, which a
// thread may hold that opens a database in the constructor of another library, and so would wait
// here for ever. Waiting is bounded, and a child that was forked meanwhile begins anew.
const Api* api_for(const void* real_open) {
  if (t_loads) return nullptr;
  if (api() != nullptr) return api_if_its(real_open);
  const void* none = nullptr;
  __atomic_compare_exchange_n(&g_real_open, &none, real_open, false, __ATOMIC_ACQ_REL,
                              __ATOMIC_ACQUIRE);
  const long self = getpid();
  long loader = kNobody;
  while (loader != self && loader != kLoaded) {
    if (__atomic_compare_exchange_n(&g_loader, &loader, self, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE)) {
      __atomic_store_n(&g_waited, false, __ATOMIC_RELAXED);  // of a parent's loader
      t_loads = true;
      load_once();
      t_loads = false;
      __atomic_store_n(&g_loader, kLoaded, __ATOMIC_RELEASE);
      return api_if_its(real_open);
    }
  }
  wait_until_loaded();
  return api_if_its(real_open);
}

}  // namespace rocktune::preload
