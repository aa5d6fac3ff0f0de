// The databases that are attached now, by the id the wire knows them by.
//
// Thread-safety: all functions.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "agent/database.h"

namespace rocktune::agent {

class Registry {
 public:
  void add(std::shared_ptr<Database> database) {
    const std::lock_guard lock(mutex_);
    databases_[database->description().id] = std::move(database);
  }
  void remove(const std::string& id) {
    const std::lock_guard lock(mutex_);
    databases_.erase(id);
  }
  [[nodiscard]] std::shared_ptr<Database> find(const std::string& id) const {
    const std::lock_guard lock(mutex_);
    const auto it = databases_.find(id);
    return it == databases_.end() ? nullptr : it->second;
  }
  [[nodiscard]] std::vector<std::shared_ptr<Database>> all() const {
    const std::lock_guard lock(mutex_);
    std::vector<std::shared_ptr<Database>> list;
    list.reserve(databases_.size());
    for (const auto& [id, database] : databases_) list.push_back(database);
    return list;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, std::shared_ptr<Database>> databases_;
};

}  // namespace rocktune::agent
