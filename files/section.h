// Section: one map of the config file, read key by key.
//
// Each read knows the key's place and its overrides, reports what is wrong with it, and notes the
// value with its origin; finish() reports the keys that nobody read. No read stops at an error, so
// one pass finds them all.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "files/raw_config.h"

namespace rocktune {

// One effective value, as `--print-config` shows it.
struct Setting {
  std::string key;
  std::string value;
  std::string origin;  // "default", "file:line", "environment NAME", "command line --x"
};

// Everything found wrong, in the order of the file.
class Problems {
 public:
  explicit Problems(std::string file) : file_(std::move(file)) {}
  void add(const Mark& mark, std::string_view key, std::string_view message);
  void add_elsewhere(std::string_view origin, std::string_view key, std::string_view message);
  [[nodiscard]] std::vector<std::string> sorted() const;

 private:
  struct Problem {
    Mark mark;
    std::string text;
  };
  std::string file_;
  std::vector<Problem> problems_;
};

struct Reading {
  const RawConfig& raw;
  Problems& problems;
  std::vector<Setting>& settings;
  std::set<std::string>& known;  // every full key that a section asked for
};

class Section {
 public:
  // `node` null: the file does not have it. `prefix` is "" or ends with ".".
  Section(Reading& reading, const RawNode* node, std::string prefix);

  [[nodiscard]] Section section(std::string_view key);
  // The list under `key`; null when there is none (or when it is not a list: reported).
  const RawNode* list(std::string_view key);
  // The map under `key` with free names, each with a scalar; reported otherwise.
  const RawNode* free_map(std::string_view key);

  // Reads `key` into `value`, which holds the default. `parse` is Result<T>(std::string_view),
  // `print` is std::string(const T&).
  template <class T, class Parse, class Print>
  void read(std::string_view key, T& value, Parse parse, Print print,
            const std::string& default_origin = "default") {
    const Source source = find(key);
    std::string origin = default_origin;
    if (source.text != nullptr) {
      auto parsed = parse(std::string_view(*source.text));
      if (parsed) {
        value = *std::move(parsed);
        origin = source.origin;
      } else {
        report(source, key, parsed.error().message);
      }
    }
    note(key, print(value), origin);
  }

  // For a check that needs more than the value's text: reported at the place of `key`.
  void complain(std::string_view key, std::string_view message);
  [[nodiscard]] bool has(std::string_view key) const;    // in the file
  [[nodiscard]] bool given(std::string_view key) const;  // there, or besides it
  void finish();

 private:
  struct Source {
    const std::string* text = nullptr;
    std::string origin;
    Mark mark;
    bool in_file = true;
  };
  const RawEntry* entry(std::string_view key) const;
  Source find(std::string_view key);
  void report(const Source& source, std::string_view key, std::string_view message);
  void note(std::string_view key, std::string value, std::string origin);
  void learn(std::string_view key);

  Reading& reading_;
  const RawNode* node_ = nullptr;
  std::string prefix_;
  std::vector<std::string> known_;
};

// The known name nearest to a misspelt one; empty when none is near.
std::string nearest(std::string_view name, const std::vector<std::string>& known);

}  // namespace rocktune
