#include "agent/knob_groups.h"

#include <rocksdb/table.h>

#include <algorithm>
#include <ranges>
#include <utility>

#include "agent/database_knobs.h"
#include "agent/family_knobs.h"

namespace rocktune::agent {

std::shared_ptr<rocksdb::Cache> block_cache_of(const rocksdb::ColumnFamilyOptions& options) {
  if (!options.table_factory) return nullptr;
  const auto* table = options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
  return table == nullptr || table->no_block_cache ? nullptr : table->block_cache;
}

KnobGroups::KnobGroups(rocksdb::DB* db, std::shared_ptr<const Families> families, bool writable,
                       Clock clock)
    : db_(db), families_(std::move(families)), writable_(writable), clock_(std::move(clock)) {}

std::vector<KnobGroups::Group> KnobGroups::initial() {
  std::vector<Group> all;
  all.push_back(std::make_shared<LimiterGroup>(db_->GetDBOptions().rate_limiter, writable_));
  all.push_back(std::make_shared<DatabaseGroup>(db_, writable_, clock_));
  for (const auto& family : families_->all()) {
    for (auto& group : add(family)) all.push_back(std::move(group));
  }
  return all;
}

std::vector<KnobGroups::Group> KnobGroups::add(const Families::Pointer& family) {
  const std::lock_guard lock(mutex_);
  auto& groups = groups_[family];
  if (!groups.empty()) return {};
  if (auto cache = cache_of(family)) groups.push_back(std::move(cache));
  groups.push_back(std::make_shared<FamilyGroup>(db_, family, families_, writable_));
  return groups;
}

KnobGroups::Group KnobGroups::cache_of(const Families::Pointer& family) {
  const auto options = family->options().get(Freshness::kCached);  // until the group has the cache
  const auto cache = options ? block_cache_of(*options) : nullptr;
  const bool is_default = family->id() == 0;
  const auto has_it = [&](const auto& group) { return group->cache() == cache.get(); };
  if (!is_default && (!cache || std::ranges::any_of(caches_ | std::views::values, has_it))) {
    return nullptr;
  }
  return caches_[family] =
             std::make_shared<CacheGroup>(cache, is_default ? "" : family->name(), writable_);
}

std::vector<KnobGroups::Group> KnobGroups::remove(const Families::Pointer& family) {
  const std::lock_guard lock(mutex_);
  caches_.erase(family);
  auto found = groups_.extract(family);
  if (found.empty()) return {};
  return std::move(found.mapped());  // needs no memory, for want of which they would not be ended
}

std::vector<KnobGroups::Group> KnobGroups::orphans() {
  const std::lock_guard lock(mutex_);
  std::vector<Group> adopted;
  for (auto& [family, groups] : groups_) {
    if (auto cache = caches_.contains(family) ? nullptr : cache_of(family)) {
      groups.push_back(cache);
      adopted.push_back(std::move(cache));
    }
  }
  return adopted;
}

}  // namespace rocktune::agent
