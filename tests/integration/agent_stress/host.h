// A database with the agent attached, as a host links it.
#pragma once

#include <rocksdb/db.h>
#include <rocktune/agent.h>

#include <memory>
#include <string>
#include <vector>

namespace rocktune::stress {

struct Host {
  std::unique_ptr<rocksdb::DB> db;
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  int max_background_jobs = 0;  // as it was opened, before anybody could change it
  std::unique_ptr<rocktune::Agent::Attachment> attachment;

  explicit Host(const std::string& path);
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  void put_and_get(rocksdb::ColumnFamilyHandle* family, int key) const;
  void work(int cycle) const;
  // In the orders that rocktune/agent.h allows, in turn.
  void close(int cycle);
};

}  // namespace rocktune::stress
