#include "agent/include/rocktune/agent.h"

#include <utility>

#include "agent/fork_guard.h"
#include "agent/process.h"

namespace rocktune {
namespace {

class Attached final : public Agent::Attachment {
 public:
  Attached() = default;
  ~Attached() override { agent::detach(database_); }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  [[nodiscard]] std::string id() const override {
    return database_ ? database_->description().id : std::string();
  }
  // In a forked child the agent's locks may be held by threads that it does not have.
  void forget(rocksdb::ColumnFamilyHandle* handle) noexcept override try {
    if (database_ && !agent::in_child()) database_->forget(handle);
  } catch (...) {  // no memory
  }
  void add(rocksdb::ColumnFamilyHandle* handle) noexcept override try {
    if (database_ && handle != nullptr && !agent::in_child()) database_->add(handle);
  } catch (...) {
  }

  void take(std::shared_ptr<agent::Database> database) noexcept { database_ = std::move(database); }

 private:
  std::shared_ptr<agent::Database> database_;
};

}  // namespace

std::unique_ptr<Agent::Attachment> Agent::attach(
    rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  auto attached = std::make_unique<Attached>();  // first: nothing may fail once the database is in
  attached->take(agent::attach(db, handles));
  return attached;
}

std::string Agent::status() {
  return agent::status();
}

}  // namespace rocktune
