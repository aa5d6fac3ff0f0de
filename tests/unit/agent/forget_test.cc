// What is left of a column family's objects once it is forgotten: nothing, whoever used them.
#include <rocksdb/table.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "agent/database.h"
#include "agent/families.h"
#include "agent/gate.h"
#include "agent/lent.h"
#include "agent/object_knobs.h"
#include "agent/shared_objects.h"
#include "tests/unit/agent/test_database.h"

namespace rocktune::agent {
namespace {

using namespace std::chrono_literals;
using testing::TestDatabase;

// A column family with a table factory and a block cache of its own, both of which the host keeps.
struct Guest {
  TestDatabase& host;
  std::shared_ptr<rocksdb::Cache> cache = rocksdb::NewLRUCache(8 << 20);
  std::shared_ptr<rocksdb::TableFactory> factory;
  rocksdb::ColumnFamilyHandle* handle = nullptr;

  Guest(TestDatabase& where, const std::string& name) : host(where) {
    rocksdb::BlockBasedTableOptions table;
    table.block_cache = cache;
    factory.reset(rocksdb::NewBlockBasedTableFactory(table));
    rocksdb::ColumnFamilyOptions options;
    options.table_factory = factory;
    REQUIRE(host.db->CreateColumnFamily(options, name, &handle).ok());
  }
  ~Guest() {
    static_cast<void>(host.db->DropColumnFamily(handle));
    static_cast<void>(host.db->DestroyColumnFamilyHandle(handle));
  }
  Guest(const Guest&) = delete;
  Guest& operator=(const Guest&) = delete;

  // Of the table factory and of the cache.
  [[nodiscard]] std::pair<long, long> references() const {
    return {factory.use_count(), cache.use_count()};
  }
};

TEST_CASE("an object that is lent is waited for, and then gone") {
  const auto object = std::make_shared<int>(5);
  Lent<int> lent(object);
  std::optional<Lent<int>::Use> use(std::in_place, lent);
  REQUIRE(*use);
  CHECK(**use == 5);
  std::atomic<bool> ended{false};
  std::thread host([&] {
    lent.end();
    ended = true;
  });
  while (lent.use()) std::this_thread::yield();  // until the end has begun
  CHECK_FALSE(ended);
  CHECK(object.use_count() == 2);
  use.reset();
  host.join();
  CHECK(object.use_count() == 1);
  lent.end();
}

TEST_CASE("a forget waits for who has the column family's options, and no copy of them is left") {
  TestDatabase host;
  const Guest guest(host, "guest");
  const auto before = guest.references();
  Families families(host.db.get(), {guest.handle}, std::chrono::steady_clock::now);
  const auto family = families.find(guest.handle);
  REQUIRE(family);
  std::optional<Family::Options::Borrowed> copy(std::in_place, family->options(),
                                                Freshness::kFresh);
  REQUIRE(*copy);
  CHECK(guest.references() > before);
  std::atomic<bool> forgotten{false};
  std::thread other([&] {
    families.forget(guest.handle);
    forgotten = true;
  });
  while (family->options().get(Freshness::kCached)) std::this_thread::yield();
  CHECK_FALSE(forgotten);
  CHECK_FALSE(family->use());  // nobody new gets in while it waits
  CHECK(family->options().get(Freshness::kFresh).version() == 0);
  copy.reset();
  other.join();
  CHECK(guest.references() == before);
}

TEST_CASE("a forget does not wait for who uses another column family") {
  TestDatabase host;
  const Guest guest(host, "guest");
  Families families(host.db.get(), {guest.handle, host.handles[1]}, std::chrono::steady_clock::now);
  const auto other = families.find(host.handles[1]);
  const auto used = other->use();
  const auto copy = other->options().get(Freshness::kCached);
  REQUIRE(used);
  REQUIRE(copy);
  families.forget(guest.handle);
  CHECK_FALSE(families.find(guest.handle));
}

TEST_CASE("a new copy of the options has a new version") {
  std::chrono::steady_clock::time_point now{1000s};
  OptionsCache<int> cache([] { return std::make_shared<const int>(7); }, [&] { return now; });
  const auto first = cache.get(Freshness::kCached).version();
  CHECK(first > 0);
  CHECK(cache.get(Freshness::kCached).version() == first);
  CHECK(cache.get(Freshness::kFresh).version() != first);
  now += 2s;
  CHECK(cache.get(Freshness::kCached).version() == first + 2);
}

TEST_CASE("a request that has a copy of an ended group changes nothing and holds no cache") {
  const auto cache = rocksdb::NewLRUCache(64 << 20);
  const auto group = std::make_shared<CacheGroup>(cache, "guest");
  auto* const knob = group->find("block_cache_capacity_bytes");
  REQUIRE(knob->read().value == 64 << 20);
  group->end();
  CHECK(cache.use_count() == 1);
  cache->SetCapacity(32 << 20);
  CHECK(knob->read().value == 64 << 20);  // the last one
  CHECK(knob->read().generation == KnobState::kNoGeneration);
  CHECK_FALSE(knob->why_not_changeable().empty());
  Batch batch{{knob, 16 << 20, {}, {}, false}};
  apply(*group, batch, 1);
  CHECK(batch[0].result.status == "refused");
  CHECK(give_back(*group, {knob}, 1, true)[0].result.status == "unchanged");
  CHECK(cache->GetCapacity() == 32 << 20);
}

TEST_CASE("what is remembered of an object goes with the last group, unless it is changed") {
  const auto cache = rocksdb::NewLRUCache(64 << 20);
  const auto set = [&](CacheGroup& group, std::int64_t capacity) {
    Batch batch{{group.find("block_cache_capacity_bytes"), capacity, {}, {}, false}};
    apply(group, batch, 1);
    REQUIRE(batch[0].result.status == "applied");
  };
  const auto found = [](CacheGroup& group) {
    auto* const knob = group.find("block_cache_capacity_bytes");
    const auto reading = knob->read();
    return knob->state().observe(reading.value, reading.generation).found;
  };
  {
    CacheGroup first(cache, "first");
    CacheGroup second(cache, "second");
    CHECK(found(first) == 64 << 20);
    set(first, 32 << 20);
    first.end();
    CHECK(found(second) == 64 << 20);
    second.end();
  }
  {
    CacheGroup again(cache, "again");  // the first one left it changed
    CHECK(found(again) == 64 << 20);
    set(again, 64 << 20);
    again.end();
  }
  cache->SetCapacity(16 << 20);
  CacheGroup last(cache, "last");
  CHECK(found(last) == 16 << 20);
  last.end();
  CHECK(cache.use_count() == 1);
}

TEST_CASE("a handle that goes while a close waits for a request leaves nothing behind") {
  TestDatabase host;
  const Guest guest(host, "guest");
  const auto before = guest.references();
  const auto found = host.db->GetOptions(guest.handle).write_buffer_size;
  Database database(host.db.get(), host.handles, 7, false, std::chrono::steady_clock::now);
  database.add(guest.handle);
  REQUIRE(database.control().take_lease({"me", 60, "restore", {}}).has_value());
  const auto changed = database.control().apply(
      {"me",
       {{"1", "write_buffer_size", "guest", std::int64_t{8} << 20, {}},
        {"2", "block_cache_capacity_bytes", "guest", std::int64_t{4} << 20, {}}}});
  REQUIRE(changed.has_value());
  for (const auto& result : changed->results) {
    INFO(result.reason);
    REQUIRE(result.status == "applied");
  }

  auto request = std::unique_ptr<const Gate::Pass>(new Gate::Pass(database.pass()));
  std::thread closing([&] { database.close(); });
  while (database.pass()) std::this_thread::yield();  // until the close has begun
  std::atomic<bool> forgotten{false};
  std::pair<long, long> after;
  std::size_t left = 0;
  std::thread forgetting([&] {
    database.forget(guest.handle);
    after = guest.references();
    left = host.db->GetOptions(guest.handle).write_buffer_size;
    forgotten = true;
  });
  for (int i = 0; i < 10000 && !forgotten; ++i) std::this_thread::yield();
  CHECK_FALSE(forgotten);  // the request may be using them
  request.reset();
  forgetting.join();
  closing.join();
  CHECK(after == before);
  CHECK(left == found);
  CHECK(guest.cache->GetCapacity() == 8 << 20);
}

TEST_CASE("what column families share stays changed while one of them is there") {
  TestDatabase host;
  const Guest one(host, "one");
  rocksdb::ColumnFamilyOptions options;
  options.table_factory = one.factory;
  rocksdb::ColumnFamilyHandle* two = nullptr;
  REQUIRE(host.db->CreateColumnFamily(options, "two", &two).ok());
  Database database(host.db.get(), host.handles, 7, false, std::chrono::steady_clock::now);
  database.add(one.handle);
  database.add(two);
  REQUIRE(database.control().take_lease({"me", 60, "restore", {}}).has_value());
  const auto block_size = [&](rocksdb::ColumnFamilyHandle* handle) {
    return host.db->GetOptions(handle)
        .table_factory->GetOptions<rocksdb::BlockBasedTableOptions>()
        ->block_size;
  };
  const auto found = block_size(two);
  const auto changed =
      database.control().apply({"me",
                                {{"1", "block_size", "one", 16384, {}},
                                 {"2", "block_size", "two", 16384, {}},
                                 {"3", "block_cache_capacity_bytes", "one", 4 << 20, {}}}});
  REQUIRE(changed.has_value());
  REQUIRE(block_size(two) == 16384);
  REQUIRE(one.cache->GetCapacity() == 4 << 20);
  database.forget(one.handle);
  CHECK(block_size(two) == 16384);
  CHECK(one.cache->GetCapacity() == 4 << 20);
  database.forget(two);
  CHECK(block_size(two) == found);
  CHECK(one.cache->GetCapacity() == 8 << 20);
  REQUIRE(host.db->DestroyColumnFamilyHandle(two).ok());
  database.close();
}

TEST_CASE("while it is polled, a forgotten column family leaves no reference behind") {
  TestDatabase host;
  Database database(host.db.get(), host.handles, 7, false, std::chrono::steady_clock::now);
  std::atomic<bool> stop{false};
  std::atomic<int> rounds{0};
  const auto again_and_again = [&](auto&& read) {
    return std::thread([&, read] {
      while (!stop) {
        read();
        ++rounds;
      }
    });
  };
  std::vector<std::thread> readers;
  readers.push_back(again_and_again([&] {
    static_cast<void>(database.sampler().take());
    static_cast<void>(database.sampler().options());
  }));
  readers.push_back(again_and_again([&] { static_cast<void>(database.control().catalogue()); }));
  readers.push_back(again_and_again([&] { static_cast<void>(database.control().describe()); }));
  for (int i = 0; i < 30; ++i) {
    const Guest guest(host, "guest");
    const auto before = guest.references();
    database.add(guest.handle);
    for (const int enough = rounds + i % 5; rounds < enough;) std::this_thread::yield();
    database.forget(guest.handle);
    CHECK(guest.references() == before);
    for (const int later = rounds + 3; rounds < later;) std::this_thread::yield();
    CHECK(guest.references() == before);
  }
  stop = true;
  for (auto& reader : readers) reader.join();
  database.close();
}

}  // namespace
}  // namespace rocktune::agent
