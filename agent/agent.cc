#include "agent/include/rocktune/agent.h"

#include <utility>

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
  void forget(rocksdb::ColumnFamilyHandle* handle) override {
    if (database_) database_->forget(handle);
  }
  void add(rocksdb::ColumnFamilyHandle* handle) override {
    if (database_ && handle != nullptr) database_->add(handle);
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
