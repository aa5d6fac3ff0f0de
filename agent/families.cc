#include "agent/families.h"

#include <algorithm>
#include <utility>

namespace rocktune::agent {

Family::Family(rocksdb::DB* db, rocksdb::ColumnFamilyHandle* handle, Clock clock)
    : name_(handle->GetName()),
      id_(handle->GetID()),
      handle_(handle),
      options_(
          [this, db]() -> Options::Copy {
            const auto used = use();
            if (!used) return nullptr;
            return std::make_shared<const rocksdb::ColumnFamilyOptions>(
                db->GetOptions(used.handle()));
          },
          std::move(clock)) {}

bool Family::is(const rocksdb::ColumnFamilyHandle* handle) {
  const std::shared_lock lock(mutex_);
  return handle_ == handle;
}

void Family::end() {
  {
    const std::unique_lock lock(mutex_);
    handle_ = nullptr;
  }
  options_.drop();
}

Families::Families(rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles,
                   Clock clock)
    : db_(db), clock_(std::move(clock)) {
  // The database's own handle lives until its close; the host's for the same column family may not.
  add(db_->DefaultColumnFamily());
  for (auto* const handle : handles) add(handle);
}

Families::Pointer Families::add(rocksdb::ColumnFamilyHandle* handle) {
  if (handle == nullptr) return nullptr;
  const std::lock_guard lock(mutex_);
  const bool known = std::ranges::any_of(
      families_, [&](const Pointer& family) { return family->id() == handle->GetID(); });
  if (known || families_.size() == kMost) return nullptr;
  return families_.emplace_back(std::make_shared<Family>(db_, handle, clock_));
}

Families::Pointer Families::find(const rocksdb::ColumnFamilyHandle* handle) const {
  if (handle == nullptr) return nullptr;
  const auto known = all();
  const auto found = std::find_if(known.begin() + 1, known.end(),
                                  [&](const Pointer& family) { return family->is(handle); });
  return found == known.end() ? nullptr : *found;
}

void Families::forget(const rocksdb::ColumnFamilyHandle* handle) {
  const auto family = find(handle);
  if (!family) return;
  {
    const std::lock_guard lock(mutex_);
    std::erase(families_, family);
  }
  family->end();
}

void Families::end() {
  for (const auto& family : all()) family->end();
}

std::vector<Families::Pointer> Families::all() const {
  const std::lock_guard lock(mutex_);
  return families_;
}

}  // namespace rocktune::agent
