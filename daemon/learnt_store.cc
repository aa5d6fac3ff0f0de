#include "daemon/learnt_store.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdint>
#include <filesystem>
#include <vector>

#include "daemon/trace_directory.h"
#include "prior/prior.h"

namespace rocktune::daemon {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kLearntSuffix = ".yaml";

// FNV-1a: the same on every machine and in every version, unlike std::hash.
std::uint64_t fnv1a(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char c : text) {
    hash ^= static_cast<unsigned char>(c);
    hash *= 1099511628211U;
  }
  return hash;
}

std::string hex(std::uint64_t value) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::string out(16, '0');
  for (auto digit = out.rbegin(); digit != out.rend(); ++digit, value >>= 4) {
    *digit = kDigits[value & 15];
  }
  return out;
}

// As file_name() makes them: "<name>-<16 hex digits>.yaml". Other files are somebody else's.
bool is_learnt_file(const std::string& name) {
  constexpr std::size_t kDigits = 16;
  const std::size_t tail = kDigits + 1 + kLearntSuffix.size();
  if (name.size() < tail || !name.ends_with(kLearntSuffix)) return false;
  const std::string_view digits = std::string_view(name).substr(name.size() - tail + 1, kDigits);
  return name[name.size() - tail] == '-' &&
         digits.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

// About a file that cannot be used: it is replaced by the next that is saved.
constexpr const char* kNothingToDo = "";

}  // namespace

std::string LearntStore::file_name(const std::string& database) {
  constexpr std::size_t kLongestName = 60;
  std::string name = fs::path(database).filename().string().substr(0, kLongestName);
  for (char& c : name) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_') c = '_';
  }
  return name + "-" + hex(fnv1a(database)) + std::string(kLearntSuffix);
}

std::string LearntStore::path_of(const std::string& database) const {
  return directory_ + "/" + file_name(database);
}

LearntStore::Found LearntStore::find(const std::string& database) const {
  if (directory_.empty()) return {};
  auto prior = read_prior(path_of(database), kNothingToDo);
  if (!prior) {
    if (prior.error().code == ErrorCode::kNotFound) return {};
    return {nullptr, prior.error().message};
  }
  if (prior->notes.database != database) {
    return {nullptr, path_of(database) + " is of another database, " + prior->notes.database};
  }
  return {std::make_shared<const Learnt>(prior->learnt), {}};
}

void LearntStore::save(const std::string& database, const Learnt& learnt) {
  if (directory_.empty()) return;
  Result<void> saved = ensure_directory(directory_, "what was learnt", log_);
  if (saved) {
    PriorNotes notes;
    notes.made_by = "rocktuned";
    notes.database = database;
    // Databases wait for this thread to sample them, so it waits for no disk: a torn file is
    // discarded when it is read, and costs what was learnt since the prior.
    saved = write_prior(path_of(database), {std::move(notes), learnt}, Sync::kNo);
  }
  if (!saved && !failing_) {
    log_.warn("cannot save what the early warnings have learnt: " + saved.error().message +
              "; they go on, and would learn anew after a restart");
  } else if (saved && failing_) {
    log_.info("what the early warnings have learnt can be saved again");
  }
  failing_ = !saved;
  if (saved) remove_oldest(path_of(database));
}

void LearntStore::remove_oldest(const std::string& but) const {
  std::vector<std::pair<fs::file_time_type, std::string>> files;
  std::error_code error;
  for (fs::directory_iterator it(directory_, error), end; !error && it != end;
       it.increment(error)) {
    if (!is_learnt_file(it->path().filename().string()) || it->path() == but) continue;
    std::error_code gone;
    const auto time = it->last_write_time(gone);
    if (!gone) files.emplace_back(time, it->path().string());
  }
  constexpr std::size_t kMostOthers = kMostFiles - 1;
  if (files.size() <= kMostOthers) return;
  std::sort(files.begin(), files.end());
  for (std::size_t i = 0; i + kMostOthers < files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace rocktune::daemon
