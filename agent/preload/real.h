// Finds the function of RocksDB that an interposed one stands before.
#pragma once

#include <string.h>

namespace rocktune::preload {

struct Site {
  const char* name;    // mangled
  const void* self;    // our function of that name
  const void* origin;  // an address in the library that called, or whose object it is
};

#define ROCKTUNE_ADDRESS(function) reinterpret_cast<const void*>(&(function))
#define ROCKTUNE_INTERPOSED __attribute__((visibility("default")))

// nullptr if there is none. Usually the next one in the global scope; if RocksDB was loaded into a
// local scope (a plugin), the one beside `origin`.
void* real(const Site& site);

template <class Function>
Function real_as(const Site& site) {
  void* const found = real(site);
  Function function = nullptr;
  memcpy(&function, &found, sizeof function);
  return function;
}

// A symbol of the library that `address` lies in, or nullptr.
void* symbol_near(const void* address, const char* name);

inline const void* vtable_of(const void* object) {
  return *static_cast<const void* const*>(object);
}

}  // namespace rocktune::preload
