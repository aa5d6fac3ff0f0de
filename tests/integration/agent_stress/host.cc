#include "tests/integration/agent_stress/host.h"

#include "tests/integration/agent_stress/check.h"
#include "tests/support/open_database.h"

namespace rocktune::stress {

Host::Host(const std::string& path) {
  rocksdb::DBOptions options;
  options.create_if_missing = true;
  options.create_missing_column_families = true;
  options.keep_log_file_num = 2;
  rocktune::prepare(options);
  const auto status = rocktune::testing::open_database(
      options, path, {{"default", {}}, {"second", {}}}, &handles, &db);
  check(status.ok(), status.ToString());
  max_background_jobs = db->GetDBOptions().max_background_jobs;
  attachment = rocktune::Agent::attach(db.get(), handles);
  check(!attachment->id().empty(), "not attached: " + rocktune::Agent::status());
}

void Host::put_and_get(rocksdb::ColumnFamilyHandle* family, int key) const {
  std::string value;
  const auto text = std::to_string(key);
  check(db->Put({}, family, text, std::string(100, 'v')).ok(), "Put");
  check(db->Get({}, family, text, &value).ok(), "Get");
}

void Host::work(int cycle) const {
  for (int i = 0; i < 20; ++i) {
    put_and_get(handles[static_cast<std::size_t>(i) % handles.size()], cycle * 20 + i);
  }
  if (cycle % 10 == 0) check(db->Flush({}, handles[1]).ok(), "Flush");
}

void Host::close(int cycle) {
  if (cycle % 2 == 0) {
    attachment->forget(handles[1]);
    check(db->DestroyColumnFamilyHandle(handles[1]).ok(), "DestroyColumnFamilyHandle");
    handles.pop_back();
  }
  attachment.reset();
  for (auto* const handle : handles) delete handle;
  handles.clear();
  if (cycle % 3 == 0) check(db->Close().ok(), "Close");
  db.reset();
}

}  // namespace rocktune::stress
