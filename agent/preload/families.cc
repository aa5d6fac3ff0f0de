// Sees column families being created in an open database. RocksDB's vtables name these functions by
// symbol, so calls through any interface, also of a transaction database, arrive here; so does
// CreateColumnFamilyWithImport, which calls CreateColumnFamily. Handles that end are seen in
// close.cc.

#include "agent/preload/close.h"
#include "agent/preload/loader.h"
#include "agent/preload/names.h"
#include "agent/preload/real.h"
#include "agent/preload/rocksdb_types.h"

namespace {

using rocksdb::ReadOptions;
using rocksdb::Status;
using rocksdb::WriteOptions;
using rocktune::preload::Class;
using rocktune::preload::Site;
using FamilyOptions = rocksdb::ColumnFamilyOptions;
using Descriptors = std::vector<rocksdb::ColumnFamilyDescriptor>;
using Handle = rocksdb::ColumnFamilyHandle;
using Handles = std::vector<Handle*>;
using Names = std::vector<std::string>;

void tell(const void* db, Handle* const* handles, std::size_t count) {
  if (const auto* const agent = rocktune::preload::api()) {
    agent->created(db, handles, count, rocktune::preload::interposed(Class::kWritable));
  }
}

template <class... Arguments>
Status create_one(const Site& site, void* db, Handle** handle, Arguments&... arguments) {
  auto* const function =
      rocktune::preload::real_as<Status (*)(void*, Arguments&..., Handle**)>(site);
  if (function == nullptr) return Status::NotSupported();
  // Straight through: another version's Status is not looked into.
  if (rocktune::preload::api() == nullptr) return function(db, arguments..., handle);
  Status status = function(db, arguments..., handle);
  if (status.ok() && *handle != nullptr) tell(db, handle, 1);
  return status;
}

// When it fails midway, those before have been created, and belong to the host.
template <class... Arguments>
Status create_several(const Site& site, void* db, Handles* handles, Arguments&... arguments) {
  auto* const function =
      rocktune::preload::real_as<Status (*)(void*, Arguments&..., Handles*)>(site);
  if (function == nullptr) return Status::NotSupported();
  if (rocktune::preload::api() == nullptr) return function(db, arguments..., handles);
  Status status = function(db, arguments..., handles);
  if (!handles->empty()) tell(db, handles->data(), handles->size());
  return status;
}

}  // namespace

#define ROCKTUNE_SITE(function, symbol) \
  {symbol, ROCKTUNE_ADDRESS(function), *static_cast<void**>(db)}

extern "C++" {
ROCKTUNE_INTERPOSED Status rocktune_create_by_name(void*, const FamilyOptions&, const std::string&,
                                                   Handle**) __asm__(CREATE_BY_NAME);
ROCKTUNE_INTERPOSED Status rocktune_create_by_names(void*, const FamilyOptions&, const Names&,
                                                    Handles*) __asm__(CREATE_BY_NAMES);
ROCKTUNE_INTERPOSED Status rocktune_create_by_descriptors(void*, const Descriptors&,
                                                          Handles*) __asm__(CREATE_BY_DESCRIPTORS);
ROCKTUNE_INTERPOSED Status rocktune_create_by_name_io(void*, const ReadOptions&,
                                                      const WriteOptions&, const FamilyOptions&,
                                                      const std::string&,
                                                      Handle**) __asm__(CREATE_BY_NAME_IO);
ROCKTUNE_INTERPOSED Status rocktune_create_by_names_io(void*, const ReadOptions&,
                                                       const WriteOptions&, const FamilyOptions&,
                                                       const Names&,
                                                       Handles*) __asm__(CREATE_BY_NAMES_IO);
ROCKTUNE_INTERPOSED Status
rocktune_create_by_descriptors_io(void*, const ReadOptions&, const WriteOptions&,
                                  const Descriptors&, Handles*) __asm__(CREATE_BY_DESCRIPTORS_IO);
}

Status rocktune_create_by_name(void* db, const FamilyOptions& options, const std::string& name,
                               Handle** handle) {
  return create_one(ROCKTUNE_SITE(rocktune_create_by_name, CREATE_BY_NAME), db, handle, options,
                    name);
}

Status rocktune_create_by_names(void* db, const FamilyOptions& options, const Names& names,
                                Handles* handles) {
  return create_several(ROCKTUNE_SITE(rocktune_create_by_names, CREATE_BY_NAMES), db, handles,
                        options, names);
}

Status rocktune_create_by_descriptors(void* db, const Descriptors& families, Handles* handles) {
  return create_several(ROCKTUNE_SITE(rocktune_create_by_descriptors, CREATE_BY_DESCRIPTORS), db,
                        handles, families);
}

Status rocktune_create_by_name_io(void* db, const ReadOptions& read, const WriteOptions& write,
                                  const FamilyOptions& options, const std::string& name,
                                  Handle** handle) {
  return create_one(ROCKTUNE_SITE(rocktune_create_by_name_io, CREATE_BY_NAME_IO), db, handle, read,
                    write, options, name);
}

Status rocktune_create_by_names_io(void* db, const ReadOptions& read, const WriteOptions& write,
                                   const FamilyOptions& options, const Names& names,
                                   Handles* handles) {
  return create_several(ROCKTUNE_SITE(rocktune_create_by_names_io, CREATE_BY_NAMES_IO), db, handles,
                        read, write, options, names);
}

Status rocktune_create_by_descriptors_io(void* db, const ReadOptions& read,
                                         const WriteOptions& write, const Descriptors& families,
                                         Handles* handles) {
  return create_several(ROCKTUNE_SITE(rocktune_create_by_descriptors_io, CREATE_BY_DESCRIPTORS_IO),
                        db, handles, read, write, families);
}

#undef ROCKTUNE_SITE
