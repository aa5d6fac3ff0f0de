// librocktune_preload.so: sees the databases of a dynamically linked host open and close, without
// the host knowing. docs/adr/002-preload-sees-close.md says why these functions.
//
// Interposes DBImpl::Open, through which every writable open passes (DB::Open, TransactionDB::Open
// and the C API included), DBImpl::Close and the destructors. The host keeps the very object that
// RocksDB made. Whatever goes wrong here, the real function is called.
//
// Runs in every process that inherits LD_PRELOAD: until a database is opened it has done nothing.
// It links neither RocksDB nor the C++ library, has no constructor, and uses no exceptions.
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <rocksdb/status.h>
#include <rocksdb/version.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <memory>
#include <string>
#include <vector>

#include "agent/preload/api.h"

namespace rocksdb {
struct ColumnFamilyDescriptor;
}

#define ROCKTUNE_INTERPOSED __attribute__((visibility("default")))

// The mangled names. Open took DB** with two flags (7.x, 8.x), then two more parameters, then a
// unique_ptr<DB>* (11.x); a library has one of them.
#define OPEN_BEGINS                                                                    \
  "_ZN7rocksdb6DBImpl4OpenERKNS_9DBOptionsERKNSt7__cxx1112basic_stringIcSt11char_trai" \
  "tsIcESaIcEEERKSt6vectorINS_22ColumnFamilyDescriptorESaISD_EEPSC_IPNS_18ColumnFami"  \
  "lyHandleESaISJ_EE"
#define OPEN_WITH_POINTER OPEN_BEGINS "PPNS_2DBEbb"
#define OPEN_WITH_RETRY OPEN_BEGINS "PPNS_2DBEbbbPb"
#define OPEN_WITH_OWNER OPEN_BEGINS "PSt10unique_ptrINS_2DBESt14default_deleteISO_EEbbbPb"
#define DB_CLOSE "_ZN7rocksdb6DBImpl5CloseEv"
#define DB_DELETE "_ZN7rocksdb6DBImplD0Ev"
#define DB_DESTROY "_ZN7rocksdb6DBImplD1Ev"
#define HANDLE_DELETE "_ZN7rocksdb22ColumnFamilyHandleImplD0Ev"
#define HANDLE_DESTROY "_ZN7rocksdb22ColumnFamilyHandleImplD1Ev"
#define ROCKSDB_VERSION "_ZN7rocksdb23GetRocksVersionAsStringB5cxx11Eb"

namespace {

using rocksdb::DB;
using rocksdb::DBOptions;
using rocksdb::Status;
using Descriptors = std::vector<rocksdb::ColumnFamilyDescriptor>;
using Handles = std::vector<rocksdb::ColumnFamilyHandle*>;
using rocktune::preload::Api;

// Set once, when a database is opened and the agent is usable.
const Api* g_api = nullptr;
const Api* api() {
  return __atomic_load_n(&g_api, __ATOMIC_ACQUIRE);
}

// The handle of the library that contains `address`; release with dlclose. nullptr if unknown.
void* library_of(const void* address) {
  Dl_info info;
  link_map* map = nullptr;
  void** const out = reinterpret_cast<void**>(&map);
  if (dladdr1(address, &info, out, RTLD_DL_LINKMAP) == 0 || map == nullptr) return nullptr;
  return dlopen(map->l_name, RTLD_LAZY | RTLD_NOLOAD);
}

void* symbol_near(const void* address, const char* name) {
  void* const library = library_of(address);
  if (library == nullptr) return nullptr;
  void* const found = dlsym(library, name);
  dlclose(library);
  return found;
}

// The function that we stand before. Usually the next one in the global scope; if RocksDB was
// loaded into a local scope (a plugin), the one beside `origin`, an address in that library.
void* real(const char* name, const void* self, const void* origin) {
  void* found = dlsym(RTLD_NEXT, name);
  if (found == nullptr) found = symbol_near(origin, name);
  return found == self ? nullptr : found;
}

const void* vtable_of(const void* object) {
  return *static_cast<const void* const*>(object);
}

// The RocksDB that the host uses must be the one that the agent was built for.
bool is_our_version(const void* get_version) {
  using GetVersion = std::string (*)(bool);
  // Not destroyed: operator delete would be the only thing needed from the C++ library.
  union Text {
    explicit Text(GetVersion get) : string(get(true)) {}
    ~Text() {}
    std::string string;
  };
  GetVersion function = nullptr;
  memcpy(&function, &get_version, sizeof function);
  char ours[32];
  const int length = snprintf(ours, sizeof ours, "%d.%d.", ROCKSDB_MAJOR, ROCKSDB_MINOR);
  const Text theirs(function);
  return strncmp(theirs.string.c_str(), ours, static_cast<size_t>(length)) == 0;
}

// librocktune_agent.so from the directory of this library; never unloaded.
const Api* load_agent() {
  Dl_info self;
  if (dladdr(reinterpret_cast<const void*>(&load_agent), &self) == 0) return nullptr;
  const char* const slash = strrchr(self.dli_fname, '/');
  const int directory = slash == nullptr ? 0 : static_cast<int>(slash - self.dli_fname) + 1;
  char path[4096];
  const int length =
      snprintf(path, sizeof path, "%.*slibrocktune_agent.so", directory, self.dli_fname);
  if (length <= 0 || static_cast<size_t>(length) >= sizeof path) return nullptr;
  void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (library == nullptr) return nullptr;
  void* const symbol = dlsym(library, rocktune::preload::kApiSymbol);
  if (symbol == nullptr) return nullptr;
  rocktune::preload::GetApi get = nullptr;
  memcpy(&get, &symbol, sizeof get);
  return get();
}

const void* g_real_open = nullptr;  // input of load_once: what the first open stands before

void load_once() {
  const char* const mode = getenv("ROCKTUNE_AGENT_MODE");
  if (mode != nullptr && strcmp(mode, "off") == 0) return;
  const void* const version =
      symbol_near(__atomic_load_n(&g_real_open, __ATOMIC_ACQUIRE), ROCKSDB_VERSION);
  if (version == nullptr || !is_our_version(version)) return;
  const Api* const loaded = load_agent();
  // Another copy of RocksDB than the host's would have other globals: hands off.
  if (loaded == nullptr || loaded->rocksdb_anchor != version) return;
  __atomic_store_n(&g_api, loaded, __ATOMIC_RELEASE);
}

// No mutex: a child forked while another thread loads would wait for it for ever (pthread_once
// begins anew there).
const Api* api_for(const void* real_open) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  if (api() == nullptr) {
    const void* none = nullptr;
    __atomic_compare_exchange_n(&g_real_open, &none, real_open, false, __ATOMIC_ACQ_REL,
                                __ATOMIC_ACQUIRE);
    pthread_once(&once, load_once);
  }
  return api();
}

DB* opened_database(DB* const* db) {
  return *db;
}
DB* opened_database(const std::unique_ptr<DB>* db) {
  return db->get();
}

rocktune::preload::Interposed interposed();

// Every form of Open: complete the options, open, attach.
template <class Out, class... Rest>
Status open(const char* name, const void* self, const void* origin, const DBOptions& options,
            const std::string& path, const Descriptors& families, Handles* handles, Out* out,
            Rest... rest) {
  using Real =
      Status (*)(const DBOptions&, const std::string&, const Descriptors&, Handles*, Out*, Rest...);
  void* const found = real(name, self, origin);
  if (found == nullptr) return Status::NotSupported();  // nobody to call: it cannot be
  Real function = nullptr;
  memcpy(&function, &found, sizeof function);
  const Api* const agent = api_for(found);
  DBOptions* const prepared = agent == nullptr ? nullptr : agent->prepare(options);
  const DBOptions& used = prepared == nullptr ? options : *static_cast<const DBOptions*>(prepared);
  Status status = function(used, path, families, handles, out, rest...);
  if (prepared != nullptr) agent->discard(prepared);
  if (agent != nullptr && status.ok()) agent->opened(opened_database(out), handles, interposed());
  return status;
}

void destroy(const char* name, const void* self, void* object) {
  void* const found = real(name, self, vtable_of(object));
  if (found == nullptr) return;
  void (*function)(void*) = nullptr;
  memcpy(&function, &found, sizeof function);
  function(object);
}

}  // namespace

// A destructor and a member function take the object as their first argument, like these.
extern "C++" {
ROCKTUNE_INTERPOSED Status rocktune_open_with_pointer(const DBOptions&, const std::string&,
                                                      const Descriptors&, Handles*, DB**, bool,
                                                      bool) __asm__(OPEN_WITH_POINTER);
ROCKTUNE_INTERPOSED Status rocktune_open_with_retry(const DBOptions&, const std::string&,
                                                    const Descriptors&, Handles*, DB**, bool, bool,
                                                    bool, bool*) __asm__(OPEN_WITH_RETRY);
ROCKTUNE_INTERPOSED Status rocktune_open_with_owner(const DBOptions&, const std::string&,
                                                    const Descriptors&, Handles*,
                                                    std::unique_ptr<DB>*, bool, bool, bool,
                                                    bool*) __asm__(OPEN_WITH_OWNER);
ROCKTUNE_INTERPOSED Status rocktune_db_close(void*) __asm__(DB_CLOSE);
ROCKTUNE_INTERPOSED void rocktune_db_delete(void*) __asm__(DB_DELETE);
ROCKTUNE_INTERPOSED void rocktune_db_destroy(void*) __asm__(DB_DESTROY);
ROCKTUNE_INTERPOSED void rocktune_handle_delete(void*) __asm__(HANDLE_DELETE);
ROCKTUNE_INTERPOSED void rocktune_handle_destroy(void*) __asm__(HANDLE_DESTROY);
}

#define ADDRESS(function) reinterpret_cast<const void*>(&(function))

Status rocktune_open_with_pointer(const DBOptions& options, const std::string& path,
                                  const Descriptors& families, Handles* handles, DB** db,
                                  bool seq_per_batch, bool batch_per_txn) {
  return open(OPEN_WITH_POINTER, ADDRESS(rocktune_open_with_pointer), __builtin_return_address(0),
              options, path, families, handles, db, seq_per_batch, batch_per_txn);
}

Status rocktune_open_with_retry(const DBOptions& options, const std::string& path,
                                const Descriptors& families, Handles* handles, DB** db,
                                bool seq_per_batch, bool batch_per_txn, bool is_retry,
                                bool* can_retry) {
  return open(OPEN_WITH_RETRY, ADDRESS(rocktune_open_with_retry), __builtin_return_address(0),
              options, path, families, handles, db, seq_per_batch, batch_per_txn, is_retry,
              can_retry);
}

Status rocktune_open_with_owner(const DBOptions& options, const std::string& path,
                                const Descriptors& families, Handles* handles,
                                std::unique_ptr<DB>* db, bool seq_per_batch, bool batch_per_txn,
                                bool is_retry, bool* can_retry) {
  return open(OPEN_WITH_OWNER, ADDRESS(rocktune_open_with_owner), __builtin_return_address(0),
              options, path, families, handles, db, seq_per_batch, batch_per_txn, is_retry,
              can_retry);
}

Status rocktune_db_close(void* db) {
  if (const Api* const agent = api()) agent->closing(db);
  void* const found = real(DB_CLOSE, ADDRESS(rocktune_db_close), vtable_of(db));
  if (found == nullptr) return Status::NotSupported();
  Status (*function)(void*) = nullptr;
  memcpy(&function, &found, sizeof function);
  return function(db);
}

void rocktune_db_delete(void* db) {
  if (const Api* const agent = api()) agent->closing(db);
  destroy(DB_DELETE, ADDRESS(rocktune_db_delete), db);
}

void rocktune_db_destroy(void* db) {
  if (const Api* const agent = api()) agent->closing(db);
  destroy(DB_DESTROY, ADDRESS(rocktune_db_destroy), db);
}

void rocktune_handle_delete(void* handle) {
  if (const Api* const agent = api()) agent->handle_closing(handle);
  destroy(HANDLE_DELETE, ADDRESS(rocktune_handle_delete), handle);
}

void rocktune_handle_destroy(void* handle) {
  if (const Api* const agent = api()) agent->handle_closing(handle);
  destroy(HANDLE_DESTROY, ADDRESS(rocktune_handle_destroy), handle);
}

namespace {

rocktune::preload::Interposed interposed() {
  return {ADDRESS(rocktune_db_close), ADDRESS(rocktune_db_delete), ADDRESS(rocktune_db_destroy),
          ADDRESS(rocktune_handle_delete), ADDRESS(rocktune_handle_destroy)};
}

}  // namespace
