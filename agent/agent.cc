#include "agent/include/rocktune/agent.h"

#include <utility>

#include "agent/process.h"

namespace rocktune {
namespace {

class Attached final : public Agent::Attachment {
 public:
  explicit Attached(std::shared_ptr<agent::Database> database) : database_(std::move(database)) {}
  ~Attached() override { agent::detach(database_); }
  Attached(const Attached&) = delete;
  Attached& operator=(const Attached&) = delete;

  [[nodiscard]] std::string id() const override {
    return database_ ? database_->description().id : std::string();
  }
  void forget(rocksdb::ColumnFamilyHandle* handle) override {
    if (database_) database_->forget(handle);
  }

 private:
  const std::shared_ptr<agent::Database> database_;
};

}  // namespace

std::unique_ptr<Agent::Attachment> Agent::attach(
    rocksdb::DB* db, const std::vector<rocksdb::ColumnFamilyHandle*>& handles) {
  return std::make_unique<Attached>(agent::attach(db, handles));
}

std::string Agent::status() {
  return agent::status();
}

}  // namespace rocktune
