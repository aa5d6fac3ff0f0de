#include "bench/compare/directory.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <utility>

#include "bench/text_file.h"
#include "files/replace_file.h"
#include "wire/json_text.h"

namespace rocktune::bench {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kShared = "comparison.json";
constexpr const char* kRuns = "runs";

// What `shared` may hold, as people call it.
constexpr std::array<std::pair<const char*, const char*>, 14> kNames = {
    {{"scenario", "another scenario"},
     {"scenario_digest", "another text of the scenario"},
     {"scenario_parsed", "another workload, configuration or device that the scenario names"},
     {"full", "another size (--full)"},
     {"seconds", "another length (--seconds)"},
     {"seed", "another --seed"},
     {"device", "another --device"},
     {"traces", "with or without --traces"},
     {"policy", "another --policy"},
     {"recording", "another recording"},
     {"speed", "another --speed"},
     {"threads", "another number of --threads"},
     {"programs", "another build of the programs"},
     {"machine", "another machine"}}};

std::string file_of(const std::string& policy, std::int64_t repeat) {
  char number[32];
  std::snprintf(number, sizeof number, "-%03lld", static_cast<long long>(repeat));
  return policy + number;
}

// Missing, empty, a comparison's, or what a comparison that was stopped at once has left.
bool is_free_or_ours(const std::string& directory, const json& shared) {
  std::error_code error;
  const auto text = read_text_file(directory + "/" + kShared);
  if (text) {
    const json before = wire::parse_json<json>(*text);
    return before.is_object() && before.value("schema", json()) == shared.value("schema", json());
  }
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name != kLockFile && name != kRuns) return false;
  }
  return true;
}

std::string joined(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) text += (text.empty() ? "" : ", ") + part;
  return text;
}

// A comparison that was killed could not remove the copy that its run worked on.
void remove_leftovers(const std::string& directory) {
  std::error_code error;
  for (fs::directory_iterator entry(directory + "/trials", error), end; !error && entry != end;
       entry.increment(error)) {
    std::error_code ignored;
    fs::remove_all(entry->path() / "db", ignored);
    fs::remove_all(entry->path() / "db.device", ignored);
  }
}

Result<void> check_shared(const CompareDirectory& directory, const json& shared) {
  const std::string path = directory.path() + "/" + kShared;
  std::error_code error;
  if (!fs::exists(path, error)) return directory.write(kShared, shared.dump(2) + "\n");
  const auto text = read_text_file(path);
  if (!text) return tl::unexpected(text.error());
  const json before = wire::parse_json<json>(*text);
  if (!before.is_object()) return fail(ErrorCode::kCorrupt, path + ": is not a JSON object");
  const auto different = differences(before, shared);
  if (different.empty()) return {};
  return fail(ErrorCode::kConflict, directory.path() + " has runs made with " + joined(different) +
                                        ": they cannot be compared with new ones; take another "
                                        "--output");
}

}  // namespace

std::vector<std::string> differences(const json& before, const json& now) {
  std::vector<std::string> different;
  for (const auto& [key, name] : kNames) {
    if (before.value(key, json()) != now.value(key, json())) different.emplace_back(name);
  }
  return different;
}

Result<CompareDirectory> CompareDirectory::open(const std::string& path, const json& shared) {
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).lexically_normal().string();
  if (!is_free_or_ours(absolute, shared)) {
    return fail(ErrorCode::kConflict,
                absolute + " is not empty and holds no comparison: take another --output");
  }
  fs::create_directories(absolute + "/" + kRuns, error);
  if (error) return fail(ErrorCode::kIo, absolute + ": cannot be created: " + error.message());
  auto lock = DirectoryLock::take(absolute, "rocktune-bench compare");
  if (!lock) return tl::unexpected(lock.error());
  CompareDirectory directory(absolute, std::move(*lock));
  if (auto checked = check_shared(directory, shared); !checked) {
    return tl::unexpected(checked.error());
  }
  remove_leftovers(absolute);
  return directory;
}

bool CompareDirectory::has(const std::string& policy, std::int64_t repeat) const {
  std::error_code ignored;
  return fs::exists(path_ + "/runs/" + file_of(policy, repeat) + ".json", ignored);
}

Result<std::vector<FinishedRun>> CompareDirectory::runs() const {
  return finished_runs(path_);
}

Result<std::vector<FinishedRun>> finished_runs(const std::string& directory) {
  const std::string path = directory + "/" + kRuns;
  std::vector<FinishedRun> all;
  std::error_code error;
  for (fs::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() != ".json") continue;
    const auto text = read_text_file(entry->path().string());
    if (!text) return tl::unexpected(text.error());
    auto run = parse_finished_run(wire::parse_json<json>(*text));
    if (!run) {
      return tl::unexpected(run.error().within(entry->path().string() + " (remove it to repeat "
                                                                        "the run)"));
    }
    all.push_back(std::move(*run));
  }
  if (error) return fail(ErrorCode::kIo, path + ": " + error.message());
  std::sort(all.begin(), all.end(),
            [](const auto& a, const auto& b) { return a.sequence < b.sequence; });
  return all;
}

Result<void> CompareDirectory::add(FinishedRun run) {
  const auto before = runs();
  if (!before) return tl::unexpected(before.error());
  run.sequence = before->empty() ? 1 : before->back().sequence + 1;
  std::string name = "runs/" + file_of(run.run.policy, run.run.repeat);
  if (run.run.partial) name += ".partial-" + std::to_string(run.sequence);
  return write(name + ".json", finished_run_json(run).dump(1) + "\n");
}

Result<std::string> CompareDirectory::trial_directory(const std::string& name) const {
  std::string directory = path_ + "/trials/" + name;
  std::error_code error;
  fs::remove_all(directory, error);
  if (!error) fs::create_directories(path_ + "/trials", error);
  if (error) return fail(ErrorCode::kIo, directory + ": " + error.message());
  return directory;
}

Result<void> CompareDirectory::write(const std::string& name, const std::string& text) const {
  return replace_file(path_ + "/" + name, text);
}

}  // namespace rocktune::bench
