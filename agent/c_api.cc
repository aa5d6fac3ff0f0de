// rocktune/c.h on top of rocktune/agent.h.
#include <algorithm>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <utility>

#include "agent/c_layout.h"
#include "agent/include/rocktune/agent.h"
#include "agent/include/rocktune/c.h"
#include "agent/rocksdb_version.h"

struct rocktune_attachment_t {
  std::unique_ptr<rocktune::Agent::Attachment> attachment;
};

namespace rocktune {
namespace {

template <class Action>
rocktune_result_t guarded(Action action) noexcept try {
  return action();
} catch (...) {
  return ROCKTUNE_FAILED;
}

rocktune_result_t attach(rocksdb::DB* db, rocktune_attachment_t** attachment) {
  if (db == nullptr) return ROCKTUNE_INVALID;
  auto made = std::make_unique<rocktune_attachment_t>();
  made->attachment = Agent::attach(db);
  if (made->attachment->id().empty()) return ROCKTUNE_NOT_ATTACHED;
  *attachment = made.release();
  return ROCKTUNE_OK;
}

template <class Type>
rocktune_result_t attach_c(Type* db, rocktune_attachment_t** attachment) noexcept {
  if (attachment == nullptr) return ROCKTUNE_INVALID;
  *attachment = nullptr;
  if (db == nullptr) return ROCKTUNE_INVALID;
  return guarded([&] {
    if (!agent::c_layout_problem().empty()) return ROCKTUNE_INCOMPATIBLE;
    auto* const inner = agent::inside(db);
    if (inner == nullptr) return ROCKTUNE_INVALID;
    if (!agent::foreign_problem(inner).empty()) return ROCKTUNE_INCOMPATIBLE;
    return attach(inner, attachment);
  });
}

// `action` takes the attachment and the C++ handle; without an attachment there is nothing to do.
template <class Action>
rocktune_result_t with_handle(rocktune_attachment_t* attachment, void* handle,
                              Action action) noexcept {
  if (handle == nullptr) return ROCKTUNE_INVALID;
  if (attachment == nullptr) return ROCKTUNE_NOT_ATTACHED;
  return guarded([&] {
    action(*attachment->attachment, static_cast<rocksdb::ColumnFamilyHandle*>(handle));
    return ROCKTUNE_OK;
  });
}

// An attachment exists only after the layout was proved, or for a C++ object that was handed in.
void* unwrapped(rocksdb_column_family_handle_t* handle) noexcept try {
  if (handle == nullptr || !agent::c_layout_problem().empty()) return nullptr;
  return agent::inside(handle);
} catch (...) {
  return nullptr;
}

constexpr auto kAdd = [](Agent::Attachment& to, rocksdb::ColumnFamilyHandle* handle) {
  to.add(handle);
};
constexpr auto kForget = [](Agent::Attachment& to, rocksdb::ColumnFamilyHandle* handle) {
  to.forget(handle);
};

std::size_t copy(const std::string& from, char* text, std::size_t size) {
  if (text != nullptr && size > 0) {
    const auto length = std::min(size - 1, from.size());
    std::memcpy(text, from.data(), length);
    text[length] = '\0';
  }
  return from.size();
}

template <class Text>
std::size_t copy_result(Text make, char* text, std::size_t size) noexcept try {
  return copy(make(), text, size);
} catch (...) {
  if (text != nullptr && size > 0) *text = '\0';
  return 0;
}

}  // namespace
}  // namespace rocktune

extern "C" {

const char* rocktune_explain(rocktune_result_t result) {
  switch (result) {
    case ROCKTUNE_OK:
      return "done";
    case ROCKTUNE_INVALID:
      return "an argument is NULL that must not be";
    case ROCKTUNE_NOT_ATTACHED:
      return "not attached: the agent is off, or could not read the database";
    case ROCKTUNE_INCOMPATIBLE:
      try {
        const auto& problem = rocktune::agent::c_layout_problem();
        return problem.empty()
                   ? "the database is of another copy of RocksDB than the one that this "
                     "agent is linked with"
                   : problem.c_str();
      } catch (...) {
        return "this RocksDB is not the one that this agent was built for";
      }
    case ROCKTUNE_FAILED:
      return "out of memory";
  }
  return "no result of rocktune";
}

rocktune_result_t rocktune_prepare(rocksdb_options_t* options) {
  if (options == nullptr) return ROCKTUNE_INVALID;
  return rocktune::guarded([&] {
    if (!rocktune::agent::c_layout_problem().empty()) return ROCKTUNE_INCOMPATIBLE;
    auto& inner = *rocktune::agent::inside(options);
    if (!rocktune::agent::foreign_problem(inner).empty()) return ROCKTUNE_INCOMPATIBLE;
    rocktune::prepare(inner);
    return ROCKTUNE_OK;
  });
}

rocktune_result_t rocktune_attach(rocksdb_t* db, rocktune_attachment_t** attachment) {
  return rocktune::attach_c(db, attachment);
}

rocktune_result_t rocktune_attach_transactiondb(rocksdb_transactiondb_t* db,
                                                rocktune_attachment_t** attachment) {
  return rocktune::attach_c(db, attachment);
}

rocktune_result_t rocktune_attach_optimistictransactiondb(rocksdb_optimistictransactiondb_t* db,
                                                          rocktune_attachment_t** attachment) {
  return rocktune::attach_c(db, attachment);
}

rocktune_result_t rocktune_add(rocktune_attachment_t* attachment,
                               rocksdb_column_family_handle_t* handle) {
  return rocktune::with_handle(attachment, rocktune::unwrapped(handle), rocktune::kAdd);
}

rocktune_result_t rocktune_forget(rocktune_attachment_t* attachment,
                                  rocksdb_column_family_handle_t* handle) {
  return rocktune::with_handle(attachment, rocktune::unwrapped(handle), rocktune::kForget);
}

rocktune_result_t rocktune_prepare_cpp(void* db_options) {
  if (db_options == nullptr) return ROCKTUNE_INVALID;
  return rocktune::guarded([&] {
    if (!rocktune::agent::rocksdb_mismatch().empty()) return ROCKTUNE_INCOMPATIBLE;
    rocktune::prepare(*static_cast<rocksdb::DBOptions*>(db_options));
    return ROCKTUNE_OK;
  });
}

rocktune_result_t rocktune_attach_cpp(void* db, rocktune_attachment_t** attachment) {
  if (attachment == nullptr) return ROCKTUNE_INVALID;
  *attachment = nullptr;
  return rocktune::guarded([&] {
    if (!rocktune::agent::rocksdb_mismatch().empty()) return ROCKTUNE_INCOMPATIBLE;
    return rocktune::attach(static_cast<rocksdb::DB*>(db), attachment);
  });
}

rocktune_result_t rocktune_add_cpp(rocktune_attachment_t* attachment, void* handle) {
  return rocktune::with_handle(attachment, handle, rocktune::kAdd);
}

rocktune_result_t rocktune_forget_cpp(rocktune_attachment_t* attachment, void* handle) {
  return rocktune::with_handle(attachment, handle, rocktune::kForget);
}

void rocktune_detach(rocktune_attachment_t* attachment) {
  delete attachment;
}

size_t rocktune_id(const rocktune_attachment_t* attachment, char* text, size_t size) {
  return rocktune::copy_result(
      [&] { return attachment == nullptr ? std::string() : attachment->attachment->id(); }, text,
      size);
}

size_t rocktune_status(char* text, size_t size) {
  return rocktune::copy_result([] { return rocktune::Agent::status(); }, text, size);
}

}  // extern "C"
