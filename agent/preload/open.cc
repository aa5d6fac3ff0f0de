// Sees databases open, in every form that RocksDB has: completes the options, calls the real
// function and attaches. The host keeps the very object that RocksDB made. Whatever goes wrong
// here, the real function is called.
//
// DBImpl::Open is the one place through which every writable open passes (DB::Open, the
// transaction databases, DBWithTTL and the C API included); what is opened to be read passes
// through one of the others. docs/adr/002-preload-sees-close.md says why these functions.

#include "agent/preload/close.h"
#include "agent/preload/loader.h"
#include "agent/preload/names.h"
#include "agent/preload/real.h"
#include "agent/preload/rocksdb_types.h"
#include "agent/preload/why.h"

namespace {

using rocksdb::DB;
using rocksdb::DBOptions;
using rocksdb::Options;
using rocksdb::Status;
using rocktune::preload::Api;
using rocktune::preload::Class;
using rocktune::preload::Site;
using Descriptors = std::vector<rocksdb::ColumnFamilyDescriptor>;
using Handles = std::vector<rocksdb::ColumnFamilyHandle*>;
using Owner = std::unique_ptr<DB>;

DB* opened_database(DB* const* db) {
  return *db;
}
DB* opened_database(const Owner* db) {
  return db->get();
}

DBOptions* prepare(const Api& agent, const DBOptions& options, Class as) {
  return agent.prepare(options, as != Class::kWritable);
}
Options* prepare(const Api& agent, const Options& options, Class /*as*/) {
  return agent.prepare_all(options);
}
void discard(const Api& agent, DBOptions* prepared) {
  agent.discard(prepared);
}
void discard(const Api& agent, Options* prepared) {
  agent.discard_all(prepared);
}

// `call` passes the options that it is given, and the host's other arguments, to the real function.
template <class Function, class AnyOptions, class Out, class Call>
Status open(const Site& site, Class as, const AnyOptions& options, const std::string& path,
            const Handles* handles, Out* out, Call call) {
  auto* const function = rocktune::preload::real_as<Function*>(site);
  if (function == nullptr) return Status::NotSupported();  // nobody to call: it cannot be
  const Api* const agent = rocktune::preload::api_for(reinterpret_cast<const void*>(function));
  if (agent == nullptr) return call(function, options);
  AnyOptions* const prepared = prepare(*agent, options, as);
  const AnyOptions* const with = prepared == nullptr ? &options : prepared;
  Status status = call(function, *with);
  if (prepared != nullptr) discard(*agent, prepared);
  if (status.ok()) {
    const char* const why_not =
        agent->opened(opened_database(out), handles, rocktune::preload::interposed(as));
    if (why_not != nullptr) rocktune::preload::say_why(path.c_str(), why_not);
  }
  return status;
}

// DBOptions, path, families, handles, db, flags.
template <class Out, class... Flags>
Status open_families(const Site& site, Class as, const DBOptions& options, const std::string& path,
                     const Descriptors& families, Handles* handles, Out* out, Flags... flags) {
  using Function =
      Status(const DBOptions&, const std::string&, const Descriptors&, Handles*, Out*, Flags...);
  return open<Function>(site, as, options, path, handles, out,
                        [&](Function* function, const DBOptions& with) {
                          return function(with, path, families, handles, out, flags...);
                        });
}

// DBOptions, path, another path, families, handles, db.
template <class Out>
Status open_beside(const Site& site, Class as, const DBOptions& options, const std::string& path,
                   const std::string& other_path, const Descriptors& families, Handles* handles,
                   Out* out) {
  using Function = Status(const DBOptions&, const std::string&, const std::string&,
                          const Descriptors&, Handles*, Out*);
  return open<Function>(site, as, options, path, handles, out,
                        [&](Function* function, const DBOptions& with) {
                          return function(with, path, other_path, families, handles, out);
                        });
}

template <class Out>
Status open_compacted(const Site& site, const Options& options, const std::string& path, Out* out) {
  using Function = Status(const Options&, const std::string&, Out*);
  return open<Function>(
      site, Class::kCompacted, options, path, nullptr, out,
      [&](Function* function, const Options& with) { return function(with, path, out); });
}

}  // namespace

// Where the function that this is written in was called from.
#define ROCKTUNE_SITE(function, symbol) \
  {symbol, ROCKTUNE_ADDRESS(function), __builtin_return_address(0)}

extern "C++" {
ROCKTUNE_INTERPOSED Status rocktune_open_with_pointer(const DBOptions&, const std::string&,
                                                      const Descriptors&, Handles*, DB**, bool,
                                                      bool) __asm__(OPEN_WITH_POINTER);
ROCKTUNE_INTERPOSED Status rocktune_open_with_retry(const DBOptions&, const std::string&,
                                                    const Descriptors&, Handles*, DB**, bool, bool,
                                                    bool, bool*) __asm__(OPEN_WITH_RETRY);
ROCKTUNE_INTERPOSED Status rocktune_open_with_owner(const DBOptions&, const std::string&,
                                                    const Descriptors&, Handles*, Owner*, bool,
                                                    bool, bool, bool*) __asm__(OPEN_WITH_OWNER);
ROCKTUNE_INTERPOSED Status rocktune_read_only_with_pointer(const DBOptions&, const std::string&,
                                                           const Descriptors&, Handles*, DB**,
                                                           bool) __asm__(READ_ONLY_WITH_POINTER);
ROCKTUNE_INTERPOSED Status rocktune_read_only_with_owner(const DBOptions&, const std::string&,
                                                         const Descriptors&, Handles*, Owner*,
                                                         bool) __asm__(READ_ONLY_WITH_OWNER);
ROCKTUNE_INTERPOSED Status rocktune_compacted_with_pointer(const Options&, const std::string&,
                                                           DB**) __asm__(COMPACTED_WITH_POINTER);
ROCKTUNE_INTERPOSED Status rocktune_compacted_with_owner(const Options&, const std::string&,
                                                         Owner*) __asm__(COMPACTED_WITH_OWNER);
ROCKTUNE_INTERPOSED Status rocktune_secondary_with_pointer(const DBOptions&, const std::string&,
                                                           const std::string&, const Descriptors&,
                                                           Handles*,
                                                           DB**) __asm__(SECONDARY_WITH_POINTER);
ROCKTUNE_INTERPOSED Status rocktune_secondary_with_owner(const DBOptions&, const std::string&,
                                                         const std::string&, const Descriptors&,
                                                         Handles*,
                                                         Owner*) __asm__(SECONDARY_WITH_OWNER);
ROCKTUNE_INTERPOSED Status rocktune_follower_with_owner(const DBOptions&, const std::string&,
                                                        const std::string&, const Descriptors&,
                                                        Handles*,
                                                        Owner*) __asm__(FOLLOWER_WITH_OWNER);
}

Status rocktune_open_with_pointer(const DBOptions& options, const std::string& path,
                                  const Descriptors& families, Handles* handles, DB** db,
                                  bool seq_per_batch, bool batch_per_txn) {
  return open_families(ROCKTUNE_SITE(rocktune_open_with_pointer, OPEN_WITH_POINTER),
                       Class::kWritable, options, path, families, handles, db, seq_per_batch,
                       batch_per_txn);
}

Status rocktune_open_with_retry(const DBOptions& options, const std::string& path,
                                const Descriptors& families, Handles* handles, DB** db,
                                bool seq_per_batch, bool batch_per_txn, bool is_retry,
                                bool* can_retry) {
  return open_families(ROCKTUNE_SITE(rocktune_open_with_retry, OPEN_WITH_RETRY), Class::kWritable,
                       options, path, families, handles, db, seq_per_batch, batch_per_txn, is_retry,
                       can_retry);
}

Status rocktune_open_with_owner(const DBOptions& options, const std::string& path,
                                const Descriptors& families, Handles* handles, Owner* db,
                                bool seq_per_batch, bool batch_per_txn, bool is_retry,
                                bool* can_retry) {
  return open_families(ROCKTUNE_SITE(rocktune_open_with_owner, OPEN_WITH_OWNER), Class::kWritable,
                       options, path, families, handles, db, seq_per_batch, batch_per_txn, is_retry,
                       can_retry);
}

Status rocktune_read_only_with_pointer(const DBOptions& options, const std::string& path,
                                       const Descriptors& families, Handles* handles, DB** db,
                                       bool error_if_wal_file_exists) {
  return open_families(ROCKTUNE_SITE(rocktune_read_only_with_pointer, READ_ONLY_WITH_POINTER),
                       Class::kReadOnly, options, path, families, handles, db,
                       error_if_wal_file_exists);
}

Status rocktune_read_only_with_owner(const DBOptions& options, const std::string& path,
                                     const Descriptors& families, Handles* handles, Owner* db,
                                     bool error_if_wal_file_exists) {
  return open_families(ROCKTUNE_SITE(rocktune_read_only_with_owner, READ_ONLY_WITH_OWNER),
                       Class::kReadOnly, options, path, families, handles, db,
                       error_if_wal_file_exists);
}

Status rocktune_compacted_with_pointer(const Options& options, const std::string& path, DB** db) {
  return open_compacted(ROCKTUNE_SITE(rocktune_compacted_with_pointer, COMPACTED_WITH_POINTER),
                        options, path, db);
}

Status rocktune_compacted_with_owner(const Options& options, const std::string& path, Owner* db) {
  return open_compacted(ROCKTUNE_SITE(rocktune_compacted_with_owner, COMPACTED_WITH_OWNER), options,
                        path, db);
}

Status rocktune_secondary_with_pointer(const DBOptions& options, const std::string& path,
                                       const std::string& secondary_path,
                                       const Descriptors& families, Handles* handles, DB** db) {
  return open_beside(ROCKTUNE_SITE(rocktune_secondary_with_pointer, SECONDARY_WITH_POINTER),
                     Class::kSecondary, options, path, secondary_path, families, handles, db);
}

Status rocktune_secondary_with_owner(const DBOptions& options, const std::string& path,
                                     const std::string& secondary_path, const Descriptors& families,
                                     Handles* handles, Owner* db) {
  return open_beside(ROCKTUNE_SITE(rocktune_secondary_with_owner, SECONDARY_WITH_OWNER),
                     Class::kSecondary, options, path, secondary_path, families, handles, db);
}

Status rocktune_follower_with_owner(const DBOptions& options, const std::string& path,
                                    const std::string& leader_path, const Descriptors& families,
                                    Handles* handles, Owner* db) {
  return open_beside(ROCKTUNE_SITE(rocktune_follower_with_owner, FOLLOWER_WITH_OWNER),
                     Class::kFollower, options, path, leader_path, families, handles, db);
}
