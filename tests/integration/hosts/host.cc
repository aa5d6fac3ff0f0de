// usage: host FORM PATH [COUNT]     a program with a database, opened in the form that is asked for
//
// Says "open" when it is, then does what it is told on standard input, a line each, and answers
// "ok": "read", "fill MIB" (over the same keys, flushed), "compact" (begins, of all), "create
// NAME", "create2 NAME NAME", "drop NAME" (and destroy the handle), "close" (with DB::Close before
// the database is deleted), "end" (deleted only), "fork" (a child opens it to be read, and ends).
// At the end of the input it ends without closing anything, through exit(). COUNT databases are
// opened side by side, at PATH0, PATH1 and so on.
//
// Compiled twice: plain, for LD_PRELOAD, and as a host that links the agent (ROCKTUNE_LINKED).
#include <rocksdb/version.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "tests/integration/hosts/forms.h"

#ifdef ROCKTUNE_LINKED
#include <rocktune/agent.h>
#endif

namespace rocktune::testing {

void before_open([[maybe_unused]] rocksdb::DBOptions& options) {
#ifdef ROCKTUNE_LINKED
  rocktune::prepare(options);
#endif
}

namespace {

class Database {
 public:
  explicit Database(Opened opened) : opened_(std::move(opened)) {
#ifdef ROCKTUNE_LINKED
    attachment_ = Agent::attach(opened_.db.get(), opened_.handles);
#endif
  }

  void read() const {
    std::string value;
    const auto status = opened_.db->Get({}, "key7", &value);
    if (!status.IsNotFound()) must(status, "Get");
  }
  void fill(int mebibytes) const {
    std::string value(1 << 20, '\0');
    for (int i = 0; i < mebibytes; ++i) {
      for (char& byte : value) byte = static_cast<char>(random_());  // nothing to compress
      must(opened_.db->Put({}, "fill" + std::to_string(i), value), "Put");
    }
    must(opened_.db->Flush({}), "Flush");
  }
  void compact() const {
    std::thread([db = opened_.db.get()] { db->CompactRange({}, nullptr, nullptr); }).detach();
  }
  void create(const std::string& name) {
    Handle* handle = nullptr;
    must(opened_.db->CreateColumnFamily({}, name, &handle), "CreateColumnFamily");
    adopt(handle);
  }
  void create(const std::vector<std::string>& names) {
    std::vector<Handle*> handles;
    must(opened_.db->CreateColumnFamilies(rocksdb::ColumnFamilyOptions(), names, &handles),
         "CreateColumnFamilies");
    for (auto* const handle : handles) adopt(handle);
  }
  void drop(const std::string& name) {
    for (auto*& handle : opened_.handles) {
      if (handle->GetName() != name) continue;
      must(opened_.db->DropColumnFamily(handle), "DropColumnFamily");
      std::swap(handle, opened_.handles.back());
      return destroy_last();
    }
    std::fprintf(stderr, "no handle for %s\n", name.c_str());
    std::exit(1);
  }
  void end(bool close_first) {
#ifdef ROCKTUNE_LINKED
    attachment_.reset();
#endif
    while (!opened_.handles.empty()) destroy_last();
    if (close_first) must(opened_.db->Close(), "Close");
    opened_.db.reset();
  }
  void open_in_child() const {
    const pid_t child = ::fork();
    if (child == 0) {
      static_cast<void>(open_form("read_only", opened_.db->GetName()).db.release());
      ::_exit(0);
    }
    int status = 1;
    if (::waitpid(child, &status, 0) != child || status != 0) {
      std::fprintf(stderr, "the child ended with %d\n", status);
      std::exit(1);
    }
  }
  void leave_open() { static_cast<void>(opened_.db.release()); }

 private:
  void adopt(Handle* handle) {
    opened_.handles.push_back(handle);
#ifdef ROCKTUNE_LINKED
    attachment_->add(handle);
#endif
  }
  void destroy_last() {
    auto* const handle = opened_.handles.back();
    opened_.handles.pop_back();
#ifdef ROCKTUNE_LINKED
    if (attachment_) attachment_->forget(handle);
#endif
    must(opened_.db->DestroyColumnFamilyHandle(handle), "DestroyColumnFamilyHandle");
  }

  Opened opened_;
  mutable std::minstd_rand random_;
#ifdef ROCKTUNE_LINKED
  std::unique_ptr<Agent::Attachment> attachment_;
#endif
};

void obey(const std::string& line, std::vector<Database>& databases) {
  std::istringstream words(line);
  std::string verb;
  std::string name;
  words >> verb >> name;
  for (auto& database : databases) {
    if (verb == "read") {
      database.read();
    } else if (verb == "fill") {
      database.fill(std::stoi(name));
    } else if (verb == "compact") {
      database.compact();
    } else if (verb == "create") {
      database.create(name);
    } else if (verb == "create2") {
      std::string other;
      words >> other;
      database.create(std::vector<std::string>{name, other});
    } else if (verb == "drop") {
      database.drop(name);
    } else if (verb == "fork") {
      database.open_in_child();
    } else if (verb == "close" || verb == "end") {
      database.end(verb == "close");
    } else {
      std::fprintf(stderr, "no command '%s'\n", verb.c_str());
      std::exit(2);
    }
  }
  if (verb == "close" || verb == "end") databases.clear();
}

int run(const std::string& form, const std::string& path, int count) {
  std::vector<Database> databases;
  for (int i = 0; i < count; ++i) {
    const auto place = count == 1 ? path : path + std::to_string(i);
    if (form != "ttl") make_database(place, form == "compacted");  // that one has values of its own
    databases.emplace_back(open_form(form, place));
  }
  std::cout << "open" << std::endl;
  for (std::string line; std::getline(std::cin, line);) {
    obey(line, databases);
    std::cout << "ok" << std::endl;
  }
  for (auto& database : databases) database.leave_open();
#ifdef ROCKTUNE_LINKED
  // A linked host that ends without closing may leave its attachments as well: exit() stops the
  // agent.
  static_cast<void>(new std::vector<Database>(std::move(databases)));
#endif
  std::exit(0);
}

}  // namespace
}  // namespace rocktune::testing

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fprintf(stderr, "usage: %s FORM PATH [COUNT]\n", argv[0]);
    return 2;
  }
  return rocktune::testing::run(argv[1], argv[2], argc > 3 ? std::atoi(argv[3]) : 1);
}
