#include "bench/experiment/store.h"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "bench/experiment/metrics.h"
#include "bench/text_file.h"
#include "files/replace_file.h"

namespace rocktune::bench::experiment {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kQuestion = "/experiment.json";

json question_json(const Question& question) {
  return {{"schema", "rocktune-experiment/1"},
          {"experiment", question.experiment},
          {"size", question.size},
          {"digest", question.digest},
          {"seconds", question.seconds > 0 ? json(question.seconds) : json(nullptr)},
          {"programs", question.programs},
          {"machine", question.machine}};
}

// "seconds, programs": the keys in which they differ.
std::string differing_keys(const json& before, const json& asked) {
  std::string keys;
  for (const auto& [key, value] : asked.items()) {
    const auto found = before.find(key);
    if (found == before.end() || *found != value) keys += (keys.empty() ? "" : ", ") + key;
  }
  return keys;
}

// Nothing, or what a call that was stopped at once has left.
bool is_free(const std::string& directory) {
  std::error_code error;
  for (fs::directory_iterator entry(directory, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().filename() != kLockFile) return false;
  }
  return true;
}

json read_object(const std::string& path) {
  const auto text = read_text_file(path);
  return text ? json::parse(*text, nullptr, false) : json();
}

}  // namespace

std::string file_name(const std::string& name) {
  std::string safe = name;
  for (char& c : safe) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-';
    if (!plain) c = '_';
  }
  return safe;
}

Result<Store> Store::open(const std::string& directory, const Question& question) {
  std::error_code error;
  const std::string absolute = fs::absolute(directory, error).lexically_normal().string();
  const bool ours = fs::exists(absolute + kQuestion, error);
  if (!ours && !is_free(absolute)) {
    return fail(ErrorCode::kConflict,
                absolute + " is not empty and holds no experiment's runs: take another --output");
  }
  fs::create_directories(absolute, error);
  if (error) return fail(ErrorCode::kIo, absolute + ": cannot be created: " + error.message());
  auto lock = DirectoryLock::take(absolute, "rocktune-bench experiment");
  if (!lock) return tl::unexpected(lock.error());
  Store store(absolute, std::move(*lock));
  const json asked = question_json(question);
  if (ours) {
    const json before = read_object(absolute + kQuestion);
    if (before == asked) return store;
    return fail(ErrorCode::kConflict,
                absolute + " holds the runs of another experiment, size, build or machine (" +
                    (before.is_object() ? "different: " + differing_keys(before, asked)
                                        : std::string("experiment.json is damaged")) +
                    "): take another --output or remove it");
  }
  if (auto written = store.write("experiment.json", asked.dump(2) + "\n"); !written) {
    return tl::unexpected(written.error());
  }
  return store;
}

std::string Store::run_directory(const Part& part, const Case& one, std::int64_t round) const {
  return directory_ + "/runs/" + file_name(part.name) + "/" + file_name(one.name) + "/" +
         std::to_string(round);
}

std::optional<json> Store::finished(const Part& part, const Case& one, std::int64_t round) const {
  json result = read_object(run_directory(part, one, round) + "/run.json");
  if (!result.is_object() || result.value("partial", true)) return std::nullopt;
  return result;
}

Result<void> Store::clear(const Part& part, const Case& one, std::int64_t round) const {
  const std::string directory = run_directory(part, one, round);
  std::error_code error;
  fs::remove_all(directory, error);
  if (error) return fail(ErrorCode::kIo, directory + ": cannot be removed: " + error.message());
  return {};
}

std::size_t Store::partial_runs(const Part& part) const {
  std::size_t partial = 0;
  for (const Case& one : part.cases) {
    std::error_code error;
    const std::string runs =
        directory_ + "/runs/" + file_name(part.name) + "/" + file_name(one.name);
    for (fs::directory_iterator entry(runs, error), end; !error && entry != end;
         entry.increment(error)) {
      const json result = read_object(entry->path().string() + "/run.json");
      if (result.is_object() && result.value("partial", false)) ++partial;
    }
  }
  return partial;
}

std::int64_t Store::rounds(const Part& part) const {
  std::int64_t highest = 0;
  for (const Case& one : part.cases) {
    for (std::int64_t round = highest + 1; finished(part, one, round); ++round) highest = round;
  }
  return highest;
}

Figures Store::figures(const Part& part, std::int64_t rounds) const {
  Figures figures;
  const std::vector<std::string> metrics = metrics_of(part);
  for (const Case& one : part.cases) {
    for (std::int64_t round = 1; round <= rounds; ++round) {
      const auto result = finished(part, one, round);
      if (!result) continue;
      for (const std::string& metric : metrics) {
        if (auto value = read_metric(*result, metric)) figures[metric][one.name][round] = *value;
      }
    }
  }
  return figures;
}

void Store::remove_work() const {
  std::error_code ignored;
  fs::remove_all(work(), ignored);
}

Result<void> Store::write(const std::string& name, const std::string& text) const {
  return replace_file(directory_ + "/" + name, text);
}

}  // namespace rocktune::bench::experiment
