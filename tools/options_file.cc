#include "tools/options_file.h"

#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

#include "files/text_file.h"

namespace rocktune::tools {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = 16 << 20;  // thousands of column families
constexpr std::string_view kOptionsPrefix = "OPTIONS-";

std::string_view without_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Reads line by line; `values_` is where the options of the section at hand go.
class OptionsReader {
 public:
  void add(std::string_view line) {
    line = without_blanks(line);
    if (line.empty() || line.front() == '#') return;
    if (line.front() == '[' && line.back() == ']') return begin(line.substr(1, line.size() - 2));
    const auto equals = line.find('=');
    if (values_ == nullptr || equals == std::string_view::npos) return;
    values_->insert_or_assign(std::string(without_blanks(line.substr(0, equals))),
                              std::string(without_blanks(line.substr(equals + 1))));
  }

  [[nodiscard]] const OpenOptions& options() const { return options_; }

 private:
  // DBOptions, CFOptions "default", TableOptions/BlockBasedTable "default".
  void begin(std::string_view section) {
    values_ = nullptr;
    if (section == "DBOptions") {
      values_ = &options_.database;
      return;
    }
    for (const std::string_view kind : {"CFOptions \"", "TableOptions/BlockBasedTable \""}) {
      if (!section.starts_with(kind) || !section.ends_with('"')) continue;
      if (section.size() <= kind.size()) continue;
      const auto name = section.substr(kind.size(), section.size() - kind.size() - 1);
      values_ = &options_.column_families[std::string(name)];
    }
  }

  OpenOptions options_;
  OptionValues* values_ = nullptr;
};

std::optional<std::uint64_t> file_number(const std::string& name) {
  if (!name.starts_with(kOptionsPrefix)) return std::nullopt;
  std::uint64_t number = 0;
  const char* end = name.data() + name.size();
  const auto read = std::from_chars(name.data() + kOptionsPrefix.size(), end, number);
  if (read.ec != std::errc() || read.ptr != end) return std::nullopt;  // OPTIONS-000007.dbtmp
  return number;
}

Result<std::string> newest_in(const std::string& directory) {
  std::error_code problem;
  std::optional<std::uint64_t> newest;
  std::string path;
  for (fs::directory_iterator at(directory, problem), end; !problem && at != end;
       at.increment(problem)) {
    const auto number = file_number(at->path().filename().string());
    if (!number || (newest && *newest >= *number)) continue;
    newest = number;
    path = at->path().string();
  }
  if (problem) return fail(ErrorCode::kIo, directory + ": " + problem.message());
  if (!newest) return fail(ErrorCode::kNotFound, directory + " has no OPTIONS file of RocksDB");
  return path;
}

}  // namespace

Result<OpenOptions> parse_options(std::string_view text, const std::string& name) {
  OptionsReader reader;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    reader.add(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  if (reader.options().database.empty() || reader.options().column_families.empty()) {
    return fail(ErrorCode::kCorrupt, name +
                                         " is no OPTIONS file of RocksDB: it has no [DBOptions] "
                                         "or no [CFOptions]");
  }
  return reader.options();
}

Result<OptionsFile> read_options(const std::string& path) {
  std::string file = path;
  std::error_code unknown;  // then reading it says why
  if (fs::is_directory(path, unknown)) {
    auto newest = newest_in(path);
    if (!newest) return tl::unexpected(newest.error());
    file = *std::move(newest);
  }
  const auto text = read_text_file(file, kMostBytes);
  if (!text) return tl::unexpected(text.error());
  auto options = parse_options(*text, file);
  if (!options) return tl::unexpected(options.error());
  return OptionsFile{std::move(file), *std::move(options)};
}

}  // namespace rocktune::tools
