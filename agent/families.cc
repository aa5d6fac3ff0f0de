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

void Family::end() {
  gate_.close();  // first: to read the options takes the handle
  options_.end();
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
  const std::lock_guard lock(mutex_);
  const auto found = position_of(handle);
  return found == families_.end() ? nullptr : *found;
}

// Needs no memory, for want of which a handle would be used after its end.
void Families::forget(const rocksdb::ColumnFamilyHandle* handle) {
  Pointer family;
  {
    const std::lock_guard lock(mutex_);
    const auto found = position_of(handle);
    if (found == families_.end()) return;
    family = *found;
    families_.erase(found);
  }
  family->end();
}

// With the mutex held. The first one is the database's own.
std::vector<Families::Pointer>::const_iterator Families::position_of(
    const rocksdb::ColumnFamilyHandle* handle) const {
  return std::find_if(families_.begin() + 1, families_.end(),
                      [&](const Pointer& family) { return family->is(handle); });
}

void Families::end() {
  for (const auto& family : all()) family->end();
}

std::vector<Families::Pointer> Families::all() const {
  const std::lock_guard lock(mutex_);
  return families_;
}

}  // namespace rocktune::agent
