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

}  // namespace

void* symbol_near(const void* address, const char* name) {
  void* const library = library_of(address);
  if (library == nullptr) return nullptr;
  void* const found = dlsym(library, name);
  dlclose(library);
  return found;
}

void* real(const Site& site) {
  void* found = dlsym(RTLD_NEXT, site.name);
  if (found == nullptr) found = symbol_near(site.origin, site.name);
  return found == site.self ? nullptr : found;
}

}  // namespace rocktune::preload
