#include "agent/c_layout.h"

#include <dlfcn.h>
#include <rocksdb/c.h>
#include <rocksdb/env.h>
#include <rocksdb/utilities/stackable_db.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <unistd.h>

#include <array>
#include <memory>
#include <utility>

#include "agent/rocksdb_version.h"

namespace rocktune::agent {
namespace {

// A database that is none: it only notices that it is asked for a property.
class Listening final : public rocksdb::StackableDB {
 public:
  Listening() : StackableDB(static_cast<rocksdb::DB*>(nullptr)) {}

  using rocksdb::StackableDB::GetProperty;
  bool GetProperty(rocksdb::ColumnFamilyHandle* family, const rocksdb::Slice& /*property*/,
                   std::string* /*value*/) override {
    asked_ = true;
    family_ = family;
    return false;
  }
  rocksdb::ColumnFamilyHandle* DefaultColumnFamily() const override { return nullptr; }

  [[nodiscard]] bool asked() const { return asked_; }
  [[nodiscard]] const rocksdb::ColumnFamilyHandle* family() const { return family_; }

 private:
  bool asked_ = false;
  const rocksdb::ColumnFamilyHandle* family_ = nullptr;
};

// Wherever in a structure of this size RocksDB looks, it finds one of these databases.
constexpr std::size_t kWords = 16;

struct StandIn {
  StandIn() {
    for (std::size_t i = 0; i < kWords; ++i) words[i] = &databases[i];
  }
  // RocksDB looked into the first word and nowhere else.
  [[nodiscard]] bool first_was_asked() const {
    for (std::size_t i = 1; i < kWords; ++i) {
      if (databases[i].asked()) return false;
    }
    return databases[0].asked();
  }

  std::array<Listening, kWords> databases;
  std::array<rocksdb::DB*, kWords> words{};
};

template <class Type>
bool holds_database(char* (*property)(Type*, const char*)) {
  StandIn stand_in;
  ::free(property(reinterpret_cast<Type*>(stand_in.words.data()), "rocktune"));
  return stand_in.first_was_asked();
}

bool holds_handle() {
  StandIn database;
  std::array<char, kWords> targets{};  // to have different addresses
  std::array<char*, kWords> words{};
  for (std::size_t i = 0; i < kWords; ++i) words[i] = &targets[i];
  ::free(rocksdb_property_value_cf(reinterpret_cast<rocksdb_t*>(database.words.data()),
                                   reinterpret_cast<rocksdb_column_family_handle_t*>(words.data()),
                                   "rocktune"));
  return static_cast<const void*>(database.databases[0].family()) == words[0];
}

bool holds_options() {
  struct Padded {  // so that RocksDB reads nothing but this, should its Options lie further on
    rocksdb::Options options;
    std::array<char, 4096> after{};
  };
  const auto padded = std::make_unique<Padded>();
  constexpr int kFiles = 471147;  // nobody's defaults
  constexpr int kJobs = 2939;
  constexpr std::size_t kBuffer = 123454321;
  padded->options.max_open_files = kFiles;
  padded->options.max_background_jobs = kJobs;
  padded->options.write_buffer_size = kBuffer;
  auto* const theirs = reinterpret_cast<rocksdb_options_t*>(&padded->options);
  return rocksdb_options_get_max_open_files(theirs) == kFiles &&
         rocksdb_options_get_max_background_jobs(theirs) == kJobs &&
         rocksdb_options_get_write_buffer_size(theirs) == kBuffer;
}

std::string look() {
  if (const auto& problem = rocksdb_mismatch(); !problem.empty()) return problem;
  const char* other = nullptr;
  if (!holds_database(rocksdb_property_value)) other = "rocksdb_t";
  if (!holds_database(rocksdb_transactiondb_property_value)) other = "rocksdb_transactiondb_t";
  if (!holds_database(rocksdb_optimistictransactiondb_property_value)) {
    other = "rocksdb_optimistictransactiondb_t";
  }
  if (other == nullptr && !holds_handle()) other = "rocksdb_column_family_handle_t";
  if (other == nullptr && !holds_options()) other = "rocksdb_options_t";
  if (other == nullptr) return {};
  return std::string(other) +
         " of this RocksDB's C API is not what this agent knows: use the C++ API";
}

// Where the virtual functions of an object are: in the library whose object it is. nullptr if that
// is no library, or `object` points to nothing that can be read.
const void* library_of(const void* object) {
  const void* table = nullptr;
  const iovec to{&table, sizeof table};
  const iovec from{const_cast<void*>(object), sizeof table};
  if (::process_vm_readv(::getpid(), &to, 1, &from, 1, 0) != sizeof table) return nullptr;
  Dl_info info{};
  return ::dladdr(table, &info) == 0 ? nullptr : info.dli_fbase;
}

// The stock environment's class is RocksDB's own, hence its table is where the library is. nullptr
// in a program that is linked statically as a whole: there is no other copy then.
const void* our_library() {
  Dl_info info{};
  const void* const table = *reinterpret_cast<const void* const*>(rocksdb::Env::Default());
  return ::dladdr(table, &info) == 0 ? nullptr : info.dli_fbase;
}

constexpr char kForeign[] =
    "this is of another copy of RocksDB than the one that the agent is linked with: link "
    "librocktune_agent.a into the program that has RocksDB inside";

template <class Type>
Type* first_word(void* structure) {
  return *static_cast<Type**>(structure);
}

}  // namespace

const std::string& c_layout_problem() {
  static const auto* const problem = new std::string(look());
  return *problem;
}

std::string foreign_problem(const rocksdb::DB* db) {
  const void* const library = our_library();
  if (library == nullptr) return {};
  Dl_info info{};
  const void* const table = *reinterpret_cast<const void* const*>(db);
  const bool ours = ::dladdr(table, &info) != 0 && info.dli_fbase == library;
  return ours ? std::string() : kForeign;
}

std::string foreign_problem(const rocksdb::Options& options) {
  const void* const library = our_library();
  if (library == nullptr || options.env == rocksdb::Env::Default()) return {};
  return library_of(options.env) == library ? std::string() : kForeign;
}

rocksdb::Options* inside(rocksdb_options_t* options) {
  return reinterpret_cast<rocksdb::Options*>(options);
}
rocksdb::DB* inside(rocksdb_t* db) {
  return first_word<rocksdb::DB>(db);
}
// TransactionDB and OptimisticTransactionDB derive singly from DB: a pointer to one is the same.
rocksdb::DB* inside(rocksdb_transactiondb_t* db) {
  return first_word<rocksdb::DB>(db);
}
rocksdb::DB* inside(rocksdb_optimistictransactiondb_t* db) {
  return first_word<rocksdb::DB>(db);
}
rocksdb::ColumnFamilyHandle* inside(rocksdb_column_family_handle_t* handle) {
  return first_word<rocksdb::ColumnFamilyHandle>(handle);
}

}  // namespace rocktune::agent
