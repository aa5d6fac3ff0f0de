#include "agent/preload/real.h"

#include <dlfcn.h>
#include <link.h>

namespace rocktune::preload {
namespace {

// The handle of the library that contains `address`; release with dlclose. nullptr if unknown.
void* library_of(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  void** const out = reinterpret_cast<void**>(&map);
  if (dladdr1(address, &info, out, RTLD_DL_LINKMAP) == 0 || map == nullptr) return nullptr;
  return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

// What comes next in the global scope stays there until the process ends, and is remembered: to
// look it up takes the dynamic loader's lock, which another thread may hold that waits for the one
// that closes a database here.
struct Next {
  const void* self;  // set last
  void* found;
};
constexpr int kMostNext = 64;
Next g_next[kMostNext];
int g_next_count = 0;

void* remembered(const void* self) {
  for (Next& next : g_next) {
    if (__atomic_load_n(&next.self, __ATOMIC_ACQUIRE) == self) return next.found;
  }
  return nullptr;
}

void* next_of(const Site& site) {
  if (void* const known = remembered(site.self)) return known;
  void* const found = dlsym(RTLD_NEXT, site.name);
  if (found == nullptr) return nullptr;
  // Two threads at once take two places for one.
  if (__atomic_load_n(&g_next_count, __ATOMIC_RELAXED) >= kMostNext) return found;
  const int place = __atomic_fetch_add(&g_next_count, 1, __ATOMIC_RELAXED);
  if (place >= kMostNext) return found;
  g_next[place].found = found;
  __atomic_store_n(&g_next[place].self, site.self, __ATOMIC_RELEASE);
  return found;
}

}  // namespace

void* symbol_near(const void* address, const char* name) {
  void* const library = library_of(address);
  if (library == nullptr) return nullptr;
  void* const found = dlsym(library, name);
  dlclose(library);
  return found;
}

void* real(const Site& site) {
  void* found = next_of(site);
  if (found == nullptr) found = symbol_near(site.origin, site.name);
  return found == site.self ? nullptr : found;
}

}  // namespace rocktune::preload
