// Sees databases and column family handles end. Each function has the agent let go first, and then
// calls the real one: of a derived class as well, before its destructor begins to take the object
// apart.
//
// A destructor and a member function take the object as their first argument, like these.
#include "agent/preload/close.h"

#include "agent/preload/loader.h"
#include "agent/preload/names.h"
#include "agent/preload/real.h"
#include "agent/preload/rocksdb_types.h"

namespace rocktune::preload {
namespace {

void destroy_database(const char* name, const void* self, void* db) {
  if (const Api* const agent = api()) agent->closing(db);
  if (auto* const function = real_as<void (*)(void*)>({name, self, vtable_of(db)})) function(db);
}

void destroy_handle(const char* name, const void* self, void* handle) {
  if (const Api* const agent = api()) agent->handle_closing(handle);
  if (auto* const function = real_as<void (*)(void*)>({name, self, vtable_of(handle)})) {
    function(handle);
  }
}

rocksdb::Status close_database(const char* name, const void* self, void* db) {
  if (const Api* const agent = api()) agent->closing(db);
  auto* const function = real_as<rocksdb::Status (*)(void*)>({name, self, vtable_of(db)});
  return function == nullptr ? rocksdb::Status::NotSupported() : function(db);
}

}  // namespace
}  // namespace rocktune::preload

#define ROCKTUNE_DESTRUCTOR(function, symbol, action)                      \
  extern "C++" ROCKTUNE_INTERPOSED void function(void*) __asm__(symbol);   \
  void function(void* object) {                                            \
    rocktune::preload::action(symbol, ROCKTUNE_ADDRESS(function), object); \
  }
#define ROCKTUNE_CLOSE(function, symbol)                                                  \
  extern "C++" ROCKTUNE_INTERPOSED rocksdb::Status function(void*) __asm__(symbol);       \
  rocksdb::Status function(void* object) {                                                \
    return rocktune::preload::close_database(symbol, ROCKTUNE_ADDRESS(function), object); \
  }

ROCKTUNE_CLOSE(rocktune_db_close, DB_CLOSE)
ROCKTUNE_DESTRUCTOR(rocktune_db_delete, DB_DELETE, destroy_database)
ROCKTUNE_DESTRUCTOR(rocktune_db_destroy, DB_DESTROY, destroy_database)
ROCKTUNE_DESTRUCTOR(rocktune_read_only_delete, READ_ONLY_DELETE, destroy_database)
ROCKTUNE_DESTRUCTOR(rocktune_read_only_destroy, READ_ONLY_DESTROY, destroy_database)
ROCKTUNE_DESTRUCTOR(rocktune_compacted_delete, COMPACTED_DELETE, destroy_database)
ROCKTUNE_DESTRUCTOR(rocktune_compacted_destroy, COMPACTED_DESTROY, destroy_database)
ROCKTUNE_DESTRUCTOR(rocktune_secondary_delete, SECONDARY_DELETE, destroy_database)
ROCKTUNE_DESTRUCTOR(rocktune_secondary_destroy, SECONDARY_DESTROY, destroy_database)
ROCKTUNE_CLOSE(rocktune_follower_close, FOLLOWER_CLOSE)
ROCKTUNE_DESTRUCTOR(rocktune_follower_delete, FOLLOWER_DELETE, destroy_database)
ROCKTUNE_DESTRUCTOR(rocktune_follower_destroy, FOLLOWER_DESTROY, destroy_database)
ROCKTUNE_DESTRUCTOR(rocktune_handle_delete, HANDLE_DELETE, destroy_handle)
ROCKTUNE_DESTRUCTOR(rocktune_handle_destroy, HANDLE_DESTROY, destroy_handle)

namespace rocktune::preload {

void look_up_closes() {
  const Site all[] = {
      {DB_CLOSE, ROCKTUNE_ADDRESS(rocktune_db_close), nullptr},
      {DB_DELETE, ROCKTUNE_ADDRESS(rocktune_db_delete), nullptr},
      {DB_DESTROY, ROCKTUNE_ADDRESS(rocktune_db_destroy), nullptr},
      {READ_ONLY_DELETE, ROCKTUNE_ADDRESS(rocktune_read_only_delete), nullptr},
      {READ_ONLY_DESTROY, ROCKTUNE_ADDRESS(rocktune_read_only_destroy), nullptr},
      {COMPACTED_DELETE, ROCKTUNE_ADDRESS(rocktune_compacted_delete), nullptr},
      {COMPACTED_DESTROY, ROCKTUNE_ADDRESS(rocktune_compacted_destroy), nullptr},
      {SECONDARY_DELETE, ROCKTUNE_ADDRESS(rocktune_secondary_delete), nullptr},
      {SECONDARY_DESTROY, ROCKTUNE_ADDRESS(rocktune_secondary_destroy), nullptr},
      {FOLLOWER_CLOSE, ROCKTUNE_ADDRESS(rocktune_follower_close), nullptr},
      {FOLLOWER_DELETE, ROCKTUNE_ADDRESS(rocktune_follower_delete), nullptr},
      {FOLLOWER_DESTROY, ROCKTUNE_ADDRESS(rocktune_follower_destroy), nullptr},
      {HANDLE_DELETE, ROCKTUNE_ADDRESS(rocktune_handle_delete), nullptr},
      {HANDLE_DESTROY, ROCKTUNE_ADDRESS(rocktune_handle_destroy), nullptr},
  };
  for (const Site& site : all) static_cast<void>(real(site));
}

Interposed interposed(Class of) {
  Interposed ours{ROCKTUNE_ADDRESS(rocktune_db_close), ROCKTUNE_ADDRESS(rocktune_db_delete),
                  ROCKTUNE_ADDRESS(rocktune_db_destroy), ROCKTUNE_ADDRESS(rocktune_handle_delete),
                  ROCKTUNE_ADDRESS(rocktune_handle_destroy)};
  switch (of) {
    case Class::kWritable:
      break;
    case Class::kReadOnly:
      ours.db_delete = ROCKTUNE_ADDRESS(rocktune_read_only_delete);
      ours.db_destroy = ROCKTUNE_ADDRESS(rocktune_read_only_destroy);
      break;
    case Class::kCompacted:
      ours.db_delete = ROCKTUNE_ADDRESS(rocktune_compacted_delete);
      ours.db_destroy = ROCKTUNE_ADDRESS(rocktune_compacted_destroy);
      break;
    case Class::kSecondary:
      ours.db_delete = ROCKTUNE_ADDRESS(rocktune_secondary_delete);
      ours.db_destroy = ROCKTUNE_ADDRESS(rocktune_secondary_destroy);
      break;
    case Class::kFollower:
      ours.db_close = ROCKTUNE_ADDRESS(rocktune_follower_close);
      ours.db_delete = ROCKTUNE_ADDRESS(rocktune_follower_delete);
      ours.db_destroy = ROCKTUNE_ADDRESS(rocktune_follower_destroy);
      break;
  }
  return ours;
}

}  // namespace rocktune::preload
