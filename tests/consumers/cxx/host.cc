// A C++ program with a database that links the agent. usage: host PATH
//
// Says "open", then waits for a line on its standard input, closes, says "ok" and ends.
#include <rocksdb/db.h>
#include <rocksdb/version.h>
#include <rocktune/agent.h>

#include <cstdio>
#include <iostream>
#include <memory>
#include <string>

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  rocksdb::Options options;
  options.create_if_missing = true;
  rocktune::prepare(options);
#if ROCKSDB_MAJOR >= 11
  std::unique_ptr<rocksdb::DB> db;
  const auto status = rocksdb::DB::Open(options, argv[1], &db);
#else
  rocksdb::DB* opened = nullptr;
  const auto status = rocksdb::DB::Open(options, argv[1], &opened);
  std::unique_ptr<rocksdb::DB> db(opened);
#endif
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  auto attachment = rocktune::Agent::attach(db.get());
  if (!db->Put({}, "key", "value").ok()) return 1;
  std::cout << "open" << std::endl;
  std::string line;
  std::getline(std::cin, line);
  attachment.reset();
  db.reset();
  std::cout << "ok" << std::endl;
  return 0;
}
